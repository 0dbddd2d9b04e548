"""Task 4, writers: find other pages by a writer who was never trained on.

Pages of synthetic hands; of each page the middle, 192 pixels wide and high, at half size, and of a
training page nine such patches. Text, paper and ink differ from page to page.
"""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import torch
from task import Split, Task, conv
from torch import nn

from dgmp.synthetic import draw_page

SIDE = 192
WRITERS = {"train": 150, "val": 30, "test": 60}
PAGES = {"train": 3, "val": 5, "test": 5}
FIRST = {"train": 10_000, "val": 20_000, "test": 30_000}


def patches(writer: int, page: int, across: int) -> list[np.ndarray]:  # (SIDE / 2, SIDE / 2) each
    """The ``across``² patches in the middle of a page."""
    pixels = draw_page(writer, page)
    tops, lefts = ((size - across * SIDE) // 2 for size in pixels.shape)
    found = []
    for row, column in product(range(across), repeat=2):
        top, left = tops + row * SIDE, lefts + column * SIDE
        cut = pixels[top : top + SIDE, left : left + SIDE].astype(np.float32)
        small = cv2.resize(cut, (SIDE // 2, SIDE // 2), interpolation=cv2.INTER_AREA)
        found.append((small.mean() - small) / (small.std() + 1e-6))
    return found


def writers(split: str, seed: int) -> Split:
    first, pages, across = FIRST[split], PAGES[split], 3 if split == "train" else 1
    labels = np.repeat(np.arange(WRITERS[split]), pages)
    found = [
        patch
        for number, who in enumerate(labels)
        for patch in patches(first + int(who), first + number, across)
    ]
    inputs = torch.from_numpy(np.stack(found)).unsqueeze(1)
    return Split(inputs, torch.from_numpy(np.repeat(labels, across**2)))


def trunk() -> nn.Module:
    return nn.Sequential(conv(1, 24, 7, 4), conv(24, 64, 3, 2))


TASK = Task(
    "writers", True, 64, steps=250, batch=32, trunk=trunk, data=writers, block=PAGES["test"]
)
