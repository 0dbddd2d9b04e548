"""VLAD: how the local descriptors of a page differ from the words of a vocabulary.

Local descriptors are PCA-whitened, each is assigned to its nearest word c_k, and the residuals
r = x − c_k of a word become one block of the page's vector,

    sum    Σ r
    gmp    argmin Σ (rᵀξ − 1)² + λ‖ξ‖²       λ = ridge · mean‖r‖² over the word

the second so that frequent strokes do not drown rare ones. The blocks of all words of several
vocabularies stand one after the other; signed square root, unit length. Several vocabularies
smooth out the accident of where one vocabulary has its borders.

All words of all vocabularies are solved as a few batches: words with about as many residuals are
padded with zeros to the same number, which changes neither the sums nor the Gram matrices.

Jégou et al., Aggregating local image descriptors into compact codes, TPAMI 2012; Christlein et al.,
Writer identification using GMM supervectors and exemplar-SVMs, PR 2017.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..records import Matrix
from .clustering import cluster_centres
from .whitening import HardWhitening, fit_hard_whitening, signed_power, unit_rows

AGGREGATIONS = ("sum", "gmp")
_SMALLEST_BATCH = 8  # residuals: shorter words are padded to this many


@dataclass(frozen=True)
class VladConfig:
    """How local descriptors become one vector."""

    dim: int = 64  # of local descriptors after PCA-whitening
    words: int = 100
    vocabularies: int = 5
    aggregation: str = "gmp"
    ridge: float = 1.0  # times the mean squared length of a word's residuals
    power: float = 0.5
    sample: int = 100_000  # local descriptors a vocabulary is made from

    def __post_init__(self) -> None:
        if self.aggregation not in AGGREGATIONS:
            raise ValueError(
                f"aggregation must be one of {', '.join(AGGREGATIONS)}, got {self.aggregation!r}"
            )
        if min(self.dim, self.words, self.vocabularies, self.sample) < 1:
            raise ValueError(f"dim, words, vocabularies and sample must be positive: {self}")
        if not self.ridge > 0 or not self.power > 0:
            raise ValueError(f"ridge and power must be positive: {self}")


@dataclass(frozen=True, eq=False)
class Vlad:
    """Vocabularies and the whitening of local descriptors: local descriptors in, one vector out."""

    config: VladConfig
    whitening: HardWhitening
    centres: Matrix  # (vocabularies, words, dim)

    @property
    def dim(self) -> int:
        """The width of an encoding."""
        return self.centres.size

    def encode(self, local: Matrix) -> Matrix:  # (positions, raw dim) -> (dim,)
        """The encoding of one page, of unit length; zeros where there is no local descriptor."""
        if local.ndim != 2 or local.shape[1] != len(self.whitening.mean):
            raise ValueError(
                f"local descriptors must have shape (positions, {len(self.whitening.mean)}), "
                f"got {local.shape}"
            )
        blocks = np.zeros((self.centres.shape[0] * self.centres.shape[1], self.centres.shape[2]))
        if len(local):
            residuals, counts = self._residuals(self.whitening(local))
            if self.config.aggregation == "sum":
                blocks = _sums(residuals, counts)
            else:
                blocks = _generalized_max(residuals, counts, self.config.ridge)
        return unit_rows(signed_power(blocks.ravel(), self.config.power))

    def assign(self, whitened: Matrix) -> NDArray[np.intp]:  # (n, dim) -> (n, vocabularies)
        """The nearest word of each vocabulary, by one matrix product over all of them."""
        vocabularies, words, dim = self.centres.shape
        flat = self.centres.reshape(-1, dim)
        nearness = whitened @ flat.T  # (n, vocabularies·words)
        nearness -= np.square(flat).sum(axis=1) / 2
        return nearness.reshape(-1, vocabularies, words).argmax(axis=2)

    def _residuals(self, whitened: Matrix) -> tuple[Matrix, NDArray[np.intp]]:
        """Residuals in the order of the words of all vocabularies, and how many each word has."""
        vocabularies, words, dim = self.centres.shape
        labels = (self.assign(whitened) + np.arange(vocabularies) * words).T.ravel()
        order = np.argsort(labels, kind="stable")
        flat = self.centres.reshape(-1, dim)
        residuals = whitened[order % len(whitened)] - flat[labels[order]]
        return residuals, np.bincount(labels, minlength=vocabularies * words)


def fit_vlad(local: Matrix, config: VladConfig | None = None, *, seed: int = 0) -> Vlad:
    """Learn the whitening and the vocabularies from local descriptors (positions, raw dim).

    Each vocabulary is made from a sample of its own, in an order that the seed decides.
    """
    config = config or VladConfig()
    if local.ndim != 2 or len(local) < max(config.words, 2):
        raise ValueError(
            f"{config.words} words need at least as many local descriptors, got shape {local.shape}"
        )
    generator = np.random.default_rng(seed)
    sample = local[_choose(generator, len(local), config.sample)]
    whitening = fit_hard_whitening(sample, config.dim)
    centres = []
    for number in range(config.vocabularies):
        sample = whitening(local[_choose(generator, len(local), config.sample)])
        start = int(np.random.default_rng([seed, number]).integers(2**31))
        centres.append(
            cluster_centres(sample, config.words, random_state=start, batch=100 * config.words)
        )
    return Vlad(config, whitening, np.stack(centres))


def fit_pages_vlad(
    pages: Sequence[NDArray[np.floating]], config: VladConfig | None = None, *, seed: int = 0
) -> Vlad:
    """Learn from the local descriptors of several pages, about as many of every page.

    Half precision is enough for them and saves memory.
    """
    config = config or VladConfig()
    generator = np.random.default_rng([seed, len(pages)])
    share = -(-2 * config.sample // len(pages))  # vocabularies draw from twice what each needs
    parts = [page[_choose(generator, len(page), share)] for page in pages]
    return fit_vlad(np.concatenate(parts).astype(np.float32), config, seed=seed)


def encode_pages(vlad: Vlad, pages: Sequence[NDArray[np.floating]], bands: int = 0) -> Matrix:
    """The encodings of all pages, then those of ``bands`` parts of each; zeros for empty ones.

    Local descriptors stand from top to bottom, so that a run of them is a band of the page. A
    whitening that is fitted on parts as well has seen how a hand varies within a page.
    """
    parts = (part for page in pages if bands for part in np.array_split(page, bands))
    return np.stack([vlad.encode(part.astype(np.float32)) for part in (*pages, *parts)])


def _choose(generator: np.random.Generator, count: int, most: int) -> NDArray[np.intp]:
    return np.sort(generator.permutation(count)[:most])


def _sums(residuals: Matrix, counts: NDArray[np.intp]) -> NDArray[Any]:  # (words, dim)
    sums = np.zeros((len(counts), residuals.shape[1]), np.float32)
    filled = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[filled]
    sums[filled] = np.add.reduceat(residuals, starts, axis=0)
    return sums


def _generalized_max(
    residuals: Matrix, counts: NDArray[np.intp], ridge: float
) -> NDArray[Any]:  # (words, dim)
    import torch

    from ..pooling import generalized_max_pool

    pooled = np.zeros((len(counts), residuals.shape[1]), np.float32)
    padded = torch.from_numpy(np.vstack([residuals, np.zeros_like(residuals[:1])]))
    nothing = len(residuals)  # the row of zeros
    starts = np.cumsum(counts) - counts
    for words, size in _batches(counts):
        steps = np.arange(size)
        places = np.where(
            steps < counts[words, None], starts[words, None] + steps, nothing
        )  # (words, size)
        # λ = ridge·mean‖r‖² is ridge/n of the whole energy Σ‖r‖².
        relative = torch.from_numpy((ridge / counts[words]).astype(np.float32))
        features = padded[torch.from_numpy(places)].mT  # (words, dim, size)
        pooled[words] = generalized_max_pool(features, relative, relative=True).numpy()
    return pooled


def _batches(counts: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], int]]:
    """Words that have about as many residuals, and how many at most."""
    size, before = _SMALLEST_BATCH, 0
    while before < counts.max():
        words = np.flatnonzero((counts > before) & (counts <= size))
        if len(words):
            yield words, int(counts[words].max())
        size, before = 2 * size, size
