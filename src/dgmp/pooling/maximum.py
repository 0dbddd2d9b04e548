"""Max pooling: each channel keeps its largest value.

    ξ_c = max φ_ci over all positions i with wᵢ > 0

The size of a positive weight does not matter here, as it must not: copies do not raise a maximum.
Positions that share the maximum share its gradient.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .layer import Pooling


class MaxPool(Pooling):
    """The largest value of each channel."""

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        return present_maximum(phi, weights)


def present_maximum(
    values: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C)
    """The maximum over the positions that are there, 0 where none is."""
    # A maximum would pass over −∞ in silence; broken features must show.
    values = values.masked_fill(values.isneginf(), torch.nan)
    if weights is None:
        return values.amax(dim=2)
    absent = (weights == 0).unsqueeze(1)  # (B, 1, N)
    highest = values.masked_fill(absent, -torch.inf).amax(dim=2)
    return highest.masked_fill(absent.all(dim=2), 0)


def bounded(
    phi: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> tuple[Tensor, Tensor]:  # (B, C, N), (B, 1, 1)
    """The features with absent positions cut to the largest size of the present ones; that size.

    A position of weight 0 may hold 1e30, and 0·(1e30)² is not a number in float32. Cut, it cannot
    overflow, and ordinary values stay as they are for the gradient of their weight. The size is a
    constant for autograd: 0 where an image has no position or is all zeros.
    """
    size = phi.detach().abs()
    if weights is None:
        return phi, size.amax(dim=(1, 2), keepdim=True)
    absent = (weights == 0).unsqueeze(1)  # (B, 1, N)
    largest = size.masked_fill(absent, 0).amax(dim=(1, 2), keepdim=True)
    return phi.clamp(-largest, largest), largest
