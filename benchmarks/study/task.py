"""What the four tasks share: a trunk that gives a map, three splits, and how a network is judged.

A *class* task asks for the class of an input, and the head is a linear layer on the pooled vector,
as in any classifier. A *retrieval* task asks for other inputs of the same class among classes that
were not trained on: the head is a cosine classifier, and the pooled vectors are compared by their
cosine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dgmp.evaluation import retrieval_scores
from dgmp.pooling import Pooling

COSINE_SCALE = 16.0
STREAMS = {"train": 0, "val": 1, "test": 2}  # random numbers of a split never meet another's


class Split(NamedTuple):
    """Inputs, their classes, and which of their positions are there."""

    inputs: Tensor
    classes: Tensor
    present: Tensor | None = None


@dataclass(frozen=True)
class Task:
    """One of the four."""

    name: str
    retrieval: bool
    channels: int  # of the map
    steps: int
    batch: int
    trunk: Callable[[], nn.Module]
    data: Callable[[str, int], Split]  # split and seed; the seed is that of training inputs only
    block: int = 1  # inputs of one class, one after another, which a resample draws together


class Network(nn.Module):
    """Trunk, pooling, head."""

    def __init__(self, task: Task, pooling: Pooling, classes: int) -> None:
        super().__init__()
        self.retrieval = task.retrieval
        self.trunk = task.trunk()
        self.pooling = pooling
        assert pooling.out_channels is not None
        self.head = nn.Linear(pooling.out_channels, classes, bias=not task.retrieval)

    def vectors(self, part: Split) -> Tensor:
        return self.pooling(self.trunk(part.inputs), part.present)

    def forward(self, part: Split) -> Tensor:
        vectors = self.vectors(part)
        if not self.retrieval:
            return self.head(vectors)
        return COSINE_SCALE * F.normalize(vectors, dim=1) @ F.normalize(self.head.weight, dim=1).T


def take(split: Split, rows: Tensor) -> Split:
    present = None if split.present is None else split.present[rows]
    return Split(split.inputs[rows], split.classes[rows], present)


@torch.no_grad()
def judge(network: Network, split: Split) -> np.ndarray:
    """One number for each input: right or wrong, or the average precision of its query."""
    network.eval()
    parts = [take(split, rows) for rows in torch.arange(len(split.classes)).split(256)]
    if not network.retrieval:
        right = [network(part).argmax(1) == part.classes for part in parts]
        return torch.cat(right).double().numpy()
    vectors = F.normalize(torch.cat([network.vectors(part) for part in parts]), dim=1)
    ids = [f"{row:06d}" for row in range(len(vectors))]  # keeps their order
    found = retrieval_scores(vectors.numpy(), split.classes.tolist(), ids=ids)
    return np.asarray(found.item_values["map"])


def conv(inputs: int, outputs: int, side: int, stride: int) -> nn.Sequential:
    """Convolution, batch normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, side, stride, side // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )
