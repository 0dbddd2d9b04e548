"""The evidence between all pages of a collection, a block at a time, and between groups of pages.

With u = 1/σ and k = m/σ of each page the log-odds of two pages (see ``calibration.py``) are

    L = ½ w (u_a + u_b) v_a·v_b − ½ w (k_a + k_b) + c + prior,

linear in both vectors. The mean of L over two groups is therefore had from the sums of v and u·v
over each group, without going back to the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..records import Descriptors
from .calibration import Background, Calibration, Floats
from .search import background_rows


@dataclass(frozen=True, eq=False)
class Evidence:
    """Log-odds of "one hand" between rows, each of which is a page or the mean of a group."""

    vectors: NDArray[np.float32]  # (rows, dim): means of v
    scaled: NDArray[np.float32]  # (rows, dim): means of ½ w u v
    offsets: Floats  # (rows,): means of ½ (c + prior) − ½ w k

    @classmethod
    def of(cls, descriptors: Descriptors, calibration: Calibration) -> Evidence:
        """Between the pages of a collection."""
        vectors, ids = descriptors.vectors, descriptors.page_ids
        chosen = background_rows(len(ids))
        background = Background.of(
            vectors,
            vectors[chosen],
            calibration.location,
            calibration.spread,
            ids,
            [ids[i] for i in chosen],
        )
        half = calibration.weight / (2 * background.spread)  # (pages,)
        constant = calibration.bias + calibration.prior_log_odds(len(ids))
        return cls(
            vectors,
            (vectors * half[:, None]).astype(np.float32),
            constant / 2 - half * background.location,
        )

    def between(
        self, rows: NDArray[np.intp] | slice, columns: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.float32]:  # (rows, columns)
        """Log-odds of some rows with some others. Of a row with itself they mean nothing."""
        odds = self.scaled[rows] @ self.vectors[columns].T
        odds += self.vectors[rows] @ self.scaled[columns].T
        odds += self.offsets[rows, None].astype(np.float32)
        odds += self.offsets[None, columns].astype(np.float32)
        return odds

    def averaged(self, groups: NDArray[np.intp]) -> Evidence:
        """The same between groups 0, 1, … of the rows: the mean over all pairs of two groups."""
        number = int(groups.max()) + 1
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(number))
        sizes = np.bincount(groups, minlength=number)

        def mean(values: NDArray[Any]) -> NDArray[Any]:
            sums = np.add.reduceat(values[order], starts, axis=0)
            return np.asarray((sums.T / sizes).T, values.dtype)

        return Evidence(mean(self.vectors), mean(self.scaled), mean(self.offsets))
