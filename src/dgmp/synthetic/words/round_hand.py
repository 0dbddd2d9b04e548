"""Everyday cursive: writers of a joined round hand, and their words as paths of the pen.

Unlike the book hands of :mod:`..writing`, where letters are set down one by one, a word here is one
path: the points of its letters are strung together, and a single spline runs through all of them,
so that a join is part of both letters. The pen is a pointed one, which spreads under pressure
(thick down strokes, hairlines upward), or a narrow broad nib; writers differ in slant, proportions,
loops, length of joins, forms of letters and how steady they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...records import Floats
from ..letterforms import Stroke, parse_letter, spline_basis
from ..pen import Strokes
from ..writers import Field, draw_field, stream
from ..writing import PageLayout
from .round_forms import CAPITAL, DIGITS, LOWER, ROUND_FORMS, SIGNS, forms_of

ROUND_SIGNS = "".join(name for name in ROUND_FORMS if len(name) == 1)  # all that can be written
LONG_S = ("s.long", "s.tall")


@dataclass(frozen=True)
class RoundTraits:
    """The measures of one writer. Lengths are in x-heights, angles in degrees."""

    height: float  # the x-height as a share of the line distance
    slant: float
    width: float
    gap: float  # between letters, beside the rise of the join
    space: float  # between words
    ascender: float
    descender: float
    capital: float
    loop: float  # width of loops, against the copy book
    broken: float  # share of the polygon in curves
    join: float  # share of letters that are joined to the next where the form allows it
    lead: float  # share of first strokes with a rise before them
    cross: float  # share of bars and dots that are written
    long_s: str  # "never", "double" (the first of two) or "medial"
    pointed: bool  # a pen that spreads, or a broad nib
    thick: float
    hair: float
    sharp: float  # how fast pressure goes with the direction
    angle: float  # of a broad nib
    wobble: float  # of repetitions
    sway: float  # of the base line within a word
    wave: float  # of the base line along the page
    slope: float


@dataclass(frozen=True)
class RoundWriter:
    """All that is constant in one writer."""

    traits: RoundTraits
    forms: Mapping[str, tuple[str, str, float]]  # usual form, other form, share of the usual one
    shapes: Mapping[str, tuple[tuple[Floats, NDArray[np.bool_], bool], ...]]
    wobble: Field


@lru_cache(maxsize=256)
def make_round_writer(entropy: tuple[int, ...]) -> RoundWriter:
    """Draw the writer that belongs to ``entropy``."""
    rng = stream(*entropy)
    traits = _draw_traits(rng)
    wild = float(rng.uniform(0.3, 1.2))
    shared = draw_field(rng, 0.05 * wild)
    forms: dict[str, tuple[str, str, float]] = {}
    for sign in ROUND_SIGNS:
        known = forms_of(sign)
        if sign == "s":
            known = tuple(name for name in known if name not in LONG_S)
        usual, other = (
            known[0] if rng.random() < 0.4 else known[int(rng.integers(len(known)))]
            for _ in range(2)
        )
        forms[sign] = (usual, other, 1 - 0.5 * float(rng.random()) ** 2)
    tall = LONG_S[int(rng.random() < 0.3)]
    forms["ſ"] = (tall, tall, 1.0)
    shapes = {}
    for name, text in ROUND_FORMS.items():
        own = draw_field(rng, 0.034 * wild)
        width = traits.width * math.exp(0.07 * rng.standard_normal())
        shapes[name] = tuple(
            _bend(_measure(stroke, name, width, traits), stroke, shared, own)
            for stroke in parse_letter(text)
        )
    return RoundWriter(traits, forms, shapes, draw_field(rng, 1.0))


def write_round_hand(
    writer: RoundWriter, words: list[str], layout: PageLayout, rng: np.random.Generator
) -> Strokes:
    """Write as many of ``words`` as the page holds; every sign must be one of ROUND_SIGNS."""
    traits = writer.traits
    height = traits.height * layout.line_distance
    lean = math.tan(math.radians(traits.slant + 1.2 * rng.standard_normal()))
    nib = height * math.exp(0.08 * rng.standard_normal())
    phase = 2 * np.pi * float(rng.random())
    inks: list[_Ink] = []
    stock = enumerate(words)
    pending: tuple[int, list[Floats]] | None = None
    for line in range(layout.lines):
        base = layout.first_line + line * layout.line_distance
        slope = (traits.slope + 0.03 * rng.standard_normal()) * layout.line_distance
        cursor = layout.left + abs(0.3 * rng.standard_normal()) * height
        started = False
        while True:
            if pending is None:
                number, word = next(stock, (-1, ""))
                if number < 0:
                    break
                pending = number, _word_paths(writer, word, rng)
            number, paths = pending
            turned = [np.stack([p[:, 0] + lean * p[:, 1], -p[:, 1]], axis=1) for p in paths]
            body = np.concatenate([path[:, 0] for path in paths])
            left, right = float(body.min()), float(body.max())
            if started and cursor + (right - left) * height > layout.right:
                break
            started, pending = True, None
            across = (cursor - layout.left) / (layout.right - layout.left)
            wave = traits.wave * math.sin(10 * across + phase + 1.7 * line) * height
            origin = np.array([cursor - left * height, base - wave - slope * (across - 0.4)])
            size = height * math.exp(0.03 * rng.standard_normal())
            depth = 205 + 40 * float(rng.random())
            for path in turned:
                inks.append(_lay_ink(traits, origin + size * path, nib, depth, number))
            cursor += (right - left) * height
            cursor += traits.space * height * math.exp(0.25 * rng.standard_normal())
    return _bind(inks)


def _draw_traits(rng: np.random.Generator) -> RoundTraits:
    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    thick = between(0.12, 0.26)
    ascender, descender = between(1.7, 2.6), -between(0.7, 1.4)
    return RoundTraits(
        # Lines run into each other a little at most.
        height=between(0.75, 1.1) / (ascender - descender),
        slant=15 + 35 * float(rng.beta(2, 2)),
        width=math.exp(between(-0.15, 0.5)),
        gap=between(0, 0.55),
        space=between(1, 2.2),
        ascender=ascender,
        descender=descender,
        capital=ascender * between(0.85, 1.1),
        loop=between(0.3, 1.3),
        broken=between(0, 0.15),
        join=1 - 0.35 * between(0, 1) ** 2,
        lead=between(0, 1),
        cross=between(0.6, 1),
        long_s=("never", "double", "medial")[int(rng.integers(3))],
        pointed=bool(rng.random() < 0.75),
        thick=thick,
        hair=max(thick * between(0.2, 0.6), 0.04),
        sharp=between(0.8, 2.5),
        angle=between(25, 55),
        wobble=between(0.006, 0.025),
        sway=between(0, 0.03),
        wave=between(0, 0.1),
        slope=between(-0.2, 0.2),
    )


def _measure(stroke: Stroke, name: str, width: float, traits: RoundTraits) -> Floats:
    """Give a stroke the proportions of the writer."""
    points = np.array([(point.x, point.y) for point in stroke])
    x, y = points.T
    if name in LOWER:
        high, deep = np.flatnonzero(y > 1.05), np.flatnonzero(y < -0.3)
        # Loops are stretched away from their stem.
        for loop, stem in ((high, high[-1:]), (deep, deep[:1])):
            x[loop] = x[stem] + traits.loop * (x[loop] - x[stem])
        y[y > 1] = 1 + (y[y > 1] - 1) * (traits.ascender - 1)
    elif name in CAPITAL:
        y[y > 0] *= traits.capital / 2
    y[y < 0] *= traits.descender / -1.05
    return np.stack([x * width, y], axis=1)


def _bend(
    points: Floats, stroke: Stroke, shared: Field, own: Field
) -> tuple[Floats, NDArray[np.bool_], bool]:
    """The points of a stroke as this writer sets them, its corners, and whether it ends there."""
    corners = np.array([point.corner for point in stroke])
    return points + shared(points) + own(points), corners, stroke[-1].end == "foot"


def choose_forms(writer: RoundWriter, word: str, rng: np.random.Generator) -> list[str]:
    """The form of each sign of a word."""
    found = []
    for place, sign in enumerate(word):
        after = word[place + 1 : place + 2]
        rule = writer.traits.long_s
        if sign == "s" and (
            (rule == "double" and after == "s") or (rule == "medial" and after.isalpha())
        ):
            sign = "ſ"
        usual, other, share = writer.forms[sign]
        found.append(usual if rng.random() < share else other)
    return found


def _word_paths(writer: RoundWriter, word: str, rng: np.random.Generator) -> list[Floats]:
    """The paths of a word, upright and from x = 0; letters that join share one."""
    traits = writer.traits
    runs: list[list[tuple[Floats, NDArray[np.bool_]]]] = []
    marks: list[tuple[Floats, NDArray[np.bool_]]] = []
    cursor = drift = 0.0
    joining = False
    gap = traits.gap * traits.width
    for name in choose_forms(writer, word, rng):
        drift = 0.7 * drift + traits.sway * float(rng.standard_normal())
        size = math.exp(0.04 * rng.standard_normal())
        shift = np.array([cursor, drift])
        bend = writer.wobble.redrawn(rng, traits.wobble)
        strokes = [
            (shift + size * (points + bend(points)), corners)
            for points, corners, _ in writer.shapes[name]
        ]
        (points, corners), *others = strokes
        if not joining:
            runs.append([])
            points, corners = _begin(points, corners, name, rng.random() < traits.lead)
        runs[-1].append((points, corners))
        if name in SIGNS or name in DIGITS or name in CAPITAL:
            runs.extend([other] for other in others)
        else:
            marks += [other for other in others if rng.random() < traits.cross]
        ends = writer.shapes[name][0][2]
        joining = not ends and bool(rng.random() < traits.join)
        if ends:
            every = np.concatenate([points for points, _ in strokes])
            body = every[(every[:, 1] > -0.1) & (every[:, 1] < 1.2), 0]
            cursor = float(body.max(initial=cursor)) + 0.18 + 0.6 * max(gap, 0)
        else:
            cursor = float(points[-1, 0]) + gap * math.exp(0.2 * rng.standard_normal())
            if not joining:
                cursor += 0.08
    paths = []
    for run in [*runs, *([mark] for mark in marks)]:
        points = np.concatenate([points for points, _ in run])
        corners = np.concatenate([corners for _, corners in run])
        paths.append(spline_basis(points, corners, traits.broken) @ points)
    return paths


def _begin(
    points: Floats, corners: NDArray[np.bool_], name: str, lead: bool
) -> tuple[Floats, NDArray[np.bool_]]:
    """A first stroke that no join leads to."""
    turn = int(np.argmax(corners))
    if name in LOWER and turn == 2:  # a bowl: no need to come over its top
        return points[2:], corners[2:]
    if name in LOWER and turn == 0 and corners[0] and lead:
        rise = points[:1] - [0.24, 0.5]
        return np.concatenate([rise, points]), np.append(False, corners)
    return points, corners


@dataclass(frozen=True)
class _Ink:
    """One path on the page."""

    centres: Floats
    width: Floats
    thickness: Floats
    angle: Floats
    ink: Floats
    word: int


def _lay_ink(traits: RoundTraits, centres: Floats, nib: float, depth: float, word: int) -> _Ink:
    """Nib and ink along a path, in pixels."""
    count = len(centres)
    ink = np.full(count, depth)
    ink[-1] += 8
    if not traits.pointed:
        wide = np.full(count, traits.thick * nib)
        angle = np.full(count, math.radians(traits.angle))
        return _Ink(centres, wide, np.full(count, traits.hair * nib), angle, ink, word)
    step = np.gradient(centres, axis=0)
    angle = np.arctan2(-step[:, 1], step[:, 0])
    down = step[:, 1] / np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-6)
    pressed = np.clip(down, 0, 1) ** traits.sharp
    pressed = np.convolve(np.pad(pressed, 2, mode="edge"), [0.1, 0.2, 0.4, 0.2, 0.1], "valid")
    wide = nib * (traits.hair + (traits.thick - traits.hair) * pressed)
    return _Ink(centres, wide, wide, angle, ink, word)


def _bind(inks: list[_Ink]) -> Strokes:
    ends = np.cumsum([len(ink.centres) for ink in inks])
    drawn = np.ones(ends[-1], bool)
    drawn[ends - 1] = False
    return Strokes(
        centres=np.concatenate([ink.centres for ink in inks]),
        width=np.concatenate([ink.width for ink in inks]),
        thickness=np.concatenate([ink.thickness for ink in inks]),
        angle=np.concatenate([ink.angle for ink in inks]),
        drawn=drawn[:-1],
        ink=np.clip(np.concatenate([ink.ink for ink in inks]), 1, 255).astype(np.uint8),
        word=np.repeat([ink.word for ink in inks], [len(ink.centres) for ink in inks]),
    )
