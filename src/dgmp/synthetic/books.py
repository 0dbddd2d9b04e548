"""Synthetic books whose scribes change at known lines, some at a page border, some within a page.

    DIR/synthetic.json       version of the generator, seed, that these are books
    DIR/pages.csv            file, manuscript (the book), page
    DIR/book00/f001.jpg      the pages
    DIR/truth/lines.csv      file, first_line, last_line, top, bottom, writer: who wrote which lines

Lines count from 1; top and bottom are pixels of the page, half way between two lines. All scribes
of a book write one script, as scribes of a scriptorium would. Two books in turn share that script
and one scribe: the first book's last one begins the second. Paper, scale and scan are drawn anew
for every page, as in :mod:`.corpus`. Every book depends on (version, seed, its number) and its
number of pages.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from ..engines import Engine, Here
from ..files import replacing
from ..records import PageProgress
from .corpus import claim_folder, seed_of, write_jpeg
from .pages import VERSION
from .paper import Conditions, draw_conditions, lay_on_sheet, photograph
from .pen import Strokes, draw_strokes
from .scripts import SCRIPTS
from .text import latin_words
from .writers import make_writer, stream
from .writing import write_text

WIDTH, HEIGHT = 1100, 1600  # some twenty lines
MOST_SCRIBES = 4
TRUTH = "truth/lines.csv"
COLUMNS = ("file", "first_line", "last_line", "top", "bottom", "writer")

_BOOK, _SHEET, _STINT, _SCRIBE = 11, 12, 13, 14
_WORDS = 600  # more than any page holds
_LEAST_STINT = 6  # lines: a scribe who wrote less would not be found


@dataclass(frozen=True)
class Stint:
    """Lines of one page by one scribe."""

    first: int  # from 0
    last: int
    scribe: tuple[int, int]  # the book whose scribe that is, and which of them


@dataclass(frozen=True)
class Book:
    """What a book holds: who wrote which lines of each of its pages."""

    seed: int
    number: int
    script: str
    pages: tuple[tuple[Stint, ...], ...]
    sheets: tuple[int, ...]  # seeds of the pages

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"book{self.number:02d}"

    def file(self, page: int) -> str:
        """The file of a page; pages count from 0, their names from 1."""
        return f"{self.name}/f{page + 1:03d}.jpg"


def synthesize_books(
    folder: Path | str,
    *,
    books: int = 6,
    pages: int = 12,
    seed: int = 1,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Path:
    """Write books of ``pages`` pages, by one to four scribes each; returns the table of truth.

    Pages that are there already are kept.
    """
    for name, value, least in (("books", books, 1), ("pages", pages, 1), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    folder = Path(folder)
    # The number of pages decides where scribes change, so it is part of what a folder holds.
    same = {"format": 1, "version": VERSION, "seed": seed, "books": True, "pages": pages}
    claim_folder(folder, same, same)
    work = partial(_write_book, folder, pages, seed)
    for _, done in (engine or Here()).map(work, range(books)):
        if progress is not None:
            progress(done)
    plans = [plan_book(seed, number, pages) for number in range(books)]
    _write_table(
        folder / "pages.csv",
        ("file", "manuscript", "page"),
        ((plan.file(page), plan.name, page + 1) for plan in plans for page in range(pages)),
    )
    truth = folder / TRUTH
    _write_table(truth, COLUMNS, (row for plan in plans for row in _truth(plan)))
    return truth


def plan_book(seed: int, number: int, pages: int) -> Book:
    """Who writes what in a book, by its number."""
    own = stream(VERSION, _BOOK, seed, number)
    pair = stream(VERSION, _BOOK, seed, number // 2, 0)
    script = list(SCRIPTS)[int(pair.integers(len(SCRIPTS)))]
    scribes = [(number, each) for each in range(_number_of_scribes(seed, number))]
    if number % 2:
        scribes[0] = number - 1, _number_of_scribes(seed, number - 1) - 1
    sheets = tuple(seed_of(_SHEET, seed, number, page) for page in range(pages))
    lines = [_sheet(sheet).layout.lines for sheet in sheets]
    starts = np.cumsum([0, *lines])
    cuts = _changes(own, starts, len(scribes))
    order = _turns(own, len(scribes), len(cuts) + 1)
    edges = [0, *cuts, int(starts[-1])]
    found: list[tuple[Stint, ...]] = []
    for page in range(pages):
        begin, end = int(starts[page]), int(starts[page + 1])
        found.append(
            tuple(
                Stint(max(first, begin) - begin, min(last, end) - begin - 1, scribes[turn])
                for first, last, turn in zip(edges[:-1], edges[1:], order, strict=True)
                if first < end and last > begin
            )
        )
    return Book(seed, number, script, tuple(found), sheets)


def draw_book_page(book: Book, page: int) -> NDArray[np.uint8]:  # (height, width)
    """Draw a page of a book."""
    sheet = book.sheets[page]
    conditions = _sheet(sheet)
    layout = conditions.layout
    words = latin_words(stream(VERSION, _SHEET, sheet, 1), _WORDS)
    written = []
    for number, stint in enumerate(book.pages[page]):
        writer = make_writer((VERSION, _SCRIBE, book.seed, *stint.scribe), book.script)
        own = replace(
            layout,
            first_line=layout.first_line + stint.first * layout.line_distance,
            lines=stint.last - stint.first + 1,
            initial=layout.initial if number == 0 and stint.last >= layout.initial else 0,
        )
        part = words[number * _WORDS // len(book.pages[page]) :]
        repetition = stream(VERSION, _STINT, *stint.scribe, sheet, number)
        written.append(write_text(writer, part, own, repetition))
    strokes = _joined(written)
    centres = lay_on_sheet(strokes.centres, conditions, WIDTH, HEIGHT)
    ink = draw_strokes(replace(strokes, centres=centres), HEIGHT, WIDTH)
    return photograph(ink, conditions, stream(VERSION, _SHEET, sheet, 2))


def _sheet(seed: int) -> Conditions:
    """The conditions of a page, with a margin above the first line and below the last."""
    found = draw_conditions(stream(VERSION, _SHEET, seed, 0), WIDTH, HEIGHT)
    layout = found.layout
    first = layout.first_line + 0.6 * layout.line_distance
    lines = int((HEIGHT - first) / layout.line_distance - 0.4) + 1
    return replace(found, layout=replace(layout, first_line=first, lines=lines))


def _number_of_scribes(seed: int, number: int) -> int:
    return 1 + int(stream(VERSION, _BOOK, seed, number, 1).integers(MOST_SCRIBES))


def _changes(rng: np.random.Generator, starts: NDArray[np.intp], scribes: int) -> list[int]:
    """At which lines of the book another scribe begins: in turn within a page and at its border."""
    total = int(starts[-1])
    wanted = 0 if scribes == 1 else int(rng.integers(scribes - 1, 2 * scribes))
    cuts: list[int] = []
    for number in range(wanted):
        lines = np.arange(1, total)
        from_border = np.abs(lines[:, None] - starts).min(axis=1)
        lines = lines[from_border == 0 if number % 2 else from_border >= _LEAST_STINT]
        edges = np.array([0, *cuts, total])
        lines = lines[np.abs(lines[:, None] - edges).min(axis=1) >= _LEAST_STINT]
        if len(lines):
            cuts.append(int(rng.choice(lines)))
    return sorted(cuts)


def _turns(rng: np.random.Generator, scribes: int, stints: int) -> list[int]:
    """Which scribe writes each stint: all in turn first, never one twice running."""
    order = list(range(min(scribes, stints)))
    while len(order) < stints:
        others = [scribe for scribe in range(scribes) if scribe != order[-1]]
        order.append(others[int(rng.integers(len(others)))])
    return order


def _joined(written: list[Strokes]) -> Strokes:
    """The strokes of several scribes, the pen lifted in between."""
    drawn = [np.append(strokes.drawn, False) for strokes in written]
    return Strokes(
        centres=np.concatenate([strokes.centres for strokes in written]),
        width=np.concatenate([strokes.width for strokes in written]),
        thickness=np.concatenate([strokes.thickness for strokes in written]),
        angle=np.concatenate([strokes.angle for strokes in written]),
        drawn=np.concatenate(drawn)[:-1],
        ink=np.concatenate([strokes.ink for strokes in written]),
    )


def _write_book(folder: Path, pages: int, seed: int, number: int) -> int:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one process a core is the faster way
    try:
        book = plan_book(seed, number, pages)
        for page in range(pages):
            file = folder / book.file(page)
            if not file.exists():
                write_jpeg(file, draw_book_page(book, page), _sheet(book.sheets[page]).quality)
    finally:
        cv2.setNumThreads(threads)
    return pages


def _truth(book: Book) -> Iterator[tuple[str | int, ...]]:
    for page, stints in enumerate(book.pages):
        layout = _sheet(book.sheets[page]).layout
        for stint in stints:
            # Three quarters of a line are above its base line.
            top = layout.first_line + (stint.first - 0.75) * layout.line_distance
            bottom = layout.first_line + (stint.last + 0.25) * layout.line_distance
            rows = max(round(top), 0), min(round(bottom), HEIGHT)
            own, each = stint.scribe
            writer = f"book{own:02d}-scribe{each + 1}"
            yield book.file(page), stint.first + 1, stint.last + 1, *rows, writer


def _write_table(path: Path, head: tuple[str, ...], rows: Iterator[tuple[str | int, ...]]) -> None:
    with replacing(path) as beside, beside.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        table.writerows(rows)
