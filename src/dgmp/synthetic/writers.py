"""A writer, not a font: one person's letters, measures and pen, drawn from a seed.

A writer starts from a script and differs from it in everything a palaeographer looks at: slant,
proportions, spacing, the nib and how it is held, how heads and feet are finished, which forms of a
letter are used and how often, and the shape of each letter. Shapes are bent by smooth random
fields, one shared by all letters of the writer and one for each form: strokes that meet still meet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..records import Floats
from .alphabets import CAPITALS, FORMS, LIGATURES, MARKS
from .letterforms import Point, Stroke, parse_letter, spline_basis
from .scripts import SCRIPTS, Script

LETTERS = "abcdefghijklmnopqrstuvxyz"
WAVES = 6  # plane waves in a bending field


@dataclass(frozen=True)
class Traits:
    """The measures of one writer. Lengths are in x-heights, angles in degrees."""

    script: str
    nib: float
    angle: float
    thin: float
    twist: float  # how the nib turns with the height of the stroke
    pressure: float  # swelling of down strokes
    slant: float
    width: float
    space: float
    word: float
    ascender: float
    descender: float
    capital: float
    height: float
    broken: float
    loop: float
    slope: float  # of the base line, in line distances over the width of a page
    wave: float  # of the base line
    lift: float  # of the letters above the ruling
    speed: float  # 0 set down letter by letter, 1 hurried
    join: float
    fuse: float
    round_r: float
    ligatures: float
    abbreviate: float
    head: str
    ascender_head: str
    foot: str
    descender_foot: str
    macron: str


@dataclass(frozen=True)
class Glyph:
    """One form of a letter as this writer writes it; every repetition adds its own wobble."""

    path: Floats  # (samples, 2)
    wobble: Floats  # (samples, 2·WAVES): how the path answers to a bending field
    drawn: NDArray[np.bool_]  # (samples - 1,): False where the pen is lifted
    pressure: Floats  # (samples,)
    level: Floats  # (samples,)
    advance: float  # width of the body, without space
    entry: int  # sample where a join arrives
    exit: int  # sample where a join leaves, -1 if the letter ends high


class Glyphs(dict[str, Glyph]):
    """The glyphs of a writer, each made from its own random stream when it is first written."""

    def __init__(self, entropy: tuple[int, ...], forms: Mapping[str, str], traits: Traits) -> None:
        super().__init__()
        self.entropy = entropy
        self.forms = forms  # glyph: name of its form
        self.traits = traits
        self.shared = draw_field(stream(*entropy, 1), 0.055)

    def __missing__(self, name: str) -> Glyph:
        rng = stream(*self.entropy, 2, *name.encode())
        self[name] = _make_glyph(rng, self.forms[name], self.traits, self.shared)
        return self[name]


@dataclass(frozen=True)
class Writer:
    """All that is constant in one writer."""

    traits: Traits
    script: Script
    glyphs: Glyphs
    choices: Mapping[str, tuple[tuple[str, float], ...]]  # letter: glyphs and cumulated shares


def stream(*entropy: int) -> np.random.Generator:
    """A random stream of its own for every tuple of numbers."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))


@lru_cache(maxsize=256)
def make_writer(entropy: tuple[int, ...], script: str | None = None) -> Writer:
    """Draw the writer that belongs to ``entropy``; without ``script`` any of the twelve."""
    rng = stream(*entropy)
    drawn = list(SCRIPTS)[int(rng.integers(len(SCRIPTS)))]
    family = SCRIPTS[drawn if script is None else script]
    traits = _draw_traits(rng, family)
    forms = {name: name for name in (*LIGATURES, *CAPITALS, *MARKS)}
    forms["s.long"] = {"f.long": "s.tall", "f.low": "s.low"}.get(
        family.forms.get("f", ""), "s.long"
    )
    forms["r.round"] = "r.round"
    forms["w"] = "w"  # no script has another, and Latin has none
    choices: dict[str, tuple[tuple[str, float], ...]] = {}
    for letter in LETTERS:
        known = family.forms.get(letter, letter).split()
        forms[letter] = known[0] if rng.random() < 0.7 else known[int(rng.integers(len(known)))]
        forms[f"{letter}.2"] = known[int(rng.integers(len(known)))]
        # Half of the letters have a second shape, more often when it is another form.
        usual = 1 - 0.45 * rng.random() ** 2
        if forms[letter] == forms[f"{letter}.2"] and rng.random() < 0.5:
            usual = 1.0
        choices[letter] = ((letter, usual), (f"{letter}.2", 1.0))
    return Writer(traits, family, Glyphs(entropy, forms, traits), choices)


def _draw_traits(rng: np.random.Generator, script: Script) -> Traits:
    def about(centre: float, spread: float) -> float:
        """A draw around the script's value, never far enough out to be another script."""
        return centre + spread * float(np.clip(rng.standard_normal(), -2.2, 2.2))

    def scaled(centre: float, spread: float) -> float:
        return centre * math.exp(about(0, spread))

    def choose(words: tuple[str, ...]) -> str:
        return words[min(int(rng.exponential(0.8)), len(words) - 1)]

    def share(centre: float) -> float:
        return float(np.clip(about(centre, 0.2), 0, 1)) if centre else 0.0

    width = scaled(script.width, 0.12)
    return Traits(
        script=script.name,
        # Stems leave some white between them, however broad the pen.
        nib=min(scaled(script.nib, 0.2), 0.29 * width),
        angle=about(script.angle, 8.0),
        thin=scaled(script.thin, 0.35),
        twist=about(0, 7.0),
        pressure=abs(about(0, 0.14)),
        slant=about(script.slant, 1.7 + 0.25 * script.slant),
        width=width,
        space=scaled(script.space, 0.12),
        word=scaled(script.word, 0.2),
        ascender=1 + scaled(script.ascender - 1, 0.15),
        descender=scaled(script.descender, 0.16),
        capital=scaled(0.2 + 0.72 * script.ascender, 0.08),
        height=scaled(script.height, 0.08),
        broken=float(np.clip(about(script.broken, 0.1), 0, 1)) if script.broken else 0.0,
        loop=scaled(0.34, 0.2),
        slope=about(0, 0.12),
        wave=abs(about(0.03, 0.02)),
        lift=about(0.03, 0.04),
        speed=float(rng.beta(2, 3)),
        join=share(script.join),
        fuse=share(script.fuse),
        round_r=share(script.round_r),
        ligatures=share(script.ligatures),
        abbreviate=script.abbreviate * 2 * float(rng.random()),
        head=choose(script.heads),
        ascender_head=choose(script.ascender_heads),
        foot=choose(script.feet),
        descender_foot=choose(script.descender_feet),
        macron=("macron", "macron.wave", "macron.bow")[int(rng.integers(3))],
    )


@dataclass(frozen=True)
class Field:
    """A smooth displacement of the plane: a sum of plane waves."""

    waves: Floats  # (2, WAVES)
    amplitudes: Floats  # (2·WAVES, 2)

    def __call__(self, points: Floats) -> Floats:
        return _waves_at(points, self.waves) @ self.amplitudes

    def redrawn(self, rng: np.random.Generator, size: float) -> Field:
        """Another field of the same waves."""
        return Field(self.waves, size * draw_amplitudes(rng))


def _waves_at(points: Floats, waves: Floats) -> Floats:
    phase = points @ waves
    return np.concatenate([np.sin(phase), np.cos(phase)], axis=1) / math.sqrt(WAVES)


def _draw_waves(rng: np.random.Generator) -> Floats:
    # The first half runs along the line: it moves stems sideways and leaves them upright.
    directions = rng.uniform(-1, 1, WAVES) * np.repeat([0.2, np.pi], WAVES // 2)
    lengths = rng.uniform(0.8, 2.2, WAVES)  # in x-heights
    return 2 * np.pi / lengths * np.stack([np.cos(directions), np.sin(directions)])


def draw_amplitudes(rng: np.random.Generator, *count: int) -> Floats:
    """Random bending fields of unit size; stems lean less than they move."""
    upright = np.ones((2 * WAVES, 2))
    upright.reshape(2, WAVES, 2)[:, WAVES // 2 :, 0] = 0.3
    return np.asarray(upright * rng.standard_normal((*count, 2 * WAVES, 2)))


def draw_field(rng: np.random.Generator, size: float) -> Field:
    """Draw a displacement of about ``size`` x-heights."""
    return Field(_draw_waves(rng), size * draw_amplitudes(rng))


def _make_glyph(rng: np.random.Generator, form: str, traits: Traits, shared: Field) -> Glyph:
    own = draw_field(rng, 0.034 if form not in MARKS else 0.02)
    wobble_waves = _draw_waves(rng)
    width = traits.width * math.exp(0.05 * rng.standard_normal())
    strokes = [_measure(stroke, form, width, traits) for stroke in parse_letter(FORMS[form])]
    strokes = [piece for stroke in strokes for piece in _finish(stroke, traits)]

    paths, wobbles, pressures, levels, lifts = [], [], [], [], []
    entry, exits, start = -1, [], 0
    for stroke in strokes:
        points = np.array([(point.x, point.y) for point in stroke])
        bent = points + shared(points) + own(points)
        corners = np.array([point.corner for point in stroke])
        basis = spline_basis(bent, corners, traits.broken)
        straight = spline_basis(bent, corners, 1.0)
        paths.append(basis @ bent)
        wobbles.append(basis @ _waves_at(points, wobble_waves))
        pressed = straight @ np.array([point.pressure for point in stroke])
        pressures.append(pressed * _swelling(paths[-1], traits.pressure))
        levels.append(straight @ np.array([point.level for point in stroke]))
        lifts.append(np.append(np.ones(len(basis) - 1, dtype=bool), False))
        start += len(basis)
        exits.append(start - 1)
    path = np.concatenate(paths)
    left, right = _body(path)
    path[:, 0] -= left
    right -= left
    reach = np.where((path[:, 1] > 0.5) & (path[:, 1] < 0.9), path[:, 0], np.inf)
    entry = int(np.argmin(reach))
    low = [i for i in exits if -0.12 < path[i, 1] < 0.45 and path[i, 0] > 0.5 * right]
    return Glyph(
        path=path,
        wobble=np.concatenate(wobbles),
        drawn=np.concatenate(lifts)[:-1],
        pressure=np.concatenate(pressures),
        level=np.concatenate(levels),
        advance=right,
        entry=entry,
        exit=max(low, key=lambda i: path[i, 0]) if low else -1,
    )


def _body(path: Floats) -> tuple[float, float]:
    """Left and right edge for spacing: thin heads and feet may reach into the neighbours."""
    x, y = path.T
    near = x[(y > -0.06) & (y < 1.06)]
    core = x[(y > 0.24) & (y < 0.78)]
    if not len(near):
        return float(x.min()), float(x.max())
    left, right = near.min() + 0.12, near.max() - 0.18
    if len(core):
        left, right = min(left, core.min()), max(right, core.max())
    return float(left), float(max(right, left + 0.04))


def _swelling(path: Floats, pressure: float) -> Floats:
    """Down strokes are pressed, up strokes are not."""
    step = np.gradient(path, axis=0)
    falling = -step[:, 1] / np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-6)
    return np.asarray(1 + pressure * falling)


def _measure(stroke: Stroke, form: str, width: float, traits: Traits) -> Stroke:
    """Give a stroke the proportions of the writer."""

    def height(y: float) -> float:
        if form in CAPITALS:
            return y / 1.5 * traits.capital if y > 0 else y
        if y > 1:
            return 1 + (y - 1) * (traits.ascender - 1) / 0.75
        return y if y > 0 else y * traits.descender / -0.65

    return tuple(replace(point, x=point.x * width, y=height(point.y)) for point in stroke)


def _finish(stroke: Stroke, traits: Traits) -> list[Stroke]:
    """Replace marked ends by the heads and feet of the writer."""
    points, extra = list(stroke), []
    if points[0].end == "head":
        tall = points[0].y > 1.25
        head, more = _head(points[0], traits.ascender_head if tall else traits.head, traits)
        points[:1] = head
        extra += more
    if points[-1].end == "foot":
        deep = points[-1].y < -0.25
        points[-1:] = _foot(points[-1], traits.descender_foot if deep else traits.foot, traits)
    return [tuple(points), *extra]


def _head(top: Point, kind: str, traits: Traits) -> tuple[list[Point], list[Stroke]]:
    x, y, u = top.x, top.y, traits.nib

    def at(right: float, up: float, corner: bool = False) -> Point:
        return Point(x + right, y + up, corner)

    match kind:
        case "diamond":
            return [at(-0.6 * u, 0.1 * u), at(0.1 * u, -0.55 * u, True)], []
        case "fork":
            hair = (at(0, -0.5 * u), at(0.75 * u, 0.2 * u))
            return [at(-0.6 * u, 0.1 * u), at(0.1 * u, -0.55 * u, True)], [hair]
        case "wedge":
            return [at(-0.9 * u, -0.8 * u), at(-0.1 * u, -0.1 * u, True), at(0, -0.3 * u, True)], []
        case "club":
            return [at(-0.25 * u, -1.9 * u), at(-0.1 * u, 0, True), at(0.1 * u, -1.2 * u, True)], []
        case "serif":
            return [at(-0.8 * u, -0.2 * u), at(0, 0, True)], []
        case "hair":
            return [at(-1.1 * u, -1.3 * u), at(0, 0, True)], []
        case "hook":
            return [at(0.26, -0.1), at(0.14, 0.02), at(0.02, -0.12), at(0, -0.4)], []
        case "loop":
            wide = traits.loop
            loop = [at(0.02, 0.95 - y), at(wide, -0.34), at(0.72 * wide, -0.02), at(0.08, -0.06)]
            return [*loop, at(0, -0.34), at(0, -0.6)], []
        case _:
            return [replace(top, end="")], []


def _foot(end: Point, kind: str, traits: Traits) -> list[Point]:
    x, y, u = end.x, end.y, traits.nib

    def at(
        right: float, up: float, corner: bool = False, pressure: float = 1.0, level: float = 0.0
    ) -> Point:
        return Point(x + right, y + up, corner, pressure=pressure, level=level)

    match kind:
        case "diamond":
            return [at(0, 0.6 * u, True), at(0.6 * u, -0.05 * u, True), at(1.05 * u, 0.4 * u)]
        case "turn":
            return [at(0, 0.3), at(0.01, 0.6 * u), at(0.45 * u, 0), at(1.2 * u, 0.5 * u)]
        case "serif":
            return [at(-0.3 * u, 0, True), at(0.85 * u, 0.15 * u)]
        case "flat":
            return [at(0, 0.25, True), at(0, 0, level=1.0)]
        case "taper":
            return [at(0, 0.35), at(-0.02, 0, pressure=0.3)]
        case "hook":
            return [at(0, 0.4), at(-0.06, 0.1), at(-0.3, 0.04)]
        case _:
            return [replace(end, end="")]
