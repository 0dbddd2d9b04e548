"""Gated pooling: each channel of each image decides between maximum and average.

    a_c = σ(ω_avg,c·avg_c + ω_max,c·max_c)
    ξ_c = a_c·max_c + (1 − a_c)·avg_c

The gates ω start at 0, an even mix. Lee et al. let the gate see the raw values of a fixed window;
a global map has none of fixed size, so ours sees the two numbers it decides between.

Lee, Gallagher, Tu: Generalizing Pooling Functions in Convolutional Neural Networks, AISTATS 2016.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .average import weighted_average
from .layer import Pooling
from .maximum import present_maximum


class GatedPool(Pooling):
    """Maximum and average, mixed by a learned gate for each channel."""

    def __init__(self, channels: int, *, normalize: bool = False) -> None:
        super().__init__(normalize=normalize)
        self.channels = self.out_channels = channels
        self.average_gate = nn.Parameter(torch.zeros(channels))
        self.maximum_gate = nn.Parameter(torch.zeros(channels))

    def reset_parameters(self) -> None:
        """Back to an even mix."""
        nn.init.zeros_(self.average_gate)
        nn.init.zeros_(self.maximum_gate)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        maximum, average = present_maximum(phi, weights), weighted_average(phi, weights)
        gate = torch.sigmoid(
            self.average_gate.to(phi.dtype) * average + self.maximum_gate.to(phi.dtype) * maximum
        )
        return average + gate * (maximum - average)
