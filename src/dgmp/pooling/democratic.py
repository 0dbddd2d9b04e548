"""Democratic pooling: weights by which every position counts alike in the sum.

    ξ = Σᵢ wᵢαᵢφᵢ  with α > 0 such that  αᵢ Σⱼ wⱼαⱼKᵢⱼ = (Σⱼ wⱼKᵢⱼ)^γ,   Kᵢⱼ = max(φᵢᵀφⱼ, 0)

γ = 0 is democratic pooling: each contribution αᵢφᵢ is equally similar to the sum. (In generalized
max pooling each position φᵢ itself is.) γ = 1 is sum pooling, α = 1; γ-democratic pooling lies
between. A damped Sinkhorn iteration finds α:

    αᵢ ← αᵢ √(target / σᵢ),   σᵢ = αᵢ Σⱼ wⱼαⱼKᵢⱼ,   starting at α = 1

A position that is all zeros adds nothing whatever its weight, and is left out. K takes N×N numbers
per image. γ is a constant, not learned.

Jégou, Zisserman: Triangulation Embedding and Democratic Aggregation for Image Search, CVPR 2014.
Lin, Maji, Koniusz: Second-order Democratic Aggregation, ECCV 2018; their K is (φᵢᵀφⱼ)², for they
sum the matrices φᵢφᵢᵀ; we sum vectors.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .layer import Pooling
from .maximum import bounded
from .solvers import rows_times


class DemocraticPool(Pooling):
    """The sum to which every position contributes equally (γ = 0)."""

    def __init__(self, *, iterations: int = 10, normalize: bool = False) -> None:
        super().__init__(normalize=normalize)
        self.iterations = _at_least_one(iterations)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        return democratic_pool(phi, weights, gamma=0.0, iterations=self.iterations)


class GammaDemocraticPool(Pooling):
    """Between democratic pooling (γ = 0) and the sum (γ = 1)."""

    def __init__(
        self, gamma: float = 0.5, *, iterations: int = 10, normalize: bool = False
    ) -> None:
        super().__init__(normalize=normalize)
        if not 0 <= gamma <= 1:
            raise ValueError(f"gamma must be between 0 and 1, got {gamma}")
        self.gamma = gamma
        self.iterations = _at_least_one(iterations)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        return democratic_pool(phi, weights, gamma=self.gamma, iterations=self.iterations)


def democratic_pool(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    *,
    gamma: float,
    iterations: int,
) -> Tensor:  # (B, C)
    """The sum of all positions, each times its democratic weight."""
    alpha = democratic_weights(phi, weights, gamma=gamma, iterations=iterations)
    counted = alpha if weights is None else weights * alpha
    return (counted.unsqueeze(1) * phi).sum(dim=2)


def democratic_weights(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    *,
    gamma: float,
    iterations: int,
) -> Tensor:  # (B, N)
    """The α of the formula."""
    # Features t times as large have an α t^(γ−1) times as large. So their size may be taken out
    # first, and the products of K neither overflow nor vanish.
    phi, size = bounded(phi, weights)
    size = size.masked_fill(size < torch.finfo(size.dtype).tiny, 1)
    phi = phi / size
    kernel = (phi.mT @ phi).relu()  # (B, N, N)
    counts = phi.new_ones(phi[:, 0].shape) if weights is None else weights

    similarity = rows_times(counts, kernel)
    silent = similarity == 0
    target = similarity.masked_fill(silent, 1) ** gamma
    alpha = torch.ones_like(counts)
    for _ in range(iterations):
        say = alpha * rows_times(counts * alpha, kernel)
        alpha = alpha * (target / say.masked_fill(silent, 1)).sqrt()
    return alpha * size.squeeze(2) ** (gamma - 1)


def _at_least_one(iterations: int) -> int:
    if iterations < 1:
        raise ValueError(f"iterations must be at least 1, got {iterations}")
    return iterations
