"""VLAD: how the local descriptors of a page differ from the words of a vocabulary.

Local descriptors are PCA-whitened, each is assigned to its nearest word c_k, and the residuals
r = x − c_k of a word become one block of the page's vector,

    sum    Σ r
    gmp    argmin Σ (rᵀξ − 1)² + λ‖ξ‖²       λ = ridge · mean‖r‖² over the word

the second so that frequent strokes do not drown rare ones. The blocks of all words of several
vocabularies stand one after the other; signed square root, unit length. Several vocabularies
smooth out the accident of where one vocabulary has its borders.

A page is encoded together with bands of it: local descriptors are whitened and assigned once, and
only the residuals are pooled for each (:mod:`.residuals`).

Jégou et al., Aggregating local image descriptors into compact codes, TPAMI 2012; Christlein et al.,
Writer identification using GMM supervectors and exemplar-SVMs, PR 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..records import Matrix
from .clustering import cluster_centres
from .residuals import pool_generalized_max, pool_sums
from .whitening import HardWhitening, fit_hard_whitening, signed_power, unit_rows

AGGREGATIONS = ("sum", "gmp")


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
        return self.encode_bands(local, 0)[0]

    def encode_bands(self, local: Matrix, bands: int = 2) -> Matrix:  # -> (1 + bands, dim)
        """The encodings of a page and of ``bands`` equal runs of its local descriptors.

        Local descriptors stand from top to bottom, so that a run of them is a band of the page.
        """
        if local.ndim != 2 or local.shape[1] != len(self.whitening.mean):
            raise ValueError(
                f"local descriptors must have shape (positions, {len(self.whitening.mean)}), "
                f"got {local.shape}"
            )
        if not len(local):
            return np.zeros((1 + bands, self.dim), np.float32)
        # One band is all of the page.
        _, residuals, counts = self.residuals(local, max(bands, 1))
        if self.config.aggregation == "sum":
            blocks = pool_sums(residuals, counts)
        else:
            blocks = pool_generalized_max(residuals, counts, self.config.ridge)
        rows = blocks.swapaxes(0, 1).reshape(-1, self.dim)  # (1 + bands, dim)
        if bands == 1:
            rows = np.concatenate([rows, rows])
        return unit_rows(signed_power(rows, self.config.power))

    def assign(self, whitened: Matrix) -> NDArray[np.intp]:  # (n, dim) -> (n, vocabularies)
        """The nearest word of each vocabulary, by one matrix product over all of them."""
        vocabularies, words, dim = self.centres.shape
        flat = self.centres.reshape(-1, dim)
        nearness = whitened @ flat.T  # (n, vocabularies·words)
        nearness -= np.square(flat).sum(axis=1) / 2
        return nearness.reshape(-1, vocabularies, words).argmax(axis=2)

    def residuals(
        self, local: Matrix, bands: int = 1
    ) -> tuple[NDArray[np.intp], Matrix, NDArray[np.intp]]:  # (n·vocabularies,), (same, dim),
        # (vocabularies·words, bands)
        """Places of local descriptors in the order of words and bands, their residuals, and how
        many there are of each word and band.
        """
        vocabularies, words, dim = self.centres.shape
        whitened = self.whitening(local)
        labels = (self.assign(whitened) + np.arange(vocabularies) * words).T.ravel()
        order = np.argsort(labels, kind="stable")  # bands of a word stay in order
        flat = self.centres.reshape(-1, dim)
        places = order % len(whitened)
        residuals = whitened[places] - flat[labels[order]]
        runs = np.array_split(np.arange(len(whitened)), bands)
        band = np.repeat(np.arange(bands), [len(run) for run in runs])
        groups = labels * bands + np.tile(band, vocabularies)
        counts = np.bincount(groups, minlength=vocabularies * words * bands)
        return places, residuals, counts.reshape(-1, bands)


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

    A whitening that is fitted on parts as well has seen how a hand varies within a page.
    """
    vectors = np.stack([vlad.encode_bands(page.astype(np.float32), bands) for page in pages])
    return np.concatenate([vectors[:, 0], vectors[:, 1:].reshape(-1, vlad.dim)])


def _choose(generator: np.random.Generator, count: int, most: int) -> NDArray[np.intp]:
    return np.sort(generator.permutation(count)[:most])
