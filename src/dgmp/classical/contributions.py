"""What every keypoint of a page adds to its VLAD vector, and every pair of keypoints to a cosine.

Let z be the vector of a page after all steps, of unit length, and z_w its block at word w, to which
n_w keypoints are assigned with residuals r. Their pooling is a sum over keypoints,

    ξ_w = Σ α_k r_k       gmp: α_k = (1 − r_kᵀξ_w)/λ, by the normal equations;  sum: α_k = 1

Later steps (signed power, unit length, whitening) act on ξ_w as a whole. The share of a keypoint is
its own part of ξ_w, as strongly as the power lets it through, and an equal part of all else:

    c_k = h ⊙ α_k r_k + (z_w − h ⊙ ξ_w)/n_w        h = g·|ξ_w|^p / max(|ξ_w|, τ)

g is what a change of ξ_w^p is scaled by on the way to z, τ the root mean square of ξ. For any h
the shares of a word add up to z_w, so

    ⟨z, z′⟩ = Σ_w Σ_kl ⟨c_k, c′_l⟩  +  words that one of both pages has no keypoint of

exactly, k and l over the keypoints of the word on either page. With τ = 0 the second term of c_k
would only hold what the whitening changes; but |ξ|^(p−1) has no bound, and entries where residuals
happen to cancel would then decide everything, by large shares of either sign.

It is enough that z has the blocks of ξ: without a last step, or with a soft whitening.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Floats, Matrix
from .residuals import generalized_max_weights, pool_generalized_max, pool_sums
from .vlad import Vlad
from .whitening import SoftWhitening, signed_power


@dataclass(frozen=True, eq=False)
class WordShares:
    """What the keypoints of a word add to its block of a page's vector."""

    start: int  # the first entry of the block
    keypoints: NDArray[np.intp]  # (n,)
    shares: Matrix  # (n, block)

    @property
    def block(self) -> slice:
        """The entries of the word."""
        return slice(self.start, self.start + self.shares.shape[1])


@dataclass(frozen=True, eq=False)
class Contributions:
    """The vector of a page, as far as it is a sum over keypoints."""

    positions: Matrix  # (keypoints, 2): x, y on the prepared page
    words: tuple[WordShares, ...]  # those that have keypoints, in the order of their entries
    side: float  # pixels of the largest patch that a descriptor sums up

    def placed(self, start: int, scale: float) -> Contributions:
        """The same as a part of a longer vector, from the entry ``start``, times ``scale``."""
        words = [
            WordShares(start + word.start, word.keypoints, np.float32(scale) * word.shares)
            for word in self.words
        ]
        return replace(self, words=tuple(words))

    def to(self, vector: NDArray[np.floating]) -> Floats:  # (dim,) -> (keypoints,)
        """What each keypoint adds to the product with a vector."""
        found = np.zeros(len(self.positions))
        for word in self.words:
            found[word.keypoints] += word.shares @ vector[word.block]
        return found

    def sums(self, weights: NDArray[np.floating], dim: int) -> Matrix:  # (m, keypoints) -> (m, dim)
        """Weighted sums over keypoints; with ones the vector, where words have keypoints."""
        vectors = np.zeros((len(weights), dim), np.float32)
        for word in self.words:
            vectors[:, word.block] = weights[:, word.keypoints] @ word.shares
        return vectors


def joined(parts: Sequence[Contributions]) -> Contributions:
    """Contributions to different entries of one vector as one."""
    first = np.cumsum([0, *(len(part.positions) for part in parts)])
    words = [
        replace(word, keypoints=word.keypoints + before)
        for part, before in zip(parts, first, strict=False)
        for word in part.words
    ]
    positions = np.concatenate([part.positions for part in parts])
    return Contributions(positions, tuple(words), max(part.side for part in parts))


def finish_encoding(
    encoding: Matrix, whitening: SoftWhitening | None
) -> tuple[Matrix, float]:  # (dim,) -> (dim,)
    """The vector of a page from its encoding, and by what a change of the latter is scaled."""
    if whitening is None:
        return encoding, 1.0
    vector = whitening.whiten(encoding)
    scale = 1 / float(np.linalg.norm(vector))
    return vector * np.float32(scale), scale


def vlad_contributions(
    vlad: Vlad,
    local: Matrix,  # (keypoints, raw dim)
    positions: Matrix,  # (keypoints, 2)
    side: float,
    finished: Matrix,  # (vlad.dim,): the page's vector after all steps, where it has this encoding
    scale: float,  # of a change of the encoding on the way there
) -> Contributions:
    """The shares of the keypoints that were encoded."""
    if not len(local):
        return Contributions(positions, (), side)
    config = vlad.config
    places, residuals, counts = vlad.residuals(local)
    wide = residuals.astype(np.float64)
    numbers = counts[:, 0]
    if config.aggregation == "sum":
        pooled = pool_sums(wide, counts)[:, 0]  # (words, block)
        parts = wide
    else:
        pooled = pool_generalized_max(wide, counts, config.ridge)[:, 0]
        weights = generalized_max_weights(wide, numbers, pooled, config.ridge)
        parts = wide * weights[:, None]
    powered = signed_power(pooled, config.power).astype(np.float64)
    bound = np.sqrt(np.square(pooled).mean()) or 1.0
    slopes = np.abs(powered) / np.maximum(np.abs(pooled), bound)
    slopes *= scale / (np.linalg.norm(powered) or 1.0)
    left = finished.reshape(pooled.shape) - slopes * pooled
    words_of = np.repeat(np.arange(len(numbers)), numbers)
    parts = parts * slopes[words_of] + (left / np.maximum(numbers, 1)[:, None])[words_of]
    ends = np.cumsum(numbers)
    shares = parts.astype(np.float32)
    words = [
        WordShares(int(word) * pooled.shape[1], places[start:end], shares[start:end])
        for word, start, end in zip(range(len(ends)), ends - numbers, ends, strict=True)
        if end > start
    ]
    return Contributions(positions, tuple(words), side)


def pair_shares(one: Contributions, other: Contributions) -> Any:
    """What every pair of keypoints adds to the cosine: a sparse matrix, one page's by the other's.

    Only keypoints that share a word of some vocabulary have an entry.
    """
    there = {word.start: word for word in other.words}
    rows, columns, values = [], [], []
    for word in one.words:
        if (match := there.get(word.start)) is None:
            continue
        values.append((word.shares @ match.shares.T).ravel())
        rows.append(np.repeat(word.keypoints, len(match.keypoints)))
        columns.append(np.tile(match.keypoints, len(word.keypoints)))
    shape = (len(one.positions), len(other.positions))
    sparse = need("scipy.sparse")
    if not values:
        return sparse.csr_array(shape, dtype=np.float32)
    places = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))
    return sparse.csr_array((np.concatenate(values), places), shape=shape)
