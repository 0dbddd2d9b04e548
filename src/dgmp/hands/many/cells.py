"""Short vectors in cells: pages that point the same way lie together.

The centres come from a sample by spherical k-means: every vector goes to the centre it has the
largest product with, every centre becomes the direction of the mean of its vectors. There are about
2√n cells of √n/2 pages, so that finding the cells near to a page costs as much as looking through
some of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...files import replacing
from ...names import need
from ...records import PageProgress

_EACH = 50  # pages that a centre is learned from
_ROUNDS = 8
_BLOCK = 8192  # pages


@dataclass(frozen=True, eq=False)
class Cells:
    """Pages in the order of their cells."""

    centres: NDArray[np.float32]  # (cells, short), of unit length
    order: NDArray[np.int32]  # (pages,): the pages of the first cell, then of the next
    starts: NDArray[np.int64]  # (cells + 1,): where in the order each begins

    def save(self, path: Path) -> None:
        """Write them, whole or not at all."""
        with replacing(path) as beside, beside.open("wb") as file:
            np.savez(file, centres=self.centres, order=self.order, starts=self.starts)

    @classmethod
    def load(cls, path: Path) -> Cells:
        """What :meth:`save` wrote."""
        with np.load(path) as stored:
            return cls(stored["centres"], stored["order"], stored["starts"])


def find_cells(
    shorts: NDArray[np.float16],  # (pages, short)
    progress: PageProgress | None = None,
) -> Cells:
    """The cells of all pages; ``progress`` is called with those that have theirs."""
    generator = np.random.default_rng(0)
    pages = len(shorts)
    number = max(1, min(pages, round(2 * math.sqrt(pages))))
    chosen = generator.choice(pages, min(pages, _EACH * number), replace=False)
    sample = _unit(shorts[np.sort(chosen)])
    centres = sample[generator.choice(len(sample), number, replace=False)]
    sparse = need("scipy.sparse")
    for _ in range(_ROUNDS):
        cells = _nearest(sample, centres)
        ones = np.ones(len(cells), np.float32)
        places = (cells, np.arange(len(cells)))
        sums = sparse.csr_array((ones, places), shape=(number, len(cells))) @ sample
        empty = np.flatnonzero(np.bincount(cells, minlength=number) == 0)
        sums[empty] = sample[generator.choice(len(sample), len(empty))]
        centres = _unit(sums)
    cells = np.empty(pages, np.int32)
    for start in range(0, pages, _BLOCK):
        part = slice(start, start + _BLOCK)
        cells[part] = _nearest(_unit(shorts[part]), centres)
        if progress is not None:
            progress(len(cells[part]))
    order = np.argsort(cells, kind="stable").astype(np.int32)
    sizes = np.bincount(cells, minlength=number)
    return Cells(centres, order, np.concatenate([[0], np.cumsum(sizes)]))


def _nearest(
    vectors: NDArray[np.float32], centres: NDArray[np.float32]
) -> NDArray[np.intp]:  # (vectors,)
    found = np.empty(len(vectors), np.intp)
    for start in range(0, len(vectors), _BLOCK):
        part = slice(start, start + _BLOCK)
        found[part] = np.argmax(vectors[part] @ centres.T, axis=1)
    return found


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    wide = np.asarray(vectors, np.float32)
    return wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12)
