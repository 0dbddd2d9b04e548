"""Words to strokes: a writer writes a text into the lines of a page.

First the words are spelled in the writer's letters (long s, round r, ligatures, abbreviations),
then set into lines, then every letter becomes a path of the pen. Repetitions of a glyph are
computed together: its path, plus its wobble times a random bending field for each repetition.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ..records import Floats
from .pen import Strokes
from .writers import Glyph, Writer, draw_amplitudes

_BOWS_BEFORE = frozenset("bdohpv")
_BOWS_AFTER = frozenset("cdeoqg")
_ROUND_RIGHT = frozenset("bopsv")
_ROUND_LEFT = frozenset("acdegoqstz")
_SHARED_CAPITALS = {"J": "I", "U": "V", "W": "V"}
_WOBBLE = 0.021  # of a repeated letter, in x-heights
_MOOD = 0.7  # how much a writer changes from page to page


@dataclass(frozen=True)
class PageLayout:
    """Where the lines of a page run, in pixels."""

    line_distance: float
    left: float
    right: float
    first_line: float  # base line of the first line
    lines: int
    justified: bool
    initial: int  # height of the first letter in lines, 0 for none


@dataclass(frozen=True)
class _Sign:
    """A glyph in a word."""

    glyph: str
    gap: float  # to the next sign, in x-heights
    joined: bool = False  # to the next sign
    raised: bool = False  # stands above the sign before


@dataclass
class _Placed:
    glyph: str
    x: float
    y: float
    scale: float
    joined: bool
    ink: float
    word: int  # its place in the text; −1: the initial


def write_text(
    writer: Writer, words: list[str], layout: PageLayout, rng: np.random.Generator
) -> Strokes:
    """Write as many of ``words`` as the page holds."""
    mood = _Mood(rng)
    height = writer.traits.height * layout.line_distance
    placed = _set_lines(writer, words, layout, height, mood, rng)
    return _trace(writer, placed, height, mood, rng)


class _Mood:
    """How the writer differs today: a new pen, a hurry, another seat."""

    def __init__(self, rng: np.random.Generator) -> None:
        draws = _MOOD * rng.standard_normal(8)
        self.nib = math.exp(0.04 * draws[0])
        self.angle = 1.6 * draws[1]
        self.slant = 0.9 * draws[2]
        self.width = math.exp(0.03 * draws[3])
        self.space = math.exp(0.06 * draws[4])
        self.wobble = math.exp(0.2 * draws[5])
        self.slope = 0.05 * draws[6]
        self.dip = 45 * math.exp(0.3 * draws[7])  # letters that one dip lasts
        self.phase = 2 * np.pi * float(rng.random())


def _spell(writer: Writer, word: str, mood: _Mood, rng: np.random.Generator) -> list[_Sign]:
    traits, script = writer.traits, writer.script
    draws = rng.random((len(word) + 1, 4))
    gap = 0.43 * traits.width * traits.space * mood.space
    if word == "et" and draws[-1, 0] < 0.35:
        return [_Sign(script.ampersand, gap)]
    signs: list[_Sign] = []
    at = 0
    while at < len(word):
        letter, after = word[at], word[at + 1 : at + 2]
        before = word[at - 1 : at] if at else ""
        one, two, three, four = draws[at]
        space = gap * (1 + 0.12 * (four - 0.5) * 2)
        # White between letters is judged by area, so curves stand closer.
        if letter in _ROUND_RIGHT or (letter == "d" and "d.round" in script.forms.get("d", "")):
            space *= 0.82
        if after in _ROUND_LEFT:
            space *= 0.85
        if letter == "t":
            space += 0.1 * traits.width  # its bar reaches out
        last = not after.isalpha()
        if script.majuscule and letter.isupper():
            letter = letter.lower()
        # A nasal after a vowel shrinks to a stroke above it.
        if letter in "mn" and before in tuple("aeiou") and last and one < 2.5 * traits.abbreviate:
            signs.append(_Sign(traits.macron, 0, raised=True))
            at += 1
            continue
        if word[at:] in ("us", "us.") and at > 1 and one < 2 * traits.abbreviate:
            signs.append(_Sign("us", space * 0.8, raised=False))
            at += 2
            continue
        if word[at : at + 2] in ("st", "ct") and one < traits.ligatures:
            signs.append(_Sign(word[at : at + 2], space * 0.78))
            at += 2
            continue
        glyph = _choose(writer, letter, before, last, two, three)
        if glyph == "s.long" and last:
            space += 0.25 * traits.width  # its head hangs over the space
        joined = bool(one < traits.join) and not last
        fused = after in _BOWS_AFTER and letter in _BOWS_BEFORE and three < traits.fuse
        if letter in "d" and script.forms.get("d", "d") == "d":
            fused = False
        signs.append(_Sign(glyph, 0.02 if fused and after else space, joined and not fused))
        at += 1
    return signs


def _choose(writer: Writer, letter: str, before: str, last: bool, two: float, three: float) -> str:
    script = writer.script
    if letter == "s" and script.long_s != "never" and not (last and script.long_s == "medial"):
        return "s.long"
    if letter == "r" and before and before in "obpdhv" and two < writer.traits.round_r:
        return "r.round"
    if letter in writer.choices:
        return next(name for name, share in writer.choices[letter] if three <= share)
    return _SHARED_CAPITALS.get(letter, letter)


def _set_lines(
    writer: Writer,
    words: list[str],
    layout: PageLayout,
    height: float,
    mood: _Mood,
    rng: np.random.Generator,
) -> list[_Placed]:
    traits = writer.traits
    measure = (layout.right - layout.left) / height
    word_gap = traits.word * mood.space
    placed: list[_Placed] = []
    stock = enumerate(words)
    pending: list[_Sign] | None = None
    number = -1
    for line in range(layout.lines):
        indent = 0.0
        if layout.initial and line < layout.initial:
            indent = 0.72 * layout.initial * layout.line_distance / height
        row: list[tuple[list[_Sign], float, float, int]] = []
        cursor = indent + max(0.0, 0.12 * rng.standard_normal())
        while True:
            if pending is None:
                number, word = next(stock, (-1, ""))
                if number < 0:
                    break
                if layout.initial and line == 0 and not row and not placed:
                    placed.append(_initial(writer, word[0].upper(), layout, height))
                    word = word[1:] or "a"
                pending = _spell(writer, word, mood, rng)
            width = _word_width(writer, pending, mood)
            if cursor + width > measure and row:
                break
            row.append((pending, cursor, width, number))
            cursor += width + word_gap * math.exp(0.18 * rng.standard_normal())
            pending = None
        if not row:
            break
        end = row[-1][1] + row[-1][2]
        stretch = (measure - end) / max(len(row) - 1, 1) if layout.justified else 0.0
        stretch = min(max(stretch, 0.0), 0.5)
        base = layout.first_line + line * layout.line_distance
        slope = (traits.slope + mood.slope + 0.04 * rng.standard_normal()) * layout.line_distance
        phase = mood.phase + 1.7 * line
        for index, (signs, start, _, at) in enumerate(row):
            start += index * stretch
            size = math.exp(0.02 * rng.standard_normal())
            drift = 0.03 * rng.standard_normal() * height
            for glyph, x, sign in _along(writer, signs, mood):
                across = (start + x) / measure
                wave = traits.wave * math.sin(2 * np.pi * 1.6 * across + phase)
                y = base - (traits.lift + wave) * height - slope * (across - 0.4) + drift
                if sign.raised:
                    y -= 1.22 * height
                x_page = layout.left + (start + x) * height
                placed.append(_Placed(glyph, x_page, y, size, sign.joined, 1.0, at))
    return placed


def _along(writer: Writer, signs: list[_Sign], mood: _Mood) -> list[tuple[str, float, _Sign]]:
    x, body, result = 0.0, 0.0, []
    for sign in signs:
        if sign.raised:
            wide = writer.glyphs[sign.glyph].advance * mood.width
            result.append((sign.glyph, x - body / 2 - wide / 2 - 0.2, sign))
            continue
        result.append((sign.glyph, x, sign))
        body = writer.glyphs[sign.glyph].advance * mood.width
        x += body + sign.gap
    return result


def _word_width(writer: Writer, signs: list[_Sign], mood: _Mood) -> float:
    return sum(
        writer.glyphs[sign.glyph].advance * mood.width + sign.gap
        for sign in signs
        if not sign.raised
    )


def _initial(writer: Writer, letter: str, layout: PageLayout, height: float) -> _Placed:
    letter = _SHARED_CAPITALS.get(letter, letter)
    lines = layout.initial
    tall = (lines - 1) * layout.line_distance + 1.3 * height
    scale = tall / (writer.traits.capital * height)
    wide = 0.62 * lines * layout.line_distance / height
    scale = min(scale, wide / max(writer.glyphs[letter].advance, 0.3))
    y = layout.first_line + (lines - 1) * layout.line_distance
    return _Placed(letter, layout.left, y, scale, False, 0.72, -1)


def _trace(
    writer: Writer, placed: list[_Placed], height: float, mood: _Mood, rng: np.random.Generator
) -> Strokes:
    """Turn placed glyphs into positions of the pen, glyph by glyph."""
    traits = writer.traits
    groups: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(placed):
        groups[item.glyph].append(index)
    wobble = _WOBBLE * (0.6 + 0.8 * traits.speed) * mood.wobble
    lean = math.tan(math.radians(traits.slant + mood.slant))
    pieces: list[_Piece] = []
    entries = np.full((len(placed), 2), np.nan)
    exits = np.full((len(placed), 2), np.nan)
    for name, members in groups.items():
        glyph = writer.glyphs[name]
        count = len(members)
        origin = np.array([(placed[i].x, placed[i].y) for i in members])
        scale = np.array([placed[i].scale for i in members])
        bend = wobble * draw_amplitudes(rng, count)
        bend /= np.sqrt(np.maximum(scale, 1))[:, None, None]
        path = glyph.path + np.einsum("sw,kwi->ksi", glyph.wobble, bend)
        stretch = mood.width * np.exp(0.03 * rng.standard_normal(count))
        leans = lean + 0.014 * rng.standard_normal(count)
        x = path[..., 0] * stretch[:, None] + leans[:, None] * path[..., 1]
        size = (scale * height)[:, None]
        centres = origin[:, None] + np.stack([x * size, -path[..., 1] * size], axis=-1)
        entries[members] = centres[:, glyph.entry]
        if glyph.exit >= 0:
            exits[members] = centres[:, glyph.exit]
        pieces.append(
            _lay_ink(writer, glyph, centres, path[..., 1], height, placed, members, mood, rng)
        )
    pieces.append(_joins(writer, placed, entries, exits, height, mood))
    drawn = np.concatenate([piece.drawn for piece in pieces])[:-1]
    return Strokes(
        centres=np.concatenate([piece.centres for piece in pieces]),
        width=np.concatenate([piece.width for piece in pieces]),
        thickness=np.concatenate([piece.thickness for piece in pieces]),
        angle=np.concatenate([piece.angle for piece in pieces]),
        drawn=drawn,
        ink=np.concatenate([piece.ink for piece in pieces]).astype(np.uint8),
        word=np.concatenate([piece.word for piece in pieces]),
    )


@dataclass(frozen=True)
class _Piece:
    centres: Floats
    width: Floats
    thickness: Floats
    angle: Floats
    drawn: np.ndarray
    ink: Floats
    word: np.ndarray


def _lay_ink(
    writer: Writer,
    glyph: Glyph,
    centres: Floats,
    heights: Floats,
    height: float,
    placed: list[_Placed],
    members: list[int],
    mood: _Mood,
    rng: np.random.Generator,
) -> _Piece:
    """Nib and ink at every position of the repetitions of one glyph."""
    traits = writer.traits
    count = len(centres)
    # An initial is drawn with a broader pen, yet not as much broader as it is larger.
    scale = np.array([placed[i].scale for i in members])[:, None]
    nib = traits.nib * mood.nib * height * np.where(scale > 1.3, scale**0.6, 1.0)
    width = nib * glyph.pressure * np.exp(0.04 * rng.standard_normal((count, 1)))
    turn = traits.twist * (np.clip(heights, -0.5, 1.5) - 0.5)
    angle = np.radians(traits.angle + mood.angle + turn + 1.5 * rng.standard_normal((count, 1)))
    angle = angle * (1 - 0.9 * glyph.level)
    flow = np.array([placed[i].ink for i in members])[:, None]
    # The pen is dipped again and again, and each stroke ends in a drop.
    dip = 1 - np.mod(np.array(members) + 40 * mood.phase, mood.dip)[:, None] / mood.dip
    ink = flow * (205 + 42 * dip + 4 * rng.standard_normal((count, 1)) + _drops(glyph))
    drawn = np.append(glyph.drawn, False)
    return _Piece(
        centres.reshape(-1, 2),
        width.ravel(),
        np.broadcast_to(traits.thin * nib, width.shape).ravel(),
        angle.ravel(),
        np.tile(drawn, count),
        np.clip(ink, 1, 255).ravel(),
        np.repeat([placed[i].word for i in members], width.shape[1]),
    )


def _drops(glyph: Glyph) -> Floats:
    last = np.append(~glyph.drawn, True)
    return np.where(last, 8.0, 0.0)


def _joins(
    writer: Writer,
    placed: list[_Placed],
    entries: Floats,
    exits: Floats,
    height: float,
    mood: _Mood,
) -> _Piece:
    """Hairlines from the foot of a letter to the shoulder of the next."""
    traits = writer.traits
    pairs = [
        i
        for i in range(len(placed) - 1)
        if placed[i].joined
        and not np.isnan(exits[i, 0])
        and 0 < entries[i + 1, 0] - exits[i, 0] < 0.9 * height
    ]
    samples = 6
    if not pairs:
        empty = np.zeros(0)
        none = np.zeros(0, np.intp)
        return _Piece(np.zeros((0, 2)), empty, empty, empty, np.zeros(0, bool), empty, none)
    start = exits[pairs]
    end = entries[[i + 1 for i in pairs]]
    step = end - start
    first = start + step * [0.45, 0.1]
    second = end - step * [0.3, 0.45]
    t = np.linspace(0, 1, samples)[None, :, None]
    curve = (
        (1 - t) ** 3 * start[:, None]
        + 3 * (1 - t) ** 2 * t * first[:, None]
        + 3 * (1 - t) * t**2 * second[:, None]
        + t**3 * end[:, None]
    )
    total = len(pairs) * samples
    nib = np.full(total, traits.nib * mood.nib * height)
    return _Piece(
        curve.reshape(-1, 2),
        nib * 0.8,
        nib * traits.thin,
        np.full(total, math.radians(traits.angle + mood.angle)),
        np.tile(np.arange(samples) < samples - 1, len(pairs)),
        np.full(total, 215.0),
        np.repeat([placed[i].word for i in pairs], samples),
    )
