"""Max pooling: each channel keeps its largest value.

    ξ_c = max φ_ci over all positions i with wᵢ > 0

The size of a positive weight does not matter here, as it must not: copies do not raise a maximum.
Of positions that share the maximum one gets its gradient.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from .layer import Pooling
from .solvers import at_once, can_read

_COUNTED = 2**24  # float32 holds every whole number up to here


class MaxPool(Pooling):
    """The largest value of each channel."""

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        return present_maximum(phi, weights)


def present_maximum(
    values: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C)
    """The maximum over the positions that are there, 0 where none is."""
    return _over_present(values, weights, _first_largest)


def present_peak(
    values: Tensor,  # (B, C, N)
    weights: Tensor | None,  # (B, N)
) -> Tensor:  # (B, C)
    """The same as a constant for autograd, and several times faster."""
    return _over_present(values.detach(), weights, lambda values: values.amax(dim=2))


def show_broken(
    pooled: Tensor,  # (B, C)
    values: Tensor,  # (B, C, N)
) -> Tensor:  # (B, C)
    """NaN for channels with −∞, which a maximum would pass over: broken features must show."""
    values = values.detach()
    if at_once(values) and values.numel() and values.amin() > -torch.inf:
        return pooled
    return pooled.masked_fill(values.amin(dim=2).isneginf(), torch.nan)


def _over_present(
    values: Tensor, weights: Tensor | None, largest: Callable[[Tensor], Tensor]
) -> Tensor:
    if weights is None:
        return show_broken(largest(values), values)
    absent = (weights == 0).unsqueeze(1)  # (B, 1, N)
    highest = show_broken(largest(values.masked_fill(absent, -torch.inf)), values)
    return highest.masked_fill(absent.all(dim=2), 0)


def _first_largest(values: Tensor) -> Tensor:  # (B, C, N) -> (B, C)
    # The gradient of amax looks for ties, which takes longer than all else, and kernels that find
    # the place of a maximum compare one value at a time.
    if at_once(values) and values.shape[2] < _COUNTED:
        known = values.detach()
        peak = known.amax(dim=2, keepdim=True)
        if not peak.isnan().any():
            return values.gather(2, _first_place(known, peak)).squeeze(2)
    if can_read(values) and not torch.compiler.is_compiling():
        return F.adaptive_max_pool2d(values.unsqueeze(2), 1).flatten(1)
    return values.max(dim=2).values


def _first_place(values: Tensor, peak: Tensor) -> Tensor:  # (B, C, N), (B, C, 1) -> (B, C, 1)
    """Where the first of the values stands that equal the peak."""
    count = values.shape[2]
    # A comparison that writes numbers is vectorised, one that writes booleans is not.
    hits = torch.eq(values, peak, out=torch.empty_like(values))
    left = hits.mul_(torch.arange(count, 0, -1, dtype=values.dtype)).amax(dim=2, keepdim=True)
    return count - left.long()


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
