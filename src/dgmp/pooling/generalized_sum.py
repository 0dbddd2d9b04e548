"""Generalized sum pooling (GSP): the share of positions that learned prototypes claim.

Every position offers the same mass, of which the prototypes p_k take a share μ in all, each the
more the nearer it is: a smoothed problem of optimal transport in which the rest stays where it is.

    minimise Σ c_ki π_ki + H/γ  so that  r_i + Σ_k π_ki = wᵢ / Σw,  Σ π_ki = μ,   c_ki = ‖p̂_k − φ̂ᵢ‖

H is the negative entropy of the plan π ≥ 0 and of the rest r ≥ 0, a hat stands for unit length. The
part of a position that is taken has a closed form up to one number for each image, t:

    aᵢ = σ(t + log Σ_k exp(−γ c_ki)),   t such that Σ wᵢaᵢ = μ Σ wᵢ,   ξ = Σ wᵢaᵢφᵢ / (μ Σ wᵢ)

μ → 1 is the average. t is found by bisection; two steps of Newton's method from there have its
first and second derivatives. The authors measure costs on a linear projection of the features,
which can be a layer before this one, and train with a loss on the plan, which is not part of this.

Gürbüz, Şener, Alatan: Generalized Sum Pooling for Metric Learning, ICCV 2023.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .average import shares
from .layer import Pooling, unit_length
from .maximum import bounded

_BISECTIONS = 30


class GeneralizedSumPool(Pooling):
    """The average of the positions that are nearest to learned prototypes.

    ``ratio`` is μ, ``sharpness`` γ; their values and the number of prototypes are those of the
    authors' configuration. They are constants, not learned.
    """

    def __init__(
        self,
        channels: int,
        prototypes: int = 32,
        *,
        ratio: float = 0.5,
        sharpness: float = 20.0,
        normalize: bool = False,
    ) -> None:
        super().__init__(normalize=normalize)
        if prototypes < 1:
            raise ValueError(f"prototypes must be at least 1, got {prototypes}")
        if not 0 < ratio < 1:
            raise ValueError(f"ratio must be between 0 and 1, got {ratio}")
        if not sharpness > 0:
            raise ValueError(f"sharpness must be positive, got {sharpness}")
        self.channels = self.out_channels = channels
        self.ratio = ratio
        self.sharpness = sharpness
        self.prototypes = nn.Parameter(torch.empty(prototypes, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """New prototypes; only their directions matter."""
        nn.init.normal_(self.prototypes)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        phi, _ = bounded(phi, weights)
        share = shares(torch.ones_like(phi[:, 0]) if weights is None else weights)
        taken = share * torch.sigmoid(self._claims(phi, share))
        total = taken.sum(dim=1, keepdim=True)
        taken = taken / total.masked_fill(total == 0, 1)
        return (taken.unsqueeze(1) * phi).sum(dim=2)

    def _claims(self, phi: Tensor, share: Tensor) -> Tensor:  # (B, C, N), (B, N) -> (B, N)
        """t + log Σ_k exp(−γ c_ki)."""
        prototypes = unit_length(self.prototypes.to(phi.dtype))
        positions = unit_length(phi.mT)  # (B, N, C)
        lengths = positions.square().sum(dim=2, keepdim=True) + 1  # 2, but 1 where all is zero
        square = lengths - 2 * positions @ prototypes.mT  # (B, N, K)
        cost = square.clamp(min=torch.finfo(phi.dtype).eps).sqrt()
        claims = torch.logsumexp(-self.sharpness * cost, dim=2)
        return claims + _threshold(claims, share, self.ratio, self._range()).unsqueeze(1)

    def _range(self) -> tuple[float, float]:
        """Where t lies for certain: no cost is below 0 or above 2."""
        middle = math.log(self.ratio / (1 - self.ratio)) - math.log(len(self.prototypes))
        return middle - 1, middle + 2 * self.sharpness + 1


def _threshold(
    claims: Tensor,  # s: (B, N)
    share: Tensor,  # (B, N)
    ratio: float,
    within: tuple[float, float],
) -> Tensor:  # t: (B,)
    """The t at which Σ shareᵢ σ(sᵢ + t) = ratio."""
    low, high = (torch.full_like(claims[:, 0], edge) for edge in within)
    constant = claims.detach(), share.detach()
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        above = _taken(*constant, middle) > ratio
        low, high = torch.where(above, low, middle), torch.where(above, middle, high)
    t = (low + high) / 2
    for _ in range(2):
        part = torch.sigmoid(claims + t.unsqueeze(1))
        slope = (share * part * (1 - part)).sum(dim=1)
        t = t - (_taken(claims, share, t) - ratio) / slope.masked_fill(slope == 0, 1)
    return t


def _taken(claims: Tensor, share: Tensor, t: Tensor) -> Tensor:  # (B,)
    """Σ shareᵢ σ(sᵢ + t)."""
    return (share * torch.sigmoid(claims + t.unsqueeze(1))).sum(dim=1)
