"""Zero mean and unit deviation, with the mean and deviation of the training patches.

The sums are whole numbers, so the order of patches and the number of workers change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Standardization:
    """x ↦ (x/255 − mean) / std; kept with a model, whose pages are all treated by it."""

    mean: float
    std: float

    def __call__(self, patches: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Standardise patches of 8-bit grey."""
        scale = np.float32(1 / (255 * self.std))
        return patches * scale - np.float32(self.mean / self.std)


def fit_standardization(patches: Iterable[NDArray[np.uint8]]) -> Standardization:
    """Mean and deviation of all pixels of the training patches, taken one array after another."""
    number = total = squares = 0
    for patch in patches:
        if patch.dtype != np.uint8:
            raise ValueError(f"patches must be 8-bit grey, got {patch.dtype}")
        counts = np.bincount(patch.reshape(-1), minlength=256)
        values = np.arange(256)
        number += patch.size
        total += int((counts * values).sum())
        squares += int((counts * values**2).sum())
    variance = squares / number - (total / number) ** 2 if number else 0.0
    if variance <= 0:
        raise ValueError("patches must differ in at least one pixel to be standardised")
    return Standardization(total / number / 255, variance**0.5 / 255)
