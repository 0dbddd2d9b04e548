"""Pages that become weighted sums of a few pages: a sparse W, and what it does to cosines.

Row i of W has ``terms`` entries, ``weights[i]`` at the columns ``places[i]``. Products with W are
added term by term, in the order of the terms, so they do not depend on the order of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..records import Floats
from .checks import Places
from .cosines import block_size

GRID = 2.0**40
CANCELLED = 1e-6  # squared length of a sum, over that of parallel terms; cosines are good to 1e-8


@dataclass(frozen=True)
class Mixture:
    """The sparse matrix W, pages × pages."""

    places: Places  # (pages, terms)
    weights: Floats  # (pages, terms)

    @classmethod
    def with_own_rows(cls, places: Places, weights: ArrayLike) -> Mixture:
        """Each page with weight one, plus the pages given for it."""
        own = np.arange(len(places))
        return cls(
            np.column_stack([own, places]),
            np.column_stack([np.ones(len(places)), np.asarray(weights, dtype=np.float64)]),
        )

    def mix_rows(self, table: Floats, start: int = 0, stop: int | None = None) -> Floats:
        """Rows start to stop of W · table."""
        places, weights = self.places[start:stop], self.weights[start:stop]
        total = np.zeros((len(places), table.shape[1]))
        for term in range(places.shape[1]):
            total += weights[:, term, None] * table[places[:, term]]
        return total

    def mix_columns(self, table: Floats) -> Floats:
        """The product table · Wᵀ."""
        total = np.zeros((len(table), len(self.places)))
        for term in range(self.places.shape[1]):
            total += table[:, self.places[:, term]] * self.weights[:, term]
        return total


def mixed_cosines(
    cosines: Floats, mixture: Mixture, ids: Sequence[str]
) -> Iterator[tuple[int, Floats]]:
    """Cosines of the rows of WX from the cosines of the rows of X, some rows at a time.

    Yields the first page of each block and its rows of WGWᵀ / √(diagonal · diagonalᵀ).
    """
    lengths = _lengths(cosines, mixture, ids)
    step = block_size(len(cosines))
    for start in range(0, len(cosines), step):
        block = mixture.mix_columns(mixture.mix_rows(cosines, start, start + step))
        block /= lengths[start : start + step, None]
        block /= lengths
        # Sums of equal terms in another order stay equal this way, and ties are broken by id.
        yield start, np.rint(block * GRID) / GRID


def _lengths(cosines: Floats, mixture: Mixture, ids: Sequence[str]) -> Floats:
    """The square roots of the diagonal of WGWᵀ."""
    places, weights = mixture.places, mixture.weights
    squared = np.zeros(len(places))
    for term in range(places.shape[1]):
        others = cosines[places[:, term, None], places]  # (pages, terms)
        squared += weights[:, term] * (weights * others).sum(axis=1)
    cancelled = np.flatnonzero(squared <= CANCELLED * weights.sum(axis=1) ** 2)
    if len(cancelled):
        raise ValueError(
            f"{ids[cancelled[0]]!r} and its neighbours cancel each other out: their sum has no "
            "direction; take fewer neighbours"
        )
    return np.sqrt(squared)
