"""Generalized max pooling for loud and silent positions: each is met in proportion to its energy.

The problem of :mod:`dgmp.pooling.generalized_max` wants φᵢᵀξ = 1 of every position, of noise and
background as much as of what matters, and its ξ gets shorter as the features get larger. Here the
target of a position is its own energy,

    minimise Σᵢ wᵢ(φᵢᵀξ − ‖φᵢ‖²)² + λ‖ξ‖²      λ = ρ Σᵢwᵢ‖φᵢ‖²
    the vector is (1 + ρ)ξ

so a silent position asks for nothing, positions that look alike still share one vote, and the
vector is a mean of the positions:

    positions that are all φ          φ, whatever ρ and their number
    ρ → ∞                             Σᵢwᵢ‖φᵢ‖²φᵢ / Σᵢwᵢ‖φᵢ‖², the average weighted by energy
    ρ → 0, orthogonal positions       their sum
    features c times as large         a vector c times as large

The channels are solved in groups, as every pattern has its own loud positions. A group of one
channel gives Σa³ / Σa² of its values a, a mean close to the maximum, as that of
:class:`~dgmp.pooling.GeneralizedMeanPool`.

With tᵢ = ‖φᵢ‖² this is the problem with targets of one for features φᵢ/tᵢ and weights wᵢtᵢ², and
is solved as such.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .differentiable import solve_ridge
from .ridge import Solved

# The largest feature of a group is 1. No target is smaller than this, or 1/t would leave the range.
_LEAST_TARGET = 1e-6
_LARGEST = 1e3  # feature under a weight of zero, or t² would


def solve_energy(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
    ridge: Tensor,  # ρ: (1,)
    group: int,
) -> tuple[Tensor, Solved]:  # (B, C)
    """The vector of each image, and the solutions of its groups in units of their largest value."""
    batch, channels, positions = phi.shape
    group = min(group, channels)
    if rest := -channels % group:  # a channel of zeros changes nothing
        phi = torch.cat([phi, phi.new_zeros(batch, rest, positions)], dim=1)
    groups = phi.shape[1] // group
    phi = phi.reshape(batch * groups, group, positions)
    counts = phi.new_ones(batch, positions) if weights is None else weights
    counts = counts.unsqueeze(1).expand(batch, groups, positions).flatten(0, 1)
    # The vector is proportional to the features, so their size may be taken out as a constant.
    heard = phi.detach() if weights is None else phi.detach() * (counts > 0).unsqueeze(1)
    size = heard.abs().amax(dim=(1, 2), keepdim=True)
    size = torch.where(size > 0, size, 1)
    phi = phi / size
    if weights is not None:
        unheard = (counts == 0).unsqueeze(1) & phi.isfinite()
        phi = torch.where(unheard, phi.clamp(-_LARGEST, _LARGEST), phi)
    target = phi.square().sum(dim=1).clamp(min=_LEAST_TARGET)  # (B·groups, N)
    scaled = phi * target.reciprocal().unsqueeze(1)  # a product takes less time than a quotient
    solved = solve_ridge(scaled, counts * target.square(), ridge, True)
    pooled = (1 + ridge) * size.squeeze(2) * solved.pooled  # (B·groups, group)
    solved = solved._replace(size=solved.size * size.flatten())
    return pooled.reshape(batch, groups * group)[:, :channels], solved
