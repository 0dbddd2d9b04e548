"""Cosines that do not depend on the order of the pages, nor on how the work is cut.

A matrix product adds in an order that changes with block size, processor and place in the matrix.
Two copies of one page then differ in the last bit of their similarity to a third, and ties are
broken by chance. Here unit rows are rounded to multiples of 2⁻²⁶ and multiplied as whole numbers
held in float64: since ‖x‖ ≤ 2²⁶ for a row x, every partial sum of x·y stays below 2⁵³ (Cauchy and
Schwarz), nothing is rounded, and BLAS may add in any order it likes. The cosines are off by about
1e-8 from those of the rows as given, a few times better than a product in float32.

Only a block of queries times the gallery is ever held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..records import Floats

SCALE = 2.0**26
BLOCK_BYTES = 2**27  # of similarities held at a time


def unit_rows(vectors: NDArray[Any], ids: Sequence[str], name: str = "vectors") -> Floats:
    """Rows of length one in float64; a row that has no direction is named."""
    rows = np.empty(vectors.shape)
    step = max(1, BLOCK_BYTES // (8 * vectors.shape[1]))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        part[:] = vectors[start : start + step]
        # Divided by its largest entry first, so that no square over- or underflows.
        largest = np.abs(part).max(axis=1)
        bad = np.flatnonzero(~np.isfinite(largest))
        if len(bad):
            raise ValueError(f"{name}: the row of {ids[start + bad[0]]!r} is not finite")
        empty = np.flatnonzero(largest == 0)
        if len(empty):
            raise ValueError(
                f"{name}: the row of {ids[start + empty[0]]!r} is all zero and has no direction; "
                "leave pages without ink out"
            )
        part /= largest[:, None]
        part /= np.sqrt((part * part).sum(axis=1))[:, None]
    return rows


def whole_rows(vectors: NDArray[Any], ids: Sequence[str], name: str = "vectors") -> Floats:
    """Unit rows as whole numbers: multiples of 2⁻²⁶, times 2²⁶."""
    rows = unit_rows(vectors, ids, name)
    rows *= SCALE
    return np.rint(rows, out=rows)


def block_size(gallery: int) -> int:
    """How many queries at a time: what 128 MiB hold."""
    return max(1, BLOCK_BYTES // (8 * gallery))


def similarity_blocks(queries: Floats, gallery: Floats) -> Iterator[tuple[int, Floats]]:
    """Whole-number rows to exact cosines: the first query of each block, and (block, gallery).

    The block may be written into by the caller; the next one overwrites it.
    """
    step = min(block_size(len(gallery)), len(queries))
    held = np.empty((step, len(gallery)))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        cosines = np.matmul(part, gallery.T, out=held[: len(part)])
        cosines *= 1 / SCALE**2  # a power of two: still exact
        yield start, cosines
