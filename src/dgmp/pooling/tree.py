"""Tree pooling: learned poolings at the leaves, learned gates above them.

    leaf m of channel c     Σᵢ softmaxᵢ(β_m φ_ci)·φ_ci      β_m = 0: average, β_m → ∞: maximum
    node n of channel c     g·left + (1 − g)·right,  g = σ(ω_nc·avg_c)

A tree of 2 levels, the default, has two leaves and one node. The β start evenly spread from 0 to
10, the ω at 0, an even mix.

In Lee et al. the leaves are linear filters over the cells of a fixed window, and the gates too.
Positions of a global map have no fixed number or order, so a filter over them has no meaning here:
our leaves are the nearest thing that is free of position, and keep their idea of learned poolings
mixed by what they see.

Lee, Gallagher, Tu: Generalizing Pooling Functions in Convolutional Neural Networks, AISTATS 2016.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .average import weighted_average
from .layer import Pooling
from .log_sum_exp import position_softmax


class TreePool(Pooling):
    """Softmax-weighted averages, mixed pair by pair up to the root."""

    def __init__(self, channels: int, levels: int = 2, *, normalize: bool = False) -> None:
        super().__init__(normalize=normalize)
        if levels < 1:
            raise ValueError(f"levels must be at least 1, got {levels}")
        self.channels = self.out_channels = channels
        self.levels = levels
        leaves = 2 ** (levels - 1)
        self.sharpness = nn.Parameter(torch.empty(leaves))
        self.gates = nn.Parameter(torch.empty(leaves - 1, channels))  # the root first, then below
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Back to an even mix of evenly spread leaves."""
        with torch.no_grad():
            self.sharpness.copy_(torch.linspace(0, 10, len(self.sharpness)))
        nn.init.zeros_(self.gates)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        average = weighted_average(phi, weights)
        sharpness = self.sharpness.to(phi.dtype)
        nodes = torch.stack([self._leaf(phi, weights, beta) for beta in sharpness], dim=1)
        gates = torch.sigmoid(self.gates.to(phi.dtype) * average.unsqueeze(1))
        for level in reversed(range(self.levels - 1)):
            gate = gates[:, 2**level - 1 : 2 ** (level + 1) - 1]  # (B, nodes of the level, C)
            nodes = gate * nodes[:, 0::2] + (1 - gate) * nodes[:, 1::2]
        return nodes.squeeze(1)

    @staticmethod
    def _leaf(phi: Tensor, weights: Tensor | None, beta: Tensor) -> Tensor:  # (B, C)
        return (position_softmax(beta * phi, weights) * phi).sum(dim=2)
