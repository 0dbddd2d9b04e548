"""Synthetic pages of which every word is known: its box and its text.

    DIR/synthetic.json       version of the generator, seed, that these are words
    DIR/words.csv            file,x,y,w,h,text
    DIR/w0007/w0007_p2.jpg   the pages

Four of five writers use an everyday round hand (:mod:`.round_hand`), the others a book hand like
those of :mod:`..corpus`, with letters that join and slant more. They abbreviate nothing, so that
what is written is what the table says. With a folder of fonts all writers use these instead
(:mod:`.font_hand`), in turn. The text is made of common words of English and Latin, of
parts of words that never met before, and in round hands of some numbers, so that all letters occur.
Every page depends on (version, seed, writer number, page number) and nothing else.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from ...engines import Engine, Here
from ...errors import CorpusError
from ...files import replacing
from ...records import Grey, PageProgress
from ..corpus import claim_folder, seed_of, write_jpeg
from ..pages import HEIGHT, VERSION, WIDTH, page_conditions
from ..paper import Conditions, lay_on_sheet, photograph
from ..pen import Strokes, draw_strokes
from ..text import latin_words
from ..writers import Writer, make_writer, stream
from ..writing import PageLayout, write_text
from .english import english_words
from .font_hand import (
    SUPERSAMPLING,
    InkedWord,
    digest_of,
    make_font_writer,
    write_font_hand,
)
from .round_hand import make_round_writer, write_round_hand

Boxes = list[tuple[tuple[int, int, int, int], str]]  # left, top, right, bottom; text
Extents = dict[int, tuple[int, int, int, int]]  # of the ink, by the number of the word
COLUMNS = ("file", "x", "y", "w", "h", "text")

_WRITER, _TEXT, _REPETITION, _PAPER, _BOX = 21, 22, 23, 24, 25
_WORDS = 260  # more than any page holds
_INK = 60  # of 255: more is seen
_EDGE = 2  # pixels between the ink and its box, at least
_LOOSE = 0.15  # of the line distance, on each side and at most
_VERSION = 2  # of pages with known words: the same seeds give the same pages
_ROUND = 0.8  # of the writers use a round hand


def synthesize_words(
    folder: Path | str,
    *,
    writers: int = 100,
    pages: int = 5,
    seed: int = 1,
    fonts: Sequence[Path] = (),
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Path:
    """Write pages with known words into a folder; returns its words.csv.

    Pages that are there already are kept. The writers take ``fonts`` in turn: see
    :func:`find_fonts`.
    """
    if min(writers, pages) < 1 or seed < 0:
        raise CorpusError(f"writers, pages and seed: {writers}, {pages}, {seed} make no corpus")
    folder = Path(folder)
    same: dict[str, object] = {"format": 1, "version": VERSION, "seed": seed, "words": _VERSION}
    if fonts:
        same["fonts"] = digest_of(fonts)
    claim_folder(folder, same, {**same, "writers": writers, "pages": pages})
    rows: dict[int, list[tuple[str | int, ...]]] = {}
    work = partial(_write_writer, folder, pages, seed, fonts)
    for number, of_writer in (engine or Here()).map(work, range(writers)):
        rows[number] = of_writer
        if progress is not None:
            progress(pages)
    table = folder / "words.csv"
    with replacing(table) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for number in sorted(rows):
            lines.writerows(rows[number])
    return table


def draw_word_page(
    writer_seed: int, page_seed: int, font: Path | None = None
) -> tuple[Grey, Boxes]:
    """Draw a page, and say where on it which word stands; boxes lie within the page."""
    ink, boxes = _written(writer_seed, page_seed, font)
    return _photographed(ink, page_seed), boxes


def _photographed(ink: Grey, page_seed: int) -> Grey:
    return photograph(ink, _conditions(page_seed), stream(_VERSION, _PAPER, page_seed))


def _conditions(page_seed: int) -> Conditions:
    """Those of any page, without an initial, and with ink that leaves words to be read."""
    found = page_conditions(page_seed)
    return replace(
        found,
        layout=replace(found.layout, initial=0),
        ink=0.7 * found.ink,
        fade=0.5 * found.fade,
        ruling=0.5 * found.ruling,
        bleed=0.5 * found.bleed,
    )


def _written(writer_seed: int, page_seed: int, font: Path | None) -> tuple[Grey, Boxes]:
    """The ink of a page, and the boxes of its words."""
    conditions = _conditions(page_seed)
    on_words = stream(_VERSION, _TEXT, page_seed)
    repetition = stream(_VERSION, _REPETITION, writer_seed, page_seed)
    if font is not None:
        words = english_words(on_words, _WORDS, numbers=True)
        writer = make_font_writer(font, (_VERSION, _WRITER, writer_seed, 4))
        inked = write_font_hand(writer, words, conditions.layout, repetition)
        ink, extents = _lay_words(inked, conditions)
    else:
        strokes, words = _by_pen(writer_seed, on_words, conditions.layout, repetition)
        centres = lay_on_sheet(strokes.centres, conditions, WIDTH, HEIGHT)
        strokes = replace(strokes, centres=centres)
        ink, extents = draw_strokes(strokes, HEIGHT, WIDTH), _extents(strokes)
    loose = _LOOSE * conditions.layout.line_distance
    return ink, _boxes(extents, words, loose, stream(_VERSION, _BOX, writer_seed, page_seed))


def _by_pen(
    writer_seed: int,
    on_words: np.random.Generator,
    layout: PageLayout,
    repetition: np.random.Generator,
) -> tuple[Strokes, list[str]]:
    if stream(_VERSION, _WRITER, writer_seed, 2).random() < _ROUND:
        words = english_words(on_words, _WORDS, numbers=True)
        hand = make_round_writer((_VERSION, _WRITER, writer_seed, 3))
        return write_round_hand(hand, words, layout, repetition), words
    words = _mixed_words(on_words)
    return write_text(_book_writer(writer_seed), words, layout, repetition), words


def _book_writer(seed: int) -> Writer:
    """A writer of a book hand who joins and slants the letters, and abbreviates nothing."""
    writer = make_writer((_VERSION, _WRITER, seed), None)
    rng = stream(_VERSION, _WRITER, seed, 1)
    traits = replace(
        writer.traits,
        abbreviate=0.0,
        slant=writer.traits.slant + float(rng.uniform(-4, 34)),
        join=float(rng.uniform(0.3, 1)),
        word=writer.traits.word * float(rng.uniform(1.2, 2)),
    )
    return replace(writer, traits=traits)


def _mixed_words(rng: np.random.Generator) -> list[str]:
    latin = [word for word in latin_words(rng, _WORDS) if word.lower() != "et"]
    english = ["".join(filter(str.isalpha, word)) for word in english_words(rng, _WORDS)]
    return [
        latin[number % len(latin)] if kind < 0.3 else english[number]
        for number, kind in enumerate(rng.random(_WORDS))
    ]


def _extents(strokes: Strokes) -> Extents:
    """The rectangle of the ink of each word."""
    assert strokes.word is not None
    half = 0.5 * strokes.width[:, None] + _EDGE
    first = np.floor(strokes.centres - half).astype(int)
    last = np.ceil(strokes.centres + half).astype(int)
    found: Extents = {}
    for number in range(int(strokes.word.max(initial=-1)) + 1):
        own = strokes.word == number
        if own.any():
            left, top = first[own].min(axis=0).tolist()
            right, bottom = last[own].max(axis=0).tolist()
            found[number] = left, top, right, bottom
    return found


def _lay_words(inked: Sequence[InkedWord], conditions: Conditions) -> tuple[Grey, Extents]:
    """The ink of words on an empty sheet, and the rectangle of each."""
    canvas = np.zeros((HEIGHT * SUPERSAMPLING, WIDTH * SUPERSAMPLING), np.uint8)
    found: Extents = {}
    for word in inked:
        rows, columns = word.ink.shape
        start = np.array([[word.left + columns / 2, word.top + rows / 2]]) / SUPERSAMPLING
        moved = lay_on_sheet(start, conditions, WIDTH, HEIGHT) - start
        across, down = np.rint(SUPERSAMPLING * moved[0]).astype(int).tolist()
        left, top = word.left + across, word.top + down
        inside = canvas[max(top, 0) : max(top + rows, 0), max(left, 0) : max(left + columns, 0)]
        part = word.ink[max(-top, 0) :, max(-left, 0) :][: inside.shape[0], : inside.shape[1]]
        np.maximum(inside, part, out=inside)
        x, y, wide, high = cv2.boundingRect((word.ink > _INK).astype(np.uint8))
        if wide and high:
            found[word.number] = (
                (left + x) // SUPERSAMPLING - _EDGE,
                (top + y) // SUPERSAMPLING - _EDGE,
                -((left + x + wide) // -SUPERSAMPLING) + _EDGE,
                -((top + y + high) // -SUPERSAMPLING) + _EDGE,
            )
    ink = cv2.resize(canvas, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    return np.asarray(ink, np.uint8), found


def _boxes(extents: Extents, words: list[str], loose: float, rng: np.random.Generator) -> Boxes:
    """Boxes around the ink of words, as loose as people draw them: up to so many pixels."""
    edges = np.rint(rng.uniform(0, loose, (len(words), 4))).astype(int)
    found: Boxes = []
    for number, (left, top, right, bottom) in extents.items():
        text = "".join(sign for sign in words[number] if sign.isalnum())
        if text and left >= 0 and top >= 0 and right <= WIDTH and bottom <= HEIGHT:
            left, top = np.maximum((left, top) - edges[number, :2], 0).tolist()
            right, bottom = np.minimum(
                (right, bottom) + edges[number, 2:], (WIDTH, HEIGHT)
            ).tolist()
            found.append(((left, top, right, bottom), text))
    return found


def _write_writer(
    folder: Path, pages: int, seed: int, fonts: Sequence[Path], number: int
) -> list[tuple[str | int, ...]]:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one process a core is the faster way
    rows: list[tuple[str | int, ...]] = []
    try:
        writer = seed_of(_WRITER, seed, number)
        font = fonts[number % len(fonts)] if fonts else None
        for page in range(pages):
            name = f"w{number:04d}/w{number:04d}_p{page}.jpg"
            sheet = seed_of(_TEXT, seed, number, page)
            ink, boxes = _written(writer, sheet, font)
            if not (folder / name).exists():
                picture = _photographed(ink, sheet)
                write_jpeg(folder / name, picture, page_conditions(sheet).quality)
            for (left, top, right, bottom), text in boxes:
                rows.append((name, left, top, right - left, bottom - top, text))
    finally:
        cv2.setNumThreads(threads)
    return rows
