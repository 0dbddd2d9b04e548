"""The precision that poolings work in: float32 or better, whatever surrounds them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

HALF = (torch.float16, torch.bfloat16)


def exactly(tensor: Tensor) -> AbstractContextManager[object]:
    """Autocast switched off, where the device of ``tensor`` has it: meta tensors do not."""
    device = tensor.device.type
    if not torch.amp.is_autocast_available(device):
        return nullcontext()
    if not torch.compiler.is_compiling() and not torch.is_autocast_enabled(device):
        return nullcontext()
    return torch.autocast(device, enabled=False)


def widened(tensor: Tensor) -> Tensor:
    """``tensor`` in float32 if it is in half precision."""
    return tensor.float() if tensor.dtype in HALF else tensor
