"""A channel mean to subtract before pooling, kept as batch normalisation keeps its own."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor, nn


class RunningMean(nn.Module):
    """Subtracts the channel mean of the positions that count.

    While training it is the mean of the batch, over all processes, and the gradient goes through
    it; a running mean is kept, which takes its place in eval mode. Positions are weighted by
    their attention, so that masked ones are left out.
    """

    def __init__(self, channels: int, momentum: float = 0.1) -> None:
        super().__init__()
        self.channels = channels
        self.momentum = momentum
        self.running_mean: Tensor
        self.register_buffer("running_mean", torch.zeros(channels))

    def reset_parameters(self) -> None:
        """Forget the mean."""
        self.running_mean.zero_()

    def extra_repr(self) -> str:
        return f"{self.channels}, momentum={self.momentum}"

    def forward(
        self,
        phi: Tensor,  # (B, C, N)
        weights: Tensor | None,  # (B, N)
    ) -> Tensor:  # (B, C, N)
        if phi.shape[1] != self.channels:
            raise ValueError(
                f"center={self.channels} must be the number of channels, got features with "
                f"{phi.shape[1]}"
            )
        if not self.training:
            return phi - self.running_mean.to(phi.dtype).unsqueeze(1)
        if weights is None:
            total = phi.sum(dim=(0, 2))
            count = phi.new_tensor(phi.shape[0] * phi.shape[2])
        else:
            total = torch.einsum("bcn,bn->c", phi, weights)
            count = weights.sum()
        sums = torch.cat([total, count.unsqueeze(0)])  # (C + 1,)
        if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1:
            sums = _AllReduce.apply(sums)
        mean = sums[:-1] / torch.where(sums[-1] > 0, sums[-1], 1)
        with torch.no_grad():
            # A step with a non-finite batch is skipped by loss scaling; the mean must outlive it.
            update = torch.where(mean.isfinite() & (sums[-1] > 0), mean, self.running_mean)
            self.running_mean.lerp_(update.to(self.running_mean.dtype), self.momentum)
        return phi - mean.unsqueeze(1)


class _AllReduce(torch.autograd.Function):
    """The sum over all processes; so is its gradient, as every process uses every part."""

    @staticmethod
    def forward(ctx, tensor):  # type: ignore[no-untyped-def]
        tensor = tensor.clone()
        dist.all_reduce(tensor)
        return tensor

    @staticmethod
    def backward(ctx, grad):  # type: ignore[no-untyped-def]
        grad = grad.clone()
        dist.all_reduce(grad)
        return grad
