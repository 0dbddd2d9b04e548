"""Average pooling: every position counts the same.

ξ = Σᵢ wᵢφᵢ / Σᵢ wᵢ
"""

from __future__ import annotations

from torch import Tensor

from .layer import Pooling


class AveragePool(Pooling):
    """The mean of all positions, channel by channel."""

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        return weighted_average(phi, weights)


def weighted_average(
    values: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C)
    """The mean over the positions, each counted by its weight."""
    if weights is None:
        return values.mean(dim=2)
    return (values * shares(weights).unsqueeze(1)).sum(dim=2)


def shares(weights: Tensor) -> Tensor:  # (B, N) -> (B, N)
    """The weights as parts of one; zeros where an image has no position."""
    total = weights.sum(dim=1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1)
