"""A page in bands of a few lines: parts small enough to show where on a page the hand changes.

The page is prepared as it is for description, so the distance between its lines is known. A column
of text is cut into bands of about ``LINES`` lines, all of about one height; each cut lies in the
row with the least ink around, which is the gap between two lines. Rows are horizontal: where lines
run more aslant than their gaps are wide, a cut touches some letters at the ends of lines. The bands
of a column cover it without a gap. One with little ink joins its neighbour: the end of a chapter.

Without a layout file the page is one column. With one, text regions that lie one below the other
are a column, of the size of their bounds; columns come in the order of the layout file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..records import Page, Region
from .preparation import Preparation, prepare_page

# On synthetic books (benchmarks/books.py) bands of 3 lines rank as well, mAP 0.966 and 0.968, but
# group worse, adjusted Rand index 0.13 and 0.22.
LINES = 5
LEAST_INK = 0.4  # of the median band: what joins its neighbour is less than two lines
_OVERLAP = 0.5  # of the narrower region: more, and both are of one column
_SEARCH = 0.6  # of the line distance to both sides: there is a gap between two lines in it
_SMOOTH = 0.25  # of the line distance: the middle of a gap, not a hole in a line
_EDGE = 0.005  # of the ink of a column: what lies further out is dirt or a lone ascender


def find_bands(page: Page, lines: int = LINES) -> tuple[float, tuple[Region, ...]]:
    """The distance between the lines of a page, and its bands; both in pixels of the scan."""
    if lines < 1:
        raise ValueError(f"lines must be at least 1, got {lines}")
    image = prepare_page(page, Preparation())
    assert image.line_distance is not None, "it was brought to a scale"
    ink = image.pixels == 0
    height, width = ink.shape
    distance = image.line_distance * image.zoom
    found: list[Region] = []
    (whole,) = image.on_scan(np.array([(0, 0, width, height)]))
    for column in columns(page.regions or (whole,)):
        placed = (np.array(column) - (*image.offset, *image.offset)) * image.zoom
        left, top = np.rint(placed[:2]).clip(0).astype(int).tolist()
        right, bottom = np.minimum(np.rint(placed[2:]), (width, height)).astype(int).tolist()
        rows = ink[top:bottom, left:right].sum(axis=1, dtype=np.int64)
        if not rows.any():
            continue
        cuts = [top + row for row in cut_rows(rows, distance, lines)]
        bands = np.array([(left, above, right, below) for above, below in pairwise(cuts)])
        for region in image.on_scan(bands):
            corners = tuple((float(round(x)), float(round(y))) for x, y in region.corners)
            found.append(Region(corners))
    return image.line_distance, tuple(found)


def cut_rows(rows: NDArray[np.int64], distance: float, lines: int) -> list[int]:
    """Where a column is cut, from its first row to the one behind its last.

    ``rows`` is the ink of every row, some of it above 0, ``distance`` that between lines.
    """
    total = rows.cumsum()
    first, last = np.searchsorted(total, [_EDGE * total[-1], (1 - _EDGE) * total[-1]])
    number = round((last - first + 0.3 * distance) / (lines * distance))  # 0.3: ascenders
    if number < 2:
        return [0, len(rows)]
    sigma = _SMOOTH * distance
    reach = np.arange(-math.ceil(3 * sigma), math.ceil(3 * sigma) + 1)
    window = np.exp(-0.5 * (reach / sigma) ** 2)
    smooth = np.convolve(np.pad(rows, len(reach) // 2), window, mode="valid")
    cuts = []
    for ideal in np.linspace(first, last, number + 1)[1:-1]:
        begin = max(math.floor(ideal - _SEARCH * distance), 1)
        near = smooth[begin : math.ceil(ideal + _SEARCH * distance) + 1]
        cuts.append(begin + int(near.argmin()))
    return _without_thin(total, [0, *cuts, len(rows)])


def columns(regions: Sequence[Region]) -> list[tuple[float, float, float, float]]:
    """The bounds of regions that lie one below the other, in the order of the first of each."""
    found: list[tuple[float, float, float, float]] = []
    for bounds in (region.bounds for region in regions):
        together = [column for column in found if _overlap(column, bounds)]
        joined = [bounds, *together]
        whole = (
            min(b[0] for b in joined),
            min(b[1] for b in joined),
            max(b[2] for b in joined),
            max(b[3] for b in joined),
        )
        place = found.index(together[0]) if together else len(found)
        found = [column for column in found if column not in together]
        found.insert(place, whole)
    return found


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    shared = min(one[2], other[2]) - max(one[0], other[0])
    return shared > _OVERLAP * min(one[2] - one[0], other[2] - other[0])


def _without_thin(total: NDArray[np.int64], cuts: list[int]) -> list[int]:
    """The cuts without those around bands of little ink, which join the neighbour that has less."""
    ink = [int(b) for b in np.diff([0, *(total[row - 1] for row in cuts[1:])])]
    least = LEAST_INK * float(np.median(ink))
    while len(ink) > 1 and min(ink) < least:
        thin = int(np.argmin(ink))
        sides = [side for side in (thin - 1, thin + 1) if 0 <= side < len(ink)]
        first = min(thin, min(sides, key=lambda side: ink[side]))
        ink[first : first + 2] = [ink[first] + ink[first + 1]]
        del cuts[first + 1]
    return cuts
