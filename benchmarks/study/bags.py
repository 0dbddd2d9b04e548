"""Task 2, bags of instances: is there a nine in a bag of 8 to 24 digits?

The positions are the digits, embedded one by one by a small network; a bag has one or two nines, or
none. Bags of one batch are padded to the same length, and a mask says what is there. Noise on every
digit, and only few bags to learn from.
"""

from __future__ import annotations

import numpy as np
import torch
from rare import digits
from task import STREAMS, Split, Task
from torch import nn

SIZES = {"train": 1500, "val": 1000, "test": 2000}
MOST, WANTED = 24, 9


def bags(split: str, seed: int) -> Split:
    rng = np.random.default_rng((10 + STREAMS[split], seed if split == "train" else 0))
    images, classes = digits(split)
    has, others = np.flatnonzero(classes == WANTED), np.flatnonzero(classes != WANTED)
    number = SIZES[split]
    found = np.zeros((number, 64, MOST), np.float32)
    present = np.zeros((number, MOST), bool)
    wanted = np.arange(number) % 2
    for bag, there, positive in zip(found, present, wanted, strict=True):
        count = rng.integers(8, MOST + 1)
        shown = rng.choice(others, count)
        if positive:
            nines = rng.integers(1, 3)
            shown[:nines] = rng.choice(has, nines)
        bag[:, :count] = images[shown].reshape(count, 64).T
        there[:count] = True
    found += 0.25 * rng.standard_normal(found.shape, np.float32)
    return Split(torch.from_numpy(found), torch.from_numpy(wanted), torch.from_numpy(present))


def trunk() -> nn.Module:
    def layer(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs), nn.ReLU()
        )

    return nn.Sequential(layer(64, 64), layer(64, 64))


TASK = Task("bags", False, 64, steps=300, batch=32, trunk=trunk, data=bags)
