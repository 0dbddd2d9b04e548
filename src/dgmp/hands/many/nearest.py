"""The nearest pages of each page: short vectors propose, long ones decide.

A page is compared by short vectors with the pages of the ``PROBES`` cells whose centres it has the
largest products with; long vectors of the ``PROPOSED`` best give their likenesses, and those
with the ``KEPT`` highest evidences are its neighbours. Where there are no more than ``PROBES``
cells, all pages are compared. Pages are gone through in the order of the cells, so that most of
what one reads was read for the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calibration import Calibration
from .cells import Cells
from .row_file import RowFile

PROBES = 64  # of these four see benchmarks/results/grouping.md
PROPOSED = 96
KEPT = 24
BLOCK = 8192  # pages whose neighbours are found at once


@dataclass(frozen=True)
class Finding:
    """Finds the neighbours of pages; can be sent to other processes, which read the same files."""

    cells: Path
    shorts: RowFile
    vectors: RowFile
    numbers: RowFile
    calibration: Calibration
    spread: float

    def __call__(
        self, span: tuple[int, int]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:  # (pages, KEPT) each
        """Neighbours, and their evidence, of the pages from one place in the order to another."""
        cells = Cells.load(self.cells)
        pages = cells.order[slice(*span)]
        proposed = propose(self.shorts.read(), cells, pages)
        vectors, numbers = self.vectors.read(), self.numbers.read()
        factors, reliability = np.array(numbers[:, 0]), np.array(numbers[:, 1])
        likeness = np.zeros(proposed.shape, np.float32)
        for row, (page, others) in enumerate(zip(pages, proposed, strict=True)):
            there = others[others >= 0]
            own = vectors[page].astype(np.float32) * factors[page]
            products = vectors[there].astype(np.float32) @ own
            likeness[row, : len(there)] = products * factors[there]
        pairs = reliability[pages, None] * reliability[proposed]
        evidence = self.calibration.evidence(likeness, pairs, self.spread).astype(np.float32)
        evidence[proposed < 0] = -np.inf
        best = np.argsort(-evidence, axis=1, kind="stable")[:, :KEPT]
        found = np.take_along_axis(proposed, best, axis=1)
        return _filled(found, -1), _filled(np.take_along_axis(evidence, best, axis=1), -np.inf)


def propose(
    shorts: NDArray[np.float16], cells: Cells, pages: NDArray[np.int32]
) -> NDArray[np.int32]:  # (pages, at most PROPOSED), −1: there are no more
    """The pages nearest to some by their short vectors, best first, themselves left out."""
    number = min(PROPOSED, len(shorts) - 1)
    asked = shorts[pages].astype(np.float32)
    best = np.full((len(pages), number), -np.inf, np.float32)
    who = np.full((len(pages), number), -1, np.int32)
    for cell, rows in _by_cell(asked, cells):
        there = cells.order[cells.starts[cell] : cells.starts[cell + 1]]
        scores = asked[rows] @ shorts[there].astype(np.float32).T  # (rows, there)
        scores[pages[rows, None] == there[None, :]] = -np.inf
        better = scores.max(axis=1) > best[rows].min(axis=1, initial=np.inf)
        rows = rows[better]
        all_scores = np.hstack([best[rows], scores[better]])
        all_who = np.hstack([who[rows], np.broadcast_to(there, (len(rows), len(there)))])
        kept = np.argpartition(-all_scores, number - 1, axis=1)[:, :number]
        best[rows] = np.take_along_axis(all_scores, kept, axis=1)
        who[rows] = np.take_along_axis(all_who, kept, axis=1)
    order = np.argsort(-best, axis=1, kind="stable")
    who[best == -np.inf] = -1
    return np.take_along_axis(who, order, axis=1)


def _by_cell(asked: NDArray[np.float32], cells: Cells) -> list[tuple[int, NDArray[np.intp]]]:
    """The cells that some pages are compared with, and which of them; those with most first."""
    sizes = np.diff(cells.starts)
    number = len(cells.centres)
    if number <= PROBES:
        everyone = np.arange(len(asked))
        return [(cell, everyone) for cell in range(number) if sizes[cell]]
    near = asked @ cells.centres.T
    probes = np.argpartition(-near, PROBES - 1, axis=1)[:, :PROBES].ravel()
    order = np.argsort(probes, kind="stable")
    found, firsts = np.unique(probes[order], return_index=True)
    rows = np.split(order // PROBES, firsts[1:])
    pairs = [(int(cell), own) for cell, own in zip(found, rows, strict=True) if sizes[cell]]
    return sorted(pairs, key=lambda pair: -len(pair[1]))


def _filled(values: NDArray[Any], value: float) -> NDArray[Any]:
    """With as many columns as are kept."""
    missing = ((0, 0), (0, KEPT - values.shape[1]))
    return np.pad(values, missing, constant_values=value)
