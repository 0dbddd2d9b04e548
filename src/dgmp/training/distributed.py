"""One process or many: the only place that knows.

Every process shows its part of a batch to its copy of the network. The outputs of all are gathered,
so that triplets are mined over the whole batch, and every process works out the same loss; it then
keeps the gradient of its own part. Processes average their gradients, so each multiplies its own by
their number: what comes out is the gradient of one process with the whole batch.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from ..errors import DgmpError
from ..names import need

if TYPE_CHECKING:
    from lightning_fabric import Fabric

T = TypeVar("T")

PRECISIONS = ("32-true", "16-mixed", "bf16-mixed")


def start_processes(device: str, devices: int, precision: str) -> Fabric:
    """Join the processes that ``torchrun`` started, or start as many as there are devices."""
    if precision not in PRECISIONS:
        raise DgmpError(f"precision must be {', '.join(PRECISIONS)}, got {precision!r}")
    accelerator = device
    if device == "auto":
        accelerator = "cuda" if torch.cuda.is_available() else "cpu"
    if accelerator == "cuda" and not torch.cuda.is_available():
        raise DgmpError("device cuda: this machine has no usable GPU; choose cpu or auto")
    if accelerator not in ("cpu", "cuda"):
        raise DgmpError(f"device must be auto, cpu or cuda, got {device!r}")
    if accelerator == "cuda" and devices > torch.cuda.device_count():
        raise DgmpError(f"{devices} devices wanted, this machine has {torch.cuda.device_count()}")
    if devices < 1:
        raise DgmpError(f"devices must be at least 1, got {devices}")
    by_torchrun = "TORCHELASTIC_RUN_ID" in os.environ
    nodes = 1
    if by_torchrun:
        devices = int(os.environ["LOCAL_WORLD_SIZE"])
        nodes = int(os.environ["WORLD_SIZE"]) // devices
    several = devices * nodes > 1
    # Imported here: it takes as long as torch itself.
    fabric: Fabric = need("lightning_fabric").Fabric(
        accelerator=accelerator,
        devices=devices,
        num_nodes=nodes,
        strategy="ddp" if several else "auto",
        precision=precision,
    )
    if several:
        logging.getLogger("lightning.fabric").setLevel(logging.WARNING)
        logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
        fabric.launch()
    return fabric


def is_first() -> bool:
    """Whether this is the process that speaks and writes for all."""
    return not (dist.is_available() and dist.is_initialized()) or dist.get_rank() == 0


def own_part(batch: Sequence[T], fabric: Fabric) -> Sequence[T]:
    """The part of a batch that this process shows to its network."""
    if len(batch) % fabric.world_size:
        raise DgmpError(
            f"a batch of {len(batch)} patches cannot be shared by {fabric.world_size} processes; "
            "set batch (and classes_per_batch) to a multiple of their number"
        )
    size = len(batch) // fabric.world_size
    return batch[fabric.global_rank * size : (fabric.global_rank + 1) * size]


def gather(values: Tensor, fabric: Fabric) -> Tensor:
    """The values of all processes, one after another; no gradient passes."""
    if fabric.world_size == 1:
        return values.detach()
    parts = [torch.empty_like(values) for _ in range(fabric.world_size)]
    dist.all_gather(parts, values.detach().contiguous())
    return torch.cat(parts)


def gather_objects(part: list[Any], fabric: Fabric) -> list[Any]:
    """What each process found, in one list, in every process."""
    if fabric.world_size == 1:
        return part
    parts: list[Any] = [None] * fabric.world_size
    dist.all_gather_object(parts, part)
    return [entry for one in parts for entry in one]


def largest(value: float, fabric: Fabric) -> float:
    """The largest value of all processes: one that wants to stop stops all."""
    if fabric.world_size == 1:
        return value
    return float(fabric.all_reduce(torch.tensor(value), reduce_op="max"))  # type: ignore[arg-type]


def synchronise_statistics(model: nn.Module, fabric: Fabric) -> nn.Module:
    """Batch normalisation over the parts of all processes, where the device can do that."""
    if fabric.world_size > 1 and fabric.device.type == "cuda":
        return nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return model


@contextmanager
def lost_processes(where: Callable[[], str]) -> Iterator[None]:
    """Say it plainly when another process of the run has ended in the middle of it."""
    try:
        yield
    except RuntimeError as error:
        text = str(error)
        signs = ("Connection closed", "Connection reset", "Broken pipe", "gloo", "NCCL", "Socket")
        if dist.is_available() and dist.is_initialized() and any(sign in text for sign in signs):
            raise DgmpError(
                f"another process of this run has ended; {where()}: the same command goes on there"
            ) from error
        raise


def gradient_share(gradient: Tensor, fabric: Fabric) -> Tensor:
    """The part of a gradient over all outputs that belongs to this process."""
    size = len(gradient) // fabric.world_size
    start = fabric.global_rank * size
    return gradient[start : start + size] * fabric.world_size
