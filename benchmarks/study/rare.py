"""Task 1, a rare object: which one of five digits stands among 7 to 12 frequent others?

A canvas of 4×4 cells with noise holds 8 to 13 of the 8×8 digits of scikit-learn, one of the classes
5 to 9 and the others of 0 to 4, each somewhere in its cell. Digits of test canvases are in no
training canvas.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from sklearn.datasets import load_digits
from task import STREAMS, Split, Task, conv
from torch import nn

CELLS, CELL, DIGIT = 4, 10, 8
SIZES = {"train": 6000, "val": 800, "test": 1200}


@cache
def digits(split: str) -> tuple[np.ndarray, np.ndarray]:
    """The digits of a split (n, 8, 8), between 0 and 1, and their classes."""
    whole = load_digits()
    order = np.random.default_rng(0).permutation(len(whole.target))
    part = {"train": order[:1000], "val": order[1000:1300], "test": order[1300:]}[split]
    return (whole.images[part] / 16).astype(np.float32), whole.target[part]


def canvases(split: str, seed: int) -> Split:
    rng = np.random.default_rng((STREAMS[split], seed if split == "train" else 0))
    images, classes = digits(split)
    number, side = SIZES[split], CELLS * CELL
    found = 0.4 * rng.random((number, side, side), np.float32) ** 2
    wanted = rng.integers(5, 10, number)
    counts = rng.integers(7, 13, number)
    own = [np.flatnonzero(classes == digit) for digit in range(10)]
    for canvas, digit, count in zip(found, wanted, counts, strict=True):
        places = rng.permutation(CELLS**2)[: count + 1]
        shown = [digit, *rng.integers(0, 5, count)]
        shifts = rng.integers(0, CELL - DIGIT + 1, (count + 1, 2))
        for place, what, shift in zip(places, shown, shifts, strict=True):
            top, left = CELL * np.array(divmod(int(place), CELLS)) + shift
            cut = canvas[top : top + DIGIT, left : left + DIGIT]
            np.maximum(cut, images[rng.choice(own[what])], out=cut)
    return Split(torch.from_numpy(found).unsqueeze(1), torch.from_numpy(wanted - 5))


def trunk() -> nn.Module:
    return nn.Sequential(conv(1, 16, 3, 2), conv(16, 32, 3, 1), conv(32, 64, 3, 2))


TASK = Task("rare object", False, 64, steps=400, batch=32, trunk=trunk, data=canvases)
