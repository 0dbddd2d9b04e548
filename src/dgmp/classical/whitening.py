"""Whitening of page vectors without a matrix of dim × dim, and a short form of long vectors.

Let X (pages × dim, pages ≪ dim) be the vectors of the fitting pages, μ their mean, and let
(X − μ)/√(pages − 1) = U diag(√w) Vᵀ be its thin decomposition, found through the small Gram matrix.

    soft    V (w + a)^-½ Vᵀ (x − μ)  +  a^-½ (I − VVᵀ)(x − μ)        a = mean of the non-zero w
    hard    w_k^-½ V_kᵀ (x − μ)                                      the first k directions

The hard form drops whatever the fitting pages do not show, which for a few hundred pages is most of
what sets two unseen writers apart. The soft form only quietens the directions in which all pages
differ, and keeps the rest at one common scale.

A vector of 32 000 entries is shortened by :class:`Sketch`: random signs, a Fourier transform, and a
random choice of its rows, all from a seed. It keeps cosines up to about 1/√dim (Johnson and
Lindenstrauss) and stores nothing. Down to 2048 entries that error costs more than a projection to
the directions in which parts of the fitting pages differ, :func:`fit_soft_projection`; a sketch of
moderate width before it makes the projection small.

All is numpy, for learned descriptors as well as for classical ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..records import Matrix

_NEGLIGIBLE = 1e-6  # of the largest eigenvalue: below this a direction is rounding


def unit_rows(vectors: NDArray[np.floating]) -> Matrix:  # (..., dim)
    """The same directions with unit length; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def signed_power(vectors: NDArray[np.floating], power: float = 0.5) -> Matrix:
    """sign(x)·|x|^power, entry by entry: frequent things count less."""
    size = np.abs(vectors)
    size = np.sqrt(size) if power == 0.5 else size**power
    return np.copysign(size, vectors).astype(np.float32)


@dataclass(frozen=True, eq=False)
class SoftWhitening:
    """x ↦ V(w+a)^-½Vᵀ(x−μ) + a^-½(I−VVᵀ)(x−μ): the complement of the fitting pages is kept."""

    mean: Matrix  # (dim,)
    directions: NDArray[np.floating]  # (dim, rank), orthonormal columns; half precision is enough
    variances: Matrix  # (rank,), falling
    ridge: float  # a

    @property
    def dim(self) -> int:
        """The width of the vectors, before and after."""
        return len(self.mean)

    def __call__(self, vectors: Matrix) -> Matrix:  # (..., dim)
        """Whitened vectors of unit length."""
        return unit_rows(self.whiten(vectors))

    def whiten(self, vectors: Matrix) -> Matrix:  # (..., dim)
        """The same before unit length, which takes the factor a^-½ away: it is left out here.

        So this is the identity plus a change along V: x + V((a/(w+a))^½ − 1)Vᵀx.
        """
        centred = vectors - self.mean
        change = np.sqrt(self.ridge / (self.variances + self.ridge)) - 1
        along = (centred @ self._directions) * change.astype(np.float32)  # (..., rank)
        return np.asarray(centred + along @ self._directions.T, np.float32)

    @cached_property
    def _directions(self) -> Matrix:
        return self.directions.astype(np.float32)


@dataclass(frozen=True, eq=False)
class HardWhitening:
    """x ↦ w_k^-½V_kᵀ(x−μ): the first k directions, scaled, and nothing else."""

    mean: Matrix  # (dim,)
    projection: Matrix  # (dim, k): directions and their scales

    @property
    def dim(self) -> int:
        """The width of the vectors afterwards."""
        return self.projection.shape[1]

    def __call__(self, vectors: Matrix) -> Matrix:  # (..., dim)
        """Whitened vectors of unit length."""
        return unit_rows((vectors - self.mean) @ self.projection)


@dataclass(frozen=True, eq=False)
class RoundedMatrix:
    """A matrix in few steps: bytes instead of floats, that pack well besides.

    The errors of rounding are independent of each other, and thousands of them average out.
    """

    steps: NDArray[np.int8]  # (dim, k)
    step: Matrix  # (k,): what one step of a column is

    @classmethod
    def of(cls, matrix: Matrix, levels: int = 127) -> RoundedMatrix:
        """Each column in ``levels`` steps up to its largest entry."""
        if not 1 <= levels <= 127:
            raise ValueError(f"levels must be from 1 to 127, got {levels}")
        step = np.abs(matrix).max(axis=0) / levels
        steps = np.rint(matrix / np.where(step > 0, step, 1)).astype(np.int8)
        return cls(steps, step.astype(np.float32))

    @cached_property
    def matrix(self) -> Matrix:  # (dim, k)
        """As floats again."""
        return self.steps.astype(np.float32) * self.step


@dataclass(frozen=True, eq=False)
class RoundedProjection:
    """A :class:`HardWhitening` whose projection is rounded."""

    mean: Matrix  # (dim,)
    projection: RoundedMatrix  # (dim, k)

    @property
    def dim(self) -> int:
        """The width of the vectors afterwards."""
        return len(self.projection.step)

    def __call__(self, vectors: Matrix) -> Matrix:  # (..., dim)
        """Projected vectors of unit length."""
        return unit_rows((vectors - self.mean) @ self.projection.matrix)


def fit_soft_whitening(
    vectors: Matrix,  # (pages, dim)
    *,
    ridge: float | None = None,
    rank: int | None = None,
) -> SoftWhitening:
    """Fit on page vectors; without ``ridge``, a is the mean of the non-zero eigenvalues.

    ``rank`` keeps only the first directions and counts the others to the complement, which they
    resemble: their variances are small against a.
    """
    mean, directions, variances = principal_directions(vectors, rank)
    if ridge is None:
        ridge = float(variances.mean())
    return SoftWhitening(mean, directions, variances[: directions.shape[1]], ridge)


def fit_hard_whitening(vectors: Matrix, k: int) -> HardWhitening:
    """Fit on page vectors and keep ``k`` directions, or as many as there are."""
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    mean, directions, variances = principal_directions(vectors, k)
    projection = directions / np.sqrt(variances[: directions.shape[1]])
    return HardWhitening(mean, projection.astype(np.float32))


def fit_soft_projection(vectors: Matrix, k: int) -> HardWhitening:  # (pages, dim)
    """Short vectors with the scales of soft whitening: (w + a)^-½Vᵀ(x − μ), k directions.

    The complement is dropped, so the fitting vectors should be many: of parts of pages as well.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    mean, directions, variances = principal_directions(vectors, k)
    scales = np.sqrt(variances[: directions.shape[1]] + variances.mean())
    return HardWhitening(mean, (directions / scales).astype(np.float32))


def principal_directions(vectors: Matrix, most: int | None = None) -> tuple[Matrix, Matrix, Matrix]:
    """Mean (dim,), the first ``most`` directions (dim, rank), and all variances, largest first."""
    if vectors.ndim != 2 or len(vectors) < 2:
        raise ValueError(f"whitening needs at least two vectors, got shape {vectors.shape}")
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean
    rows, dim = centred.shape
    small = centred @ centred.T if rows <= dim else centred.T @ centred
    values, left = np.linalg.eigh(small)
    kept = np.flatnonzero(values > _NEGLIGIBLE * values[-1])[::-1]
    if not len(kept) or not values[-1] > 0:
        raise ValueError("whitening needs vectors that differ from each other")
    values = values[kept]
    directions = left[:, kept[:most]]
    if rows <= dim:
        directions = centred.T @ directions / np.sqrt(values[:most])
    # The sign of an eigenvector is free: the largest entry is positive.
    peaks = np.abs(directions).argmax(axis=0)
    directions *= np.sign(directions[peaks, np.arange(directions.shape[1])])
    return (
        mean.astype(np.float32),
        directions.astype(np.float32),
        (values / (rows - 1)).astype(np.float32),
    )


@dataclass(frozen=True)
class Sketch:
    """A seeded projection of ``source`` entries to ``dim`` that keeps inner products on average.

    Random signs, an orthonormal real Fourier transform, ``dim`` of its ``source`` rows.
    """

    source: int
    dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.dim <= self.source:
            raise ValueError(f"dim must be from 1 to source = {self.source}, got {self.dim}")

    @cached_property
    def _choice(self) -> tuple[Matrix, NDArray[np.intp]]:
        generator = np.random.default_rng(self.seed)
        signs = generator.integers(0, 2, self.source) * 2 - 1
        rows = np.sort(generator.permutation(self.source)[: self.dim])
        return signs.astype(np.float32), rows

    def __call__(self, vectors: Matrix) -> Matrix:  # (..., source)
        """Vectors of ``dim`` entries, not normalised."""
        if vectors.shape[-1] != self.source:
            raise ValueError(f"vectors must have {self.source} entries, got {vectors.shape[-1]}")
        signs, rows = self._choice
        waves = np.fft.rfft(vectors * signs, norm="ortho")
        # The real basis: cosines, then the sines of the frequencies that have one.
        twice = np.sqrt(2.0)
        cosines = waves.real * twice
        cosines[..., 0] /= twice
        if self.source % 2 == 0:
            cosines[..., -1] /= twice
        sines = waves.imag[..., 1 : (self.source + 1) // 2] * twice
        both = np.concatenate([cosines, sines], axis=-1)
        return (both[..., rows] * np.sqrt(self.source / self.dim)).astype(np.float32)
