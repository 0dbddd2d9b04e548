"""Groups of local descriptors: the words of a vocabulary, and classes to learn without labels.

Surrogate classes (Christlein et al., Unsupervised feature learning for writer identification and
writer retrieval, ICDAR 2017): local descriptors are PCA-whitened and clustered by k-means. One that
lies about as near to a second centre as to its own, d₁/d₂ above a ratio, could belong to either
and belongs to none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Matrix
from .whitening import fit_hard_whitening

_TOGETHER = 4096  # descriptors whose distances to all centres are held at once


def cluster_centres(
    vectors: Matrix,  # (n, dim)
    number: int,
    *,
    random_state: int,
    batch: int = 10_000,
) -> Matrix:  # (number, dim)
    """The centres of mini-batch k-means."""
    means = need("sklearn.cluster").MiniBatchKMeans(
        number, batch_size=batch, n_init=1, random_state=random_state
    )
    return means.fit(vectors).cluster_centers_.astype(np.float32)


def surrogate_classes(
    local: NDArray[np.floating],  # (n, raw dim)
    clusters: int,
    *,
    dim: int = 32,
    ambiguity: float = 0.9,
    seed: int = 0,
) -> NDArray[np.int64]:  # (n,)
    """A class for every local descriptor, −1 for the ambiguous; classes are counted from 0.

    ``dim`` is what they are whitened to before, ``ambiguity`` the largest ratio of the distances
    to the nearest centre and to the second.
    """
    if not 2 <= clusters <= len(local):
        raise ValueError(f"clusters must be from 2 to {len(local)} descriptors, got {clusters}")
    if not 0 < ambiguity <= 1:
        raise ValueError(f"ambiguity must be above 0 and at most 1, got {ambiguity}")
    whitened = fit_hard_whitening(np.asarray(local, np.float32), dim)(local)
    centres = cluster_centres(whitened, clusters, random_state=seed)
    nearest, ratios = nearest_and_ratio(whitened, centres)
    clear = ratios <= ambiguity
    labels = np.full(len(local), -1, np.int64)
    labels[clear] = np.unique(nearest[clear], return_inverse=True)[1]
    return labels


def nearest_and_ratio(
    vectors: Matrix,  # (n, dim)
    centres: Matrix,  # (k, dim), k ≥ 2
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:  # (n,), (n,)
    """The nearest centre, and its distance as a share of that to the second nearest.

    Where both are zero the share is one.
    """
    nearest = np.empty(len(vectors), np.intp)
    ratios = np.ones(len(vectors))
    precise = centres.astype(np.float64)
    sizes = np.square(precise).sum(axis=1)
    for start in range(0, len(vectors), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        block = vectors[part].astype(np.float64)
        squared = np.square(block).sum(axis=1)[:, None] - 2 * block @ precise.T + sizes
        two = np.argpartition(squared, 1, axis=1)[:, :2]  # the nearest, then the second
        values = np.sqrt(np.maximum(np.take_along_axis(squared, two, axis=1), 0))
        nearest[part] = two[:, 0]
        np.divide(values[:, 0], values[:, 1], out=ratios[part], where=values[:, 1] > 0)
    return nearest, ratios
