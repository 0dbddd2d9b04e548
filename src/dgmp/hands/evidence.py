"""The evidence between all pages of a collection, a block at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..catalogue import sample_rows
from ..records import Descriptors, Hit
from .background import Background, Placed
from .calibration import Calibration


@dataclass(frozen=True, eq=False)
class Evidence:
    """Log-odds of "one hand" between the pages of a collection, see calibration.py."""

    calibration: Calibration
    placed: Placed
    spread: float
    prior: float

    @classmethod
    def of(cls, descriptors: Descriptors, calibration: Calibration) -> Evidence:
        """Between the pages of a collection."""
        chosen = sample_rows(len(descriptors.page_ids))
        background = Background.of(
            part(descriptors, chosen), len(descriptors.page_ids), calibration
        )
        placed = background.place(descriptors)
        return cls(calibration, placed, background.spread, background.prior)

    def __len__(self) -> int:
        return len(self.placed.vectors)

    def between(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.float32]:  # (rows, columns)
        """Log-odds of some pages with some others. Of a page with itself they mean nothing."""
        vectors, reliability = self.placed.vectors, self.placed.reliability
        likeness = vectors[rows] @ vectors[columns].T
        pairs = reliability[rows, None] * reliability[None, columns]
        found = self.calibration.evidence(likeness, pairs, self.spread) + self.prior
        return np.asarray(found, np.float32)


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
    """The hits of a search with likelihood ratio and probability that a hit is by the same hand.

    Where query or hit have too little writing, a hit says so and has neither.
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
    probabilities = calibration.probability(evidence + background.prior)
    return tuple(
        replace(hit, probability=float(p), likelihood_ratio=float(np.exp(e)))
        if says
        else replace(hit, enough_writing=False)
        for hit, p, e, says in zip(hits, probabilities, evidence, enough, strict=True)
    )
