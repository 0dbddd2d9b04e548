"""A whitening of descriptors, fitted on those of training pages.

Let μ be the mean of the training vectors and V diag(w) Vᵀ their covariance. Soft whitening is

    x ↦ V (w + a)^-½ Vᵀ (x − μ)      a: the mean of the eigenvalues that are not zero

brought to unit length. It quietens the directions in which all pages differ and blows up none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_NEGLIGIBLE = 1e-6  # of the largest eigenvalue: below this a direction is rounding

Vectors = NDArray[np.float32]  # (pages, dim)


def whiten(vectors: Vectors, fitted_on: Vectors) -> Vectors:
    """The vectors in the metric of the training pages, of unit length."""
    mean = fitted_on.mean(axis=0, dtype=np.float64)
    values, directions = np.linalg.eigh(np.cov(fitted_on.astype(np.float64), rowvar=False))
    ridge = values[values > _NEGLIGIBLE * values[-1]].mean()
    scaled = (directions / np.sqrt(values.clip(0) + ridge)) @ directions.T
    found = (vectors - mean) @ scaled
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return (found / np.where(lengths > 0, lengths, 1)).astype(np.float32)
