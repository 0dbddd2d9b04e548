"""Where the text of a page is, and the patches that hold most of it.

A page is brought to 76 pixels between its lines. Each line covers a band around its baseline, on a
grid of cells of 8 pixels, and the patch of at most the set's size that covers the most cells is
taken, cut down to the text in it. A further patch of the same page is the one with the most cells
that no patch before it has. Where several are equal, the topmost and then the leftmost is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dgmp.corpora.layout_files import Line

LINE_DISTANCE = 76.0  # pixels between lines after scaling
CELL = 8  # pixels
# What a line covers above and below its baseline and beside its outline, in line distances: fitted
# to the sizes of the images of four pages, which they give exactly.
ABOVE, BELOW, BESIDE = 0.82, 0.45, 0.32

Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class Patch:
    """A patch of the scaled page, in its pixels."""

    left: int
    top: int
    width: int
    height: int


def text_patches(
    lines: Sequence[Line],
    scale: float,
    page: tuple[int, int],
    largest: tuple[int, int],
    number: int,
) -> list[Patch]:
    """The ``number`` patches with the most text, or fewer where no text is left.

    ``lines`` are in pixels of the scan; ``page`` and ``largest`` are (width, height) after scaling.
    """
    text = text_cells(lines, scale, page)
    left_over = text.copy()
    patches = []
    while len(patches) < number and left_over.any():
        rows, columns = _fullest(left_over, largest)
        left_over[rows, columns] = False
        patches.append(_trimmed(text, rows, columns, page))
    return patches


def text_cells(lines: Sequence[Line], scale: float, page: tuple[int, int]) -> Cells:
    """The cells of the scaled page that a line covers."""
    width, height = page
    cells = np.zeros((_up(height), _up(width)), bool)
    for line in lines:
        base = line.height * scale
        rows = _reach(base - ABOVE * LINE_DISTANCE, base + BELOW * LINE_DISTANCE)
        xs = [x * scale for x, _ in line.outline] or [line.left * scale, line.right * scale]
        beside = BESIDE * LINE_DISTANCE
        cells[rows, _reach(min(xs) - beside, max(xs) + beside)] = True
    return cells


def _reach(start: float, end: float) -> slice:
    return slice(max(int(start // CELL), 0), max(_up(end), 0))


def _up(pixels: float) -> int:
    return int(-(-pixels // CELL))


def _fullest(cells: Cells, largest: tuple[int, int]) -> tuple[slice, slice]:
    """Rows and columns of the patch with the most cells, by sums over all patches at once."""
    width, height = (
        min(side // CELL, limit) for side, limit in zip(largest, cells.shape[::-1], strict=True)
    )
    sums = np.pad(cells.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    inside = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width]
    inside += sums[:-height, :-width]
    top, left = np.unravel_index(inside.argmax(), inside.shape)
    return slice(int(top), int(top) + height), slice(int(left), int(left) + width)


def _trimmed(text: Cells, rows: slice, columns: slice, page: tuple[int, int]) -> Patch:
    """The patch without the empty cells around its text, and without what is beyond the page."""
    ys, xs = np.nonzero(text[rows, columns])
    left, top = (columns.start + int(xs.min())) * CELL, (rows.start + int(ys.min())) * CELL
    right = min((columns.start + int(xs.max()) + 1) * CELL, page[0])
    bottom = min((rows.start + int(ys.max()) + 1) * CELL, page[1])
    return Patch(left, top, right - left, bottom - top)
