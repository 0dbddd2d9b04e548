"""Pooling of residuals that stand in groups: those of every word, or of every word in every band.

    sum    Σ r
    gmp    argmin Σ (rᵀξ − 1)² + λ‖ξ‖²  =  (Σrrᵀ + λI)⁻¹ Σr       λ = ridge · mean‖r‖²

Both depend on sums over residuals, Σr, Σrrᵀ and their number, and those of a page are the sums of
those of its bands: a page and its bands cost little more than the bands, and a band no more than
its residuals and one small system.

A word has about as many residuals as they have entries, so that neither form of the problem is much
smaller than the other; this one needs no padding and no choice. The largest eigenvalue of a system
is at most 1 + n/ridge times the smallest, n the number of residuals: single precision is enough
unless the ridge is small. :func:`dgmp.pooling.generalized_max_pool` solves the same problem for any
ridge, on any device and with gradients, at several times the cost for so many small groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Floats

Residuals = NDArray[np.floating[Any]]  # (n, dim), single or double precision

_MOST_SINGLE = 1e4  # times the smallest eigenvalue: above, systems are solved in double precision


def pool_sums(residuals: Residuals, counts: NDArray[np.intp]) -> Residuals:
    """The sum of each group: (n, dim) and (words, bands) -> (words, 1 + bands, dim).

    Residuals stand in the order of their groups; first come the sums over all bands of a word.
    """
    words, bands = counts.shape
    sums = np.zeros((words * bands, residuals.shape[1]), residuals.dtype)
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts.ravel())[filled]
        sums[filled] = np.add.reduceat(residuals, starts, axis=0)
    return _and_whole(sums.reshape(words, bands, -1))


def pool_generalized_max(residuals: Residuals, counts: NDArray[np.intp], ridge: float) -> Residuals:
    """The same by generalized max pooling; zeros for a group without residuals."""
    words, bands = counts.shape
    dim = residuals.shape[1]
    if counts.sum(axis=1).max() > _MOST_SINGLE * ridge:
        residuals = residuals.astype(np.float64)
    grams = np.zeros((words * bands, dim, dim), residuals.dtype)
    ends = np.cumsum(counts)
    for group in np.flatnonzero(counts):
        part = residuals[ends[group] - counts.flat[group] : ends[group]]
        np.matmul(part.T, part, out=grams[group])
    systems = _and_whole(grams.reshape(words, bands, dim, dim)).reshape(-1, dim, dim)
    sums = pool_sums(residuals, counts).reshape(-1, dim)
    numbers = _and_whole(counts).ravel()
    diagonals = systems.reshape(-1, dim * dim)[:, :: dim + 1]
    energies = diagonals.sum(axis=1)
    diagonals += (ridge * energies / np.maximum(numbers, 1))[:, None]
    solve = need("scipy.linalg").get_lapack_funcs("posv", (systems,))
    pooled = np.zeros_like(sums)
    for group in np.flatnonzero(energies > 0):
        # A symmetric system is its own transpose, which lies in memory as LAPACK wants it.
        _, pooled[group], broken = solve(systems[group].T, sums[group], overwrite_a=True)
        if broken:
            raise ValueError(f"ridge must be larger: {ridge} leaves a word's system singular")
    return pooled.reshape(words, -1, dim)


def generalized_max_weights(
    residuals: Residuals,  # (n, dim), in the order of their groups
    numbers: NDArray[np.intp],  # (groups,)
    pooled: Residuals,  # (groups, dim)
    ridge: float,
) -> Floats:  # (n,)
    """The weights α with ξ = Σ αr of each group: α = (1 − rᵀξ)/λ, by the normal equations of ξ."""
    groups = np.repeat(np.arange(len(numbers)), numbers)
    energies = np.bincount(groups, np.einsum("nd,nd->n", residuals, residuals), len(numbers))
    ridges = ridge * energies / np.maximum(numbers, 1)
    missed = 1 - np.einsum("nd,nd->n", residuals, pooled[groups])
    return np.asarray(missed / np.where(ridges > 0, ridges, 1)[groups], np.float64)


def _and_whole(parts: NDArray[Any]) -> NDArray[Any]:  # (words, bands, …) -> (words, 1 + bands, …)
    """The sum over bands, then the bands; the sum alone where there is one band."""
    if parts.shape[1] == 1:
        return parts
    return np.concatenate([parts.sum(axis=1, keepdims=True), parts], axis=1)
