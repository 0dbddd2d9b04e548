"""Generalized mean pooling (GeM): the power mean of each channel.

    ξ = ( Σᵢ wᵢ max(φᵢ, ε)ᵖ / Σᵢ wᵢ )^(1/p)      p: the exponent, starts at 3;  ε = 1e-6

p = 1 is the average (of features above ε), p → ∞ the maximum. The exponent is learned as its log,
so it stays positive. The powers are taken as exp(p·log φ): no large feature can overflow them.

Radenović, Tolias, Chum: Fine-tuning CNN Image Retrieval with No Human Annotation, TPAMI 2019.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .layer import Pooling, one_number
from .log_sum_exp import log_mean_exp
from .precision import widened


class GeneralizedMeanPool(Pooling):
    """The power mean of each channel, with one learned exponent."""

    def __init__(
        self, exponent: float = 3.0, *, eps: float = 1e-6, normalize: bool = False
    ) -> None:
        super().__init__(normalize=normalize)
        if not exponent > 0:
            raise ValueError(f"exponent must be positive, got {exponent}")
        if not eps > 0:
            raise ValueError(f"eps must be positive, got {eps}")
        self.initial_exponent = exponent
        self.log_exponent = nn.Parameter(one_number(math.log(exponent)))
        self.eps = eps

    def reset_parameters(self) -> None:
        """Back to the exponent it was built with."""
        nn.init.constant_(self.log_exponent, math.log(self.initial_exponent))

    @property
    def exponent(self) -> Tensor:
        return widened(self.log_exponent).exp()

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        exponent = self.log_exponent.to(phi.dtype).exp()
        # The clamp would hide −∞; broken features must show.
        logs = phi.masked_fill(phi.isneginf(), torch.nan).clamp(min=self.eps).log()
        pooled = (log_mean_exp(exponent * logs, weights) / exponent).exp()
        if weights is None:
            return pooled
        return pooled.masked_fill((weights == 0).all(dim=1, keepdim=True), 0)
