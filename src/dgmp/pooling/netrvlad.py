"""NetRVLAD: soft assignment to learned clusters, residuals summed in each.

    V_k = Σᵢ wᵢ a_k(φᵢ) (φᵢ − c_k),   a(φ) = softmax over k of (ω_kᵀφ + b_k)
    ξ   = all V_k one after the other, K·C numbers

What sets it apart from NetVLAD is what is missing: ω, b and the centers c start at random and do
not depend on each other, positions are not brought to unit length, nor are the V_k. (In video
retrieval the same name stands for a NetVLAD without residuals, which this is not.) As a sum it
grows with the number of positions; its authors bring the whole to unit length, ``normalize``.

Peer, Kleber, Sablatnig: Towards Writer Retrieval for Historical Datasets, ICDAR 2023.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layer import Pooling
from .maximum import bounded


class NetRvladPool(Pooling):
    """Residual sums of softly assigned positions."""

    def __init__(self, channels: int, clusters: int = 100, *, normalize: bool = False) -> None:
        super().__init__(normalize=normalize)
        if clusters < 1:
            raise ValueError(f"clusters must be at least 1, got {clusters}")
        self.channels = channels
        self.out_channels = clusters * channels
        self.clusters = clusters
        self.assignment = nn.Linear(channels, clusters)
        self.centers = nn.Parameter(torch.empty(clusters, channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """New centers; the assignment has a method of its own."""
        nn.init.uniform_(self.centers)

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        phi, _ = bounded(phi, weights)
        scores = self.assignment.weight.to(phi.dtype) @ phi  # (B, K, N)
        soft = (scores + self.assignment.bias.to(phi.dtype).unsqueeze(1)).softmax(dim=1)
        if weights is not None:
            soft = soft * weights.unsqueeze(1)
        residuals = soft @ phi.mT - soft.sum(dim=2, keepdim=True) * self.centers.to(phi.dtype)
        return residuals.flatten(start_dim=1)
