"""The evidence between all pages of a collection, a block at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..catalogue import sample_rows
from ..records import Descriptors, Hit, PageProgress
from .background import Background, Placed
from .calibration import Calibration
from .neighbours import Neighbours

_BLOCK = 1024  # pages
_COLUMNS = 4096  # pages: of more, vectors are not in memory at once

Edges = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Log-odds of "one hand" between the pages of a collection, see calibration.py."""

    calibration: Calibration
    placed: Placed
    spread: float
    prior: float  # weighed
    # Of a collection that is too large to compare all pages: only these pairs may be looked for.
    neighbours: Neighbours | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, descriptors: Descriptors, calibration: Calibration) -> Evidence:
        """Between the pages of a collection."""
        chosen = sample_rows(len(descriptors.page_ids))
        background = Background.of(
            part(descriptors, chosen), len(descriptors.page_ids), calibration
        )
        placed = background.place(descriptors)
        return cls(calibration, placed, background.spread, background.weighed_prior)

    def __len__(self) -> int:
        return len(self.placed.reliability)

    def between(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.float32]:  # (rows, columns)
        """Log-odds of some pages with some others. Of a page with itself they mean nothing."""
        reliability, own = self.placed.reliability, self.placed.rows(rows)
        odds = np.empty((len(rows), len(columns)), np.float32)
        for start in range(0, len(columns), _COLUMNS):
            part = columns[start : start + _COLUMNS]
            likeness = own @ self.placed.rows(part).T
            pairs = reliability[rows, None] * reliability[None, part]
            found = self.calibration.evidence(likeness, pairs, self.spread) + self.prior
            odds[:, start : start + _COLUMNS] = found
        return odds

    def edges(
        self,
        pages: NDArray[np.intp],
        threshold: float,
        progress: PageProgress | None = None,
    ) -> Edges:
        """The pairs of some pages whose log-odds reach a threshold, as places among them.

        ``progress`` is called with pages that were compared with all others.
        """
        if self.neighbours is not None:
            return among(pages, len(self), *self.neighbours.edges(threshold - self.prior))
        firsts, seconds = [], []
        for start in range(0, len(pages), _BLOCK):
            rows = pages[start : start + _BLOCK]
            row, column = np.nonzero(self.between(rows, pages[start:]) >= threshold)
            upper = column > row
            firsts.append(row[upper] + start)
            seconds.append(column[upper] + start)
            if progress is not None:
                progress(len(rows))
        return np.concatenate(firsts), np.concatenate(seconds)

    def nearest(
        self, pages: NDArray[np.intp], n: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:  # (pages, n) each
        """The n others with the highest log-odds with each of some pages, and these."""
        if self.neighbours is not None:
            found = self.neighbours.pages[pages, :n].astype(np.intp)
            return found, self.neighbours.evidence[pages, :n].astype(np.float64) + self.prior
        odds = self.between(pages, np.arange(len(self))).astype(np.float64)
        odds[np.arange(len(pages)), pages] = -np.inf
        found = np.argsort(-odds, axis=1, kind="stable")[:, :n]
        return found, np.take_along_axis(odds, found, axis=1)


def among(
    pages: NDArray[np.intp], number: int, first: NDArray[np.intp], second: NDArray[np.intp]
) -> Edges:
    """Those edges of a number of pages that are between some of them, as places among these."""
    place = np.full(number, -1, dtype=np.intp)
    place[pages] = np.arange(len(pages))
    first, second = place[first], place[second]
    inside = (first >= 0) & (second >= 0)
    return first[inside], second[inside]


def part(descriptors: Descriptors, rows: NDArray[np.intp]) -> Descriptors:
    """Some pages of a collection."""
    ids = tuple(descriptors.page_ids[i] for i in rows)
    halves = None if descriptors.halves is None else descriptors.halves[rows]
    return Descriptors(ids, descriptors.vectors[rows], descriptors.spec, halves=halves)


def with_probabilities(
    hits: Sequence[Hit],
    found: Descriptors,  # of the hits, in their order
    query: Descriptors,  # of one page
    query_id: str | None,  # of a query that lies in the collection
    background: Background,
) -> tuple[Hit, ...]:
    """The hits of a search with likeness, likelihood ratio and probability of the same hand.

    Where query or hit have too little writing, a hit says so and has neither of the latter two.
    """
    if not hits:
        return ()
    calibration, spread = background.calibration, background.spread
    asked = background.place(query, [query_id])
    placed = background.place(found)
    likeness = placed.vectors @ asked.vectors[0]
    pairs = (placed.reliability * asked.reliability[0]).astype(np.float64)
    evidence = calibration.evidence(likeness.astype(np.float64), pairs, spread)
    poorer = np.minimum(placed.reliability, asked.reliability[0]).astype(np.float64)
    enough = calibration.enough_writing(poorer**2, spread)
    assert found.halves is not None  # or it had no place
    assert query.halves is not None
    enough &= ~np.isnan(found.halves) & ~np.isnan(query.halves)  # a half may be empty
    probabilities = calibration.probability(evidence + background.weighed_prior)
    # Rounded: products of copies of a page may differ in the last bits, and copies go by id.
    alike = placed.in_order(asked)[:, 0].astype(np.float64).round(5)
    return tuple(
        replace(hit, likeness=float(r), probability=float(p), likelihood_ratio=float(np.exp(e)))
        if says
        else replace(hit, likeness=float(r), enough_writing=False)
        for hit, r, p, e, says in zip(hits, alike, probabilities, evidence, enough, strict=True)
    )
