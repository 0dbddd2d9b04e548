"""Covariance pooling (iSQRT-COV): how channels vary together, brought to the scale of features.

    Σ = Σᵢ wᵢ(φᵢ − μ)(φᵢ − μ)ᵀ / Σᵢ wᵢ,   ξ = the upper triangle of Σ^½

The square root is approached by Newton–Schulz steps on A = Σ / tr Σ, matrix products only:

    Y ← ½Y(3I − ZY),  Z ← ½(3I − ZY)Z,  starting at Y = A, Z = I;   Σ^½ ≈ Y·√tr Σ

Five steps leave directions of little variance well below their root; this is part of the method.
Where there are more channels than ``reduced``, a learned 1×1 projection brings them down to that
many; it has no bias, which the mean would take away again. A single position has no covariance and
pools to zeros.

Li, Xie, Wang, Gao: Towards Faster Training of Global Covariance Pooling Networks by Iterative
Matrix Square Root Normalization, CVPR 2018.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .average import shares, weighted_average
from .layer import Pooling
from .maximum import bounded


class CovariancePool(Pooling):
    """The upper triangle of the root of the covariance: r(r+1)/2 numbers for r channels."""

    def __init__(
        self, channels: int, reduced: int = 256, *, iterations: int = 5, normalize: bool = False
    ) -> None:
        super().__init__(normalize=normalize)
        if reduced < 1:
            raise ValueError(f"reduced must be at least 1, got {reduced}")
        if iterations < 1:
            raise ValueError(f"iterations must be at least 1, got {iterations}")
        width = min(channels, reduced)
        self.channels = channels
        self.out_channels = width * (width + 1) // 2
        self.reduced = reduced
        self.iterations = iterations
        self.projection = nn.Linear(channels, reduced, bias=False) if channels > reduced else None

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        # ξ grows with the features, so their size may be taken out, and no product overflows.
        phi, size = bounded(phi, weights)
        size = size.masked_fill(size == 0, 1)
        phi = phi / size
        if self.projection is not None:
            phi = self.projection.weight.to(phi.dtype) @ phi
        root = matrix_square_root(covariance(phi, weights), self.iterations) * size
        rows, columns = torch.triu_indices(*root.shape[1:], device=root.device)
        return root[:, rows, columns]


def covariance(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C, C)
    """The covariance of the channels over the positions, each counted by its weight."""
    centered = phi - weighted_average(phi, weights).unsqueeze(2)
    if weights is None:
        return centered @ centered.mT / phi.shape[2]
    return (centered * shares(weights).unsqueeze(1)) @ centered.mT


def matrix_square_root(matrices: Tensor, iterations: int) -> Tensor:  # (B, C, C) -> (B, C, C)
    """The Newton–Schulz root of symmetric matrices without negative eigenvalues."""
    trace = matrices.diagonal(dim1=1, dim2=2).sum(dim=1)[:, None, None]
    trace = trace.masked_fill(trace == 0, 1)
    identity = torch.eye(matrices.shape[1], dtype=matrices.dtype, device=matrices.device)
    y, z = matrices / trace, identity.expand_as(matrices)
    for _ in range(iterations):
        step = (3 * identity - z @ y) / 2
        y, z = y @ step, step @ z
    return y * trace.sqrt()
