"""Synthetic pages of which every word is known: its box and its text.

    DIR/synthetic.json       version of the generator, seed, that these are words
    DIR/words.csv            file,x,y,w,h,text
    DIR/w0007/w0007_p2.jpg   the pages

Writers here join and slant their letters more than those of :mod:`.corpus`, as everyday hands do,
and abbreviate nothing, so that what is written is what the table says. The text is made of common
words of Latin and English and of syllables that never met before, so that all letters occur.
Every page depends on (version, seed, writer number, page number) and nothing else.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from ..engines import Engine, Here
from ..errors import CorpusError
from ..files import replacing
from ..records import Grey, PageProgress
from .corpus import claim_folder, seed_of, write_jpeg
from .pages import HEIGHT, VERSION, WIDTH, page_conditions
from .paper import Conditions, lay_on_sheet, photograph
from .pen import Strokes, draw_strokes
from .text import latin_words
from .writers import Writer, make_writer, stream
from .writing import write_text

Boxes = list[tuple[tuple[int, int, int, int], str]]  # left, top, right, bottom; text
COLUMNS = ("file", "x", "y", "w", "h", "text")

_WRITER, _TEXT, _REPETITION, _PAPER = 21, 22, 23, 24
_WORDS = 260  # more than any page holds
_EDGE = 2  # pixels between the ink and its box
_ENGLISH = """
the and that have with this from they would there their what about which when make like time just
know take people into year your good some could them other than then look only come over think also
back after work first well even want because these give most orders letter sir you captain company
colonel major regiment soldiers provisions winchester cumberland virginia october december
instructions necessary received immediately proper quantity behaviour gentlemen fort waggon horses
will each shall until upon under who has had were been very many where king queen john james
william mary night quick brown jump vex quiz box joke zeal hawk wax yoke fjord
"""
_SYLLABLES = """
b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t th tr v w x y z
a e i o u ai ea ee oo ou ie y
b ck d ft g k l m n nd ng p r rt s st t th v w x y z
"""  # how they begin, their vowels, how they end


def synthesize_words(
    folder: Path | str,
    *,
    writers: int = 100,
    pages: int = 5,
    seed: int = 1,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Path:
    """Write pages with known words into a folder; returns its words.csv.

    Pages that are there already are kept.
    """
    if min(writers, pages) < 1 or seed < 0:
        raise CorpusError(f"writers, pages and seed: {writers}, {pages}, {seed} make no corpus")
    folder = Path(folder)
    same = {"format": 1, "version": VERSION, "seed": seed, "words": True}
    claim_folder(folder, same, {**same, "writers": writers, "pages": pages})
    rows: dict[int, list[tuple[str | int, ...]]] = {}
    work = partial(_write_writer, folder, pages, seed)
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


def draw_word_page(writer_seed: int, page_seed: int) -> tuple[Grey, Boxes]:
    """Draw a page, and say where on it which word stands; boxes lie within the page."""
    strokes, words, conditions = _written(writer_seed, page_seed)
    ink = draw_strokes(strokes, HEIGHT, WIDTH)
    on_paper = stream(VERSION, _PAPER, page_seed)
    return photograph(ink, conditions, on_paper), _boxes(strokes, words)


def _written(writer_seed: int, page_seed: int) -> tuple[Strokes, list[str], Conditions]:
    conditions = page_conditions(page_seed)
    layout = replace(conditions.layout, initial=0)
    words = _text(stream(VERSION, _TEXT, page_seed))
    repetition = stream(VERSION, _REPETITION, writer_seed, page_seed)
    strokes = write_text(_everyday_writer(writer_seed), words, layout, repetition)
    centres = lay_on_sheet(strokes.centres, conditions, WIDTH, HEIGHT)
    return replace(strokes, centres=centres), words, conditions


def _everyday_writer(seed: int) -> Writer:
    writer = make_writer((VERSION, _WRITER, seed), None)
    rng = stream(VERSION, _WRITER, seed, 1)
    traits = replace(
        writer.traits,
        abbreviate=0.0,
        slant=writer.traits.slant + float(rng.uniform(-4, 34)),
        join=float(rng.uniform(0.3, 1)),
        word=writer.traits.word * float(rng.uniform(1.2, 2)),
    )
    return replace(writer, traits=traits)


def _text(rng: np.random.Generator) -> list[str]:
    english = _ENGLISH.split()
    latin = [word for word in latin_words(rng, _WORDS) if word.lower() != "et"]
    words = []
    for number, kind in enumerate(rng.random(_WORDS)):
        if kind < 0.4:
            word = english[int(rng.integers(len(english)))]
        elif kind < 0.7:
            word = latin[number % len(latin)]
        else:
            word = "".join(_syllable(rng) for _ in range(int(rng.integers(1, 4))))
        words.append(word.capitalize() if rng.random() < 0.12 else word)
    return words


def _syllable(rng: np.random.Generator) -> str:
    begin, vowel, end = (line.split() for line in _SYLLABLES.strip().splitlines())
    parts = [begin, vowel, end if rng.random() < 0.6 else [""]]
    return "".join(part[int(rng.integers(len(part)))] for part in parts)


def _boxes(strokes: Strokes, words: list[str]) -> Boxes:
    assert strokes.word is not None
    half = 0.5 * strokes.width[:, None] + _EDGE
    first = np.floor(strokes.centres - half).astype(int)
    last = np.ceil(strokes.centres + half).astype(int)
    found: Boxes = []
    for number in range(int(strokes.word.max(initial=-1)) + 1):
        own = strokes.word == number
        if not own.any():
            continue
        left, top = first[own].min(axis=0).tolist()
        right, bottom = last[own].max(axis=0).tolist()
        text = "".join(sign for sign in words[number] if sign.isalpha())
        if text and left >= 0 and top >= 0 and right <= WIDTH and bottom <= HEIGHT:
            found.append(((left, top, right, bottom), text))
    return found


def _write_writer(folder: Path, pages: int, seed: int, number: int) -> list[tuple[str | int, ...]]:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one process a core is the faster way
    rows: list[tuple[str | int, ...]] = []
    try:
        writer = seed_of(_WRITER, seed, number)
        for page in range(pages):
            name = f"w{number:04d}/w{number:04d}_p{page}.jpg"
            sheet = seed_of(_TEXT, seed, number, page)
            if (folder / name).exists():
                boxes = _boxes(*_written(writer, sheet)[:2])
            else:
                picture, boxes = draw_word_page(writer, sheet)
                write_jpeg(folder / name, picture, page_conditions(sheet).quality)
            for (left, top, right, bottom), text in boxes:
                rows.append((name, left, top, right - left, bottom - top, text))
    finally:
        cv2.setNumThreads(threads)
    return rows
