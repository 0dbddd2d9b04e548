"""Hands out of font files: a writer is a font, bent, and no two words of theirs are alike.

Fonts of handwriting exist by the hundred under open licences, and each holds habits of a real hand
that no generator thinks of. A writer takes one font and has a slant, a width, a weight of the pen
and a size; every word is then drawn by FreeType, with the joins and ligatures that the font has,
and bent by a smooth random field. A letter that the font lacks makes a word that is left out.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...errors import CorpusError
from ...names import need
from ...records import Grey
from ..writers import stream
from ..writing import PageLayout

ENDINGS = (".otf", ".ttf", ".woff", ".woff2")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
SUPERSAMPLING = 2

_EM = 100  # pixels in which fonts are opened first, to be measured
_NO_SIGN = "\U0010ffff"  # no font has it


@dataclass(frozen=True)
class FontWriter:
    """All that is constant in one writer. Lengths are in x-heights."""

    font: str
    height: float  # the x-height as a share of the line distance
    lean: float  # to the right per length upwards, beside the slant of the font
    width: float
    weight: float  # share of a dilation of the ink, below 0 of an erosion
    bend: float  # how far a word is bent
    grain: float  # width of the bends
    space: float  # between words
    wave: float  # of the base line along the page
    slope: float


@dataclass(frozen=True, eq=False)
class InkedWord:
    """A word on the page: its number in the text, its ink and where that lies, twice enlarged."""

    number: int
    ink: Grey
    left: int
    top: int


def find_fonts(folder: Path | str) -> tuple[list[Path], list[tuple[str, str]]]:
    """The fonts below a folder that can write a to z, by name, and why the others are left out.

    Raises CorpusError where none is left.
    """
    fonts: list[Path] = []
    left_out: list[tuple[str, str]] = []  # file, reason
    for file in sorted(p for p in Path(folder).rglob("*") if p.suffix.lower() in ENDINGS):
        try:
            lacking = LETTERS - _signs(str(file))
        except CorpusError as error:
            left_out.append((str(file), str(error)))
            continue
        if lacking:
            some = "".join(sorted(lacking))
            left_out.append((str(file), f"the font has no {some}"))
        else:
            fonts.append(file)
    if not fonts:
        why = ": ".join(left_out[0]) if left_out else f"no file ends in {', '.join(ENDINGS)}"
        raise CorpusError(f"{folder} holds no font that can be used: {why}")
    return fonts, left_out


def digest_of(fonts: Sequence[Path]) -> str:
    """What tells one set of fonts from another."""
    digest = hashlib.sha256()
    for font in fonts:
        digest.update(hashlib.sha256(font.read_bytes()).digest())
    return digest.hexdigest()[:16]


def make_font_writer(font: Path | str, entropy: tuple[int, ...]) -> FontWriter:
    """Draw the writer that belongs to ``entropy`` and uses that font."""
    rng = stream(*entropy)

    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    rise, fall = _reach(str(font))
    return FontWriter(
        font=str(font),
        # Lines run into each other a little at most.
        height=min(between(0.75, 1.15) / (rise + fall), 0.45),
        lean=between(-0.15, 0.65),
        width=math.exp(between(-0.25, 0.45)),
        weight=between(-0.5, 1.2),
        bend=between(0.02, 0.1),
        grain=between(0.7, 2.5),
        space=between(0.8, 2.2),
        wave=between(0, 0.1),
        slope=between(-0.2, 0.2),
    )


def write_font_hand(
    writer: FontWriter, words: Sequence[str], layout: PageLayout, rng: np.random.Generator
) -> list[InkedWord]:
    """Write as many of ``words`` as the page holds, without those that the font cannot write."""
    height = writer.height * layout.line_distance
    size = SUPERSAMPLING * height / _x_height(writer.font) * _EM
    known = _signs(writer.font)
    stock = [(n, word) for n, word in enumerate(words) if known.issuperset(word)]
    phase = 2 * np.pi * float(rng.random())
    found: list[InkedWord] = []
    for line in range(layout.lines):
        base = layout.first_line + line * layout.line_distance
        slope = (writer.slope + 0.03 * rng.standard_normal()) * layout.line_distance
        cursor = layout.left + abs(0.3 * rng.standard_normal()) * height
        started = False
        while stock:
            number, word = stock[0]
            ink, left, top, advance = _draw_word(writer, word, size, rng)
            if started and cursor + advance > layout.right:
                break
            started = True
            del stock[0]
            across = (cursor - layout.left) / (layout.right - layout.left)
            wave = writer.wave * math.sin(10 * across + phase + 1.7 * line) * height
            y = base - wave - slope * (across - 0.4)
            x = round(SUPERSAMPLING * cursor) + left
            found.append(InkedWord(number, ink, x, round(SUPERSAMPLING * y) + top))
            cursor += advance + writer.space * height * math.exp(0.25 * rng.standard_normal())
    return found


def _draw_word(
    writer: FontWriter, word: str, size: float, rng: np.random.Generator
) -> tuple[Grey, int, int, float]:
    """The ink of a word, where it lies from the pen's first place, and how far the pen went."""
    size *= math.exp(0.03 * rng.standard_normal())
    font = _open(writer.font, round(size))
    box = font.getbbox(word, anchor="ls")
    left, top = math.floor(box[0]), math.floor(box[1])
    right, bottom = math.ceil(box[2]), math.ceil(box[3])
    image = need("PIL.Image").new("L", (max(right - left, 1), max(bottom - top, 1)))
    need("PIL.ImageDraw").Draw(image).text((-left, -top), word, fill=255, font=font, anchor="ls")
    unit = size / _EM * _x_height(writer.font)  # an x-height in pixels
    lean = writer.lean + 0.03 * rng.standard_normal()
    wide = writer.width * math.exp(0.04 * rng.standard_normal())
    # Around what the affine map makes of the word there must be room for the bends.
    corners = np.array([(wide * x - lean * y, y) for x in (left, right) for y in (top, bottom)])
    edge = math.ceil(3 * writer.bend * unit) + 2
    low = np.floor(corners.min(axis=0)).astype(int) - edge
    high = np.ceil(corners.max(axis=0)).astype(int) + edge
    columns, rows = (high - low).tolist()
    x, y = np.meshgrid(
        np.arange(columns, dtype=np.float32) + low[0], np.arange(rows, dtype=np.float32) + low[1]
    )
    amount, grain = writer.bend * unit, writer.grain * unit
    x += amount * _bends(rng, rows, columns, grain)
    y += 0.7 * amount * _bends(rng, rows, columns, grain)
    source = ((x + lean * y) / wide - left).astype(np.float32), (y - top).astype(np.float32)
    ink = cv2.remap(np.asarray(image), *source, cv2.INTER_LINEAR)
    share = float(np.clip(writer.weight + 0.15 * rng.standard_normal(), -0.8, 1.5))
    ink = _weigh(np.asarray(ink, np.uint8), share)
    depth = (205 + 40 * float(rng.random())) / 255
    advance = wide * font.getlength(word) / SUPERSAMPLING
    return np.rint(ink * depth).astype(np.uint8), int(low[0]), int(low[1]), advance


def _weigh(ink: Grey, share: float) -> Grey:
    """Ink with thicker or thinner strokes, by that share of a pixel and a half on each side."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    way = cv2.dilate if share > 0 else cv2.erode
    share = abs(share)
    while share > 1:
        ink, share = np.asarray(way(ink, kernel), np.uint8), share - 1
    return np.asarray(cv2.addWeighted(ink, 1 - share, way(ink, kernel), share, 0), np.uint8)


def _bends(rng: np.random.Generator, rows: int, columns: int, grain: float) -> NDArray[np.float32]:
    """Smooth noise of about unit size."""
    shape = (int(rows / grain) + 4, int(columns / grain) + 4)
    small = rng.standard_normal(shape, dtype=np.float32)
    return np.asarray(cv2.resize(small, (columns, rows), interpolation=cv2.INTER_CUBIC), np.float32)


@lru_cache(maxsize=256)
def _open(font: str, size: int) -> Any:
    try:
        return need("PIL.ImageFont").truetype(font, max(size, 8))
    except (OSError, ValueError) as error:
        raise CorpusError(f"it cannot be opened as a font: {error}") from error


@lru_cache(maxsize=1024)
def _x_height(font: str) -> float:
    """Height of the small letters in a font of ``_EM`` pixels."""
    heights = [-_open(font, _EM).getbbox(sign, anchor="ls")[1] for sign in "xzaeu"]
    return max(float(np.median(heights)), 0.1 * _EM)


@lru_cache(maxsize=1024)
def _reach(font: str) -> tuple[float, float]:
    """How far letters rise above and fall below the base line, in x-heights."""
    _, top, _, bottom = _open(font, _EM).getbbox("dhklgpy", anchor="ls")
    return max(-top / _x_height(font), 1.0), max(bottom / _x_height(font), 0.0)


@lru_cache(maxsize=1024)
def _signs(font: str) -> frozenset[str]:
    """The letters, digits and stops that a font has."""
    opened = _open(font, _EM)
    none = bytes(opened.getmask(_NO_SIGN))
    asked = {*LETTERS, *map(str.upper, LETTERS), *"0123456789.,;:-"}
    masks = {sign: opened.getmask(sign) for sign in asked}
    return frozenset(sign for sign, mask in masks.items() if mask.getbbox() and bytes(mask) != none)
