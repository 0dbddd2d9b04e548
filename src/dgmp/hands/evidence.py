"""The evidence between all pages of a collection, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..catalogue import sample_rows
from ..records import Descriptors
from .calibration import Background, Calibration, stretched


@dataclass(frozen=True, eq=False)
class Evidence:
    """Log-odds of "one hand" between pages: L_ab = (u_a + u_b) t_ab + k_a + k_b, see calibration.

    u = w/2σ, k = (c + prior)/2 − w m/2σ, and t is the stretched cosine.
    """

    vectors: NDArray[np.float32]  # (pages, dim)
    slopes: NDArray[np.float32]  # (pages,): u
    offsets: NDArray[np.float32]  # (pages,): k

    @classmethod
    def of(cls, descriptors: Descriptors, calibration: Calibration) -> Evidence:
        """Between the pages of a collection."""
        vectors, ids = descriptors.vectors, descriptors.page_ids
        chosen = sample_rows(len(ids))
        background = Background.of(
            vectors,
            vectors[chosen],
            calibration.location,
            calibration.spread,
            ids,
            [ids[i] for i in chosen],
        )
        slopes = calibration.weight / (2 * background.spread)
        constant = calibration.bias + calibration.prior_log_odds(len(ids))
        offsets = constant / 2 - slopes * background.location
        return cls(vectors, slopes.astype(np.float32), offsets.astype(np.float32))

    def between(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.float32]:  # (rows, columns)
        """Log-odds of some pages with some others. Of a page with itself they mean nothing."""
        odds = stretched(self.vectors[rows] @ self.vectors[columns].T)
        odds *= self.slopes[rows, None] + self.slopes[None, columns]
        odds += self.offsets[rows, None] + self.offsets[None, columns]
        return odds
