"""The exact gradient of a batch that does not fit into memory in one piece.

A triplet loss ties all outputs of a batch together, yet its gradient passes from the outputs to the
network patch by patch:

    outputs e = f(x) without a graph, chunk by chunk  ->  loss L(e)  ->  g = ∂L/∂e
    again chunk by chunk: f(x) with its graph, and Σ ⟨f(x), g⟩ backward

which holds one chunk's graph at a time and costs one more forward pass (Gao et al. 2021). Where
batch normalisation is frozen the result is that of one piece, but for rounding. Where it is
not, every chunk is normalised by its own statistics, in both passes alike, as small batches always
are; running statistics are updated once per chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..errors import DgmpError
from .distributed import gather, gradient_share
from .losses import Loss

if TYPE_CHECKING:
    from lightning_fabric import Fabric


def backward_in_chunks(
    model: nn.Module,
    images: Tensor,  # (B, 1, side, side): the part of this process
    labels: Tensor,  # (B,)
    loss: Loss,
    fabric: Fabric,
    chunk: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Add the gradient of the loss to the parameters; returns the loss and the active share."""
    parts = list(images.split(chunk or len(images)))
    if len(parts) == 1:
        outputs = model(images)
        value, active, gradient = _output_gradient(outputs, labels, loss, fabric)
        fabric.backward((outputs * gradient).sum())
        return value, active
    with torch.no_grad(), paused_statistics(model):
        outputs = torch.cat([model(part) for part in parts])
    value, active, gradient = _output_gradient(outputs, labels, loss, fabric)
    for number, (part, share) in enumerate(
        zip(parts, gradient.split(chunk or len(images)), strict=True), start=1
    ):
        with fabric.no_backward_sync(model, enabled=number < len(parts)):  # type: ignore[arg-type]
            fabric.backward((model(part) * share).sum())
    return value, active


@contextmanager
def paused_statistics(model: nn.Module) -> Iterator[None]:
    """Forward passes in training mode that leave all running statistics as they were."""
    kept = [(buffer, buffer.clone()) for buffer in model.buffers()]
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, value in kept:
                buffer.copy_(value)


def check_loss(value: Tensor) -> None:
    """Refuse a loss that is no number, which would spoil every weight."""
    if not torch.isfinite(value):
        raise DgmpError(
            f"the loss is {value.item()}: nothing more can be learned from there; the last "
            "checkpoint stays as it is; begin anew with a smaller learning_rate"
        )


def _output_gradient(
    outputs: Tensor, labels: Tensor, loss: Loss, fabric: Fabric
) -> tuple[Tensor, Tensor, Tensor]:
    """Loss over the outputs of all processes, and its gradient for those of this one."""
    precise = outputs.to(torch.promote_types(outputs.dtype, torch.float32))
    everyone = gather(precise, fabric).requires_grad_()
    with torch.enable_grad():
        value, active = loss(everyone, gather(labels, fabric))
        check_loss(value)
        (gradient,) = torch.autograd.grad(value, everyone)
    return value.detach(), active, gradient_share(gradient, fabric)
