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

from .checks import Floats, Places

SCALE = 2.0**26
BLOCK_BYTES = 2**27  # of similarities held at a time


class RerankedVectors(np.ndarray[Any, Any]):
    """An array that remembers which re-ranking made it, so that Scores can say so."""

    reranked: str | None = None

    def __array_finalize__(self, source: object) -> None:
        self.reranked = getattr(source, "reranked", None)


def mark(vectors: NDArray[Any], source: object, method: str) -> RerankedVectors:
    """The vectors with the method written on them, after those already on the source."""
    marked = np.asarray(vectors).view(RerankedVectors)
    marked.reranked = stacked(reranked_by(source), method)
    return marked


def reranked_by(vectors: object) -> str | None:
    """What is written on the vectors."""
    return getattr(vectors, "reranked", None)


def stacked(*methods: str | None) -> str | None:
    """Methods one after the other."""
    return " → ".join(method for method in methods if method) or None


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


def block_size(gallery: int, block: int | None = None) -> int:
    """How many queries at a time; by default what 128 MiB hold."""
    if block is None:
        return max(1, BLOCK_BYTES // (8 * gallery))
    if block < 1:
        raise ValueError(f"block must be at least 1 query, got {block}")
    return block


def similarity_blocks(
    queries: Floats, gallery: Floats, block: int | None = None
) -> Iterator[tuple[int, Floats]]:
    """Whole-number rows to exact cosines: the first query of each block, and (block, gallery).

    The block may be written into by the caller; the next one overwrites it.
    """
    step = min(block_size(len(gallery), block), len(queries))
    held = np.empty((step, len(gallery)))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        cosines = np.matmul(part, gallery.T, out=held[: len(part)])
        cosines *= 1 / SCALE**2  # a power of two: still exact
        yield start, cosines


def nearest(similarities: Floats, k: int) -> Places:
    """The columns of the k largest of each row, largest first, the earlier column when equal.

    ``similarities`` is used up. For the few neighbours of re-ranking, k passes are cheaper than a
    sort, and argmax breaks ties by itself.
    """
    if k > 32:
        return np.argsort(-similarities, axis=1, kind="stable")[:, :k]
    found = np.empty((len(similarities), k), dtype=np.intp)
    rows = np.arange(len(similarities))
    for place in range(k):
        found[:, place] = similarities.argmax(axis=1)
        similarities[rows, found[:, place]] = -np.inf
    return found
