"""Generalized max pooling with learned attention: which positions count at all.

GMP balances positions by how often they occur and knows nothing of what they show. A 1×1
convolution gives each position a weight wᵢ = 2σ(aᵀφᵢ + b), and GMP solves the weighted problem. At
the start a and b are zero, every weight is one, and the layer is plain GMP.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from .generalized_max import GeneralizedMaxPool
from .layer import Pooling


class AttentiveGeneralizedMaxPool(Pooling):
    """See the module; the arguments after ``channels`` are those of :class:`GeneralizedMaxPool`.

    An ``attention`` that is passed in multiplies the learned one, so masks keep their meaning.
    """

    def __init__(
        self,
        channels: int,
        ridge: float | None = None,
        *,
        relative: bool | None = None,
        target: Literal["energy", "one"] | None = None,
        group: int | None = None,
        learn_ridge: bool | Literal["linear"] = True,
        center: int | bool = 0,
        normalize: bool | None = None,
    ) -> None:
        gmp = GeneralizedMaxPool(
            ridge,
            relative=relative,
            target=target,
            group=group,
            learn_ridge=learn_ridge,
            center=channels if center is True else center,
            normalize=normalize,
        )
        super().__init__(normalize=gmp.normalize)
        self.channels = channels
        self.score = _EvenScore(channels, 1, kernel_size=1)
        self.gmp = gmp

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        if weights is not None:  # what is not there must not reach the scores either
            phi = phi.masked_fill((weights == 0).unsqueeze(1), 0)
        return self.gmp.pool(phi, self.attention(phi, weights))

    def attention(
        self,
        phi: Tensor,  # (B, C, N)
        weights: Tensor | None = None,  # (B, N)
    ) -> Tensor:  # (B, N)
        """The weight of each position, to look at."""
        assert self.score.bias is not None
        weight, bias = self.score.weight.to(phi.dtype), self.score.bias.to(phi.dtype)
        score = nn.functional.conv1d(phi, weight, bias).squeeze(1)
        learned = 2 * torch.sigmoid(score)
        return learned if weights is None else learned * weights


class _EvenScore(nn.Conv1d):
    """Scores that start at zero, also when the module is reset from outside."""

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.weight)
        assert self.bias is not None
        nn.init.zeros_(self.bias)
