"""Exemplar-SVM features: what sets one page apart from pages that are surely by others.

For each page a linear SVM is trained with that page as the only positive and the fitting pages as
negatives; its normal vector, at unit length, is the new description of the page.

The normal lies in the span of the page and the negatives. The SVM is therefore trained in the
coordinates of that span, a few hundred instead of 32 000, which gives the same normal.

Christlein et al., Writer identification using GMM supervectors and exemplar-SVMs, PR 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..names import need
from ..records import Matrix
from .whitening import unit_rows

PENALTY = 1000.0  # C of the published systems; positive and negatives weigh the same in all


@dataclass(frozen=True, eq=False)
class ExemplarSvm:
    """Page vectors in, normals of their exemplar SVMs out."""

    basis: Matrix  # (dim, rank), orthonormal columns that span the negatives
    negatives: Matrix  # (pages, rank), in coordinates of the basis
    penalty: float = PENALTY

    @property
    def dim(self) -> int:
        """The width of the vectors, before and after."""
        return len(self.basis)

    def __call__(self, vectors: Matrix) -> Matrix:  # (..., dim)
        """The normal for each vector, of unit length."""
        flat = vectors.reshape(-1, self.dim)
        return np.stack([self._normal(vector) for vector in flat]).reshape(vectors.shape)

    def _normal(self, vector: Matrix) -> Matrix:
        inside = vector @ self.basis  # (rank,)
        rest = vector - self.basis @ inside
        length = float(np.linalg.norm(rest))
        positive = np.append(inside, length)
        negatives = np.pad(self.negatives, ((0, 0), (0, 1)))
        machine = need("sklearn.svm").LinearSVC(
            C=self.penalty, class_weight="balanced", random_state=0, max_iter=10_000
        )
        machine.fit(np.vstack([positive, negatives]), np.arange(len(negatives) + 1) == 0)
        normal = machine.coef_[0]
        found = self.basis @ normal[:-1] + (normal[-1] / max(length, 1e-12)) * rest
        return unit_rows(found)


def fit_exemplar_svm(vectors: Matrix, *, penalty: float = PENALTY) -> ExemplarSvm:
    """Take these page vectors as the negatives; none of them may be by a hand that is looked up."""
    if not penalty > 0:
        raise ValueError(f"penalty must be positive, got {penalty}")
    if vectors.ndim != 2 or not len(vectors):
        raise ValueError(f"vectors must have shape (pages, dim), got {vectors.shape}")
    basis, coordinates = np.linalg.qr(vectors.T.astype(np.float64))  # (dim, rank), (rank, pages)
    return ExemplarSvm(basis.astype(np.float32), coordinates.T.astype(np.float32), penalty)
