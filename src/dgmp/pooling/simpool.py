"""SimPool: the average is the query of an attention over positions, pooled by a power mean.

    q = W_q·avg(φ),   kᵢ = W_k·LN(φᵢ),   vᵢ = LN(φᵢ) − min + ε
    a = softmaxᵢ(qᵀkᵢ / √C),   ξ = (Σᵢ aᵢ vᵢ^γ)^(1/γ)      γ = 2, one head; γ is not learned

LN runs over the channels of a position. The minimum is that of all channels and positions of the
image, or with ``per_channel`` that of all positions, for each channel; the authors' code takes it
over the batch, by which one image would change another, timm's by channel. ε = 1e-6 keeps the root
differentiable.

Psomas et al.: Keep It SimPool: Who Said Supervised Transformers Suffer from Attention Deficit?,
ICCV 2023.
"""

from __future__ import annotations

import math

import torch.nn.functional as F
from torch import Tensor, nn

from .average import weighted_average
from .layer import Pooling
from .log_sum_exp import position_softmax
from .maximum import bounded, present_maximum


class SimPool(Pooling):
    """Attention with the average as its only query and no value projection."""

    def __init__(
        self,
        channels: int,
        gamma: float = 2.0,
        *,
        eps: float = 1e-6,
        per_channel: bool = False,
        normalize: bool = False,
    ) -> None:
        super().__init__(normalize=normalize)
        if not gamma > 0:
            raise ValueError(f"gamma must be positive, got {gamma}")
        self.channels = self.out_channels = channels
        self.gamma = gamma
        self.eps = eps
        self.per_channel = per_channel
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.query = nn.Linear(channels, channels, bias=False)
        self.key = nn.Linear(channels, channels, bias=False)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        phi, _ = bounded(phi, weights)
        tokens = F.layer_norm(
            phi.mT,
            self.norm.normalized_shape,
            self.norm.weight.to(phi.dtype),
            self.norm.bias.to(phi.dtype),
            self.norm.eps,
        )  # (B, N, C)
        query = F.linear(weighted_average(phi, weights), self.query.weight.to(phi.dtype))
        keys = F.linear(tokens, self.key.weight.to(phi.dtype))
        scores = query.unsqueeze(1) @ keys.mT / math.sqrt(phi.shape[1])  # (B, 1, N)
        answers = position_softmax(scores, weights) @ self._values(tokens, weights)
        # No position, no answer: and the root of 0 has no derivative.
        none = answers == 0
        return answers.masked_fill(none, 1).pow(1 / self.gamma).masked_fill(none, 0).squeeze(1)

    def _values(self, tokens: Tensor, weights: Tensor | None) -> Tensor:  # (B, N, C)
        values = tokens.mT if self.per_channel else tokens.amin(dim=2).unsqueeze(1)
        smallest = -present_maximum(-values, weights)  # (B, C) or (B, 1)
        # Only an absent position can be below the smallest value of the present ones.
        above = (tokens - smallest.unsqueeze(1)).clamp(min=0)
        return (above + self.eps) ** self.gamma
