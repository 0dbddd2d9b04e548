"""Log-sum-exp pooling: a smooth maximum.

    ξ = (1/r)·log( Σᵢ wᵢ exp(rφᵢ) / Σᵢ wᵢ )      r: the sharpness, starts at 10

As r → 0 it tends to the average, as r → ∞ to the maximum. The sharpness is learned as its log, so
it stays positive. All exponentials are taken relative to the largest, so none can overflow.

Pinheiro, Collobert: From Image-level to Pixel-level Labeling with Convolutional Networks, CVPR
2015.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .average import weighted_average
from .layer import Pooling, one_number
from .maximum import present_peak, show_broken
from .precision import widened


class LogSumExpPool(Pooling):
    """A smooth maximum of each channel, with one learned sharpness."""

    def __init__(self, sharpness: float = 10.0, *, normalize: bool = False) -> None:
        super().__init__(normalize=normalize)
        if not sharpness > 0:
            raise ValueError(f"sharpness must be positive, got {sharpness}")
        self.initial_sharpness = sharpness
        self.log_sharpness = nn.Parameter(one_number(math.log(sharpness)))

    def reset_parameters(self) -> None:
        """Back to the sharpness it was built with."""
        nn.init.constant_(self.log_sharpness, math.log(self.initial_sharpness))

    @property
    def sharpness(self) -> Tensor:
        return widened(self.log_sharpness).exp()

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        sharpness = self.log_sharpness.to(phi.dtype).exp()
        return log_mean_exp(sharpness * phi, weights) / sharpness


def log_mean_exp(
    scores: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C)
    """log(Σᵢ wᵢ exp(sᵢ) / Σᵢ wᵢ), 0 where an image has no position."""
    if weights is None:
        count = torch.full((), scores.shape[2], dtype=scores.dtype, device=scores.device)
        return show_broken(scores.logsumexp(dim=2) - count.log(), scores)
    peak, mass = _relative_exp(scores, weights)
    mean = weighted_average(mass, weights)
    return peak + mean.masked_fill(mean == 0, 1).log()


def position_softmax(
    scores: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C, N)
    """wᵢ exp(sᵢ) / Σⱼ wⱼ exp(sⱼ), zeros where an image has no position."""
    if weights is None:
        return scores.softmax(dim=2)
    _, mass = _relative_exp(scores, weights)
    mass = mass * weights.unsqueeze(1)
    total = mass.sum(dim=2, keepdim=True)
    return mass / total.masked_fill(total == 0, 1)


def _relative_exp(
    scores: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> tuple[Tensor, Tensor]:  # (B, C), (B, C, N)
    # Whatever is taken off cancels out of both formulas, so it needs no gradient. Only an absent
    # position can be above the peak: cut there, it cannot overflow before its weight makes it 0.
    peak = present_peak(scores, weights)
    return peak, (scores - peak.unsqueeze(2)).clamp(max=0).exp()
