"""One page of one writer.

Three random streams, each from its own seeds: the writer (writer), the page (text, layout, paper,
ink, scan) and the repetition (writer and page together: how this writer wobbles on this page). Only
the first and the last know the writer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..names import check_name
from .paper import Conditions, draw_conditions, lay_on_sheet, photograph
from .pen import draw_strokes
from .scripts import SCRIPTS
from .text import latin_words
from .writers import make_writer, stream
from .writing import write_text

VERSION = 1  # of the generator: the same seeds give the same pages as long as this stays
WIDTH, HEIGHT = 1100, 840

_WRITER, _PAGE, _REPETITION = 1, 2, 3
_WORDS = 260  # more than any page holds


def draw_page(writer_seed: int, page_seed: int, script: str | None = None) -> NDArray[np.uint8]:
    """Draw a page (height × width, grey) of the writer ``writer_seed``.

    The text, paper, ink and scan follow from ``page_seed`` alone. Without ``script`` the writer
    uses any of the twelve.
    """
    if script is not None:
        check_name(script, SCRIPTS, "script")
    for name, seed in (("writer_seed", writer_seed), ("page_seed", page_seed)):
        if seed < 0:
            raise ValueError(f"{name} must not be negative, got {seed}")
    writer = make_writer((VERSION, _WRITER, writer_seed), script)
    on_words, on_paper = _page_streams(page_seed)[1:]
    conditions = page_conditions(page_seed)
    words = latin_words(on_words, _WORDS)
    repetition = stream(VERSION, _REPETITION, writer_seed, page_seed)
    strokes = write_text(writer, words, conditions.layout, repetition)
    centres = lay_on_sheet(strokes.centres, conditions, WIDTH, HEIGHT)
    ink = draw_strokes(replace(strokes, centres=centres), HEIGHT, WIDTH)
    return photograph(ink, conditions, on_paper)


def page_conditions(page_seed: int) -> Conditions:
    """Return the layout, paper, ink and scan of a page; they do not depend on the writer."""
    return draw_conditions(_page_streams(page_seed)[0], WIDTH, HEIGHT)


def _page_streams(page_seed: int) -> list[np.random.Generator]:
    children = np.random.SeedSequence((VERSION, _PAGE, page_seed)).spawn(3)
    return [np.random.Generator(np.random.PCG64(child)) for child in children]
