"""Zero mean and unit deviation, with the mean and deviation of the training patches; ZCA besides.

The sums are whole numbers, so the order of patches and the number of workers change nothing.

ZCA-whitening (zero-phase component analysis) of vectors with covariance C = VwVᵀ is

    x ↦ V (w + ε)^-½ Vᵀ x

the whitening that changes vectors least. For all pixels of a patch C would have a billion entries.
But what is written somewhere could be written anywhere: the covariance of two pixels depends on how
they lie to each other, and V(w + ε)^-½Vᵀ has the same row for each pixel, moved to its place. So it
is found for all windows of k×k pixels, and the row of the pixel in their middle is a filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..names import need

ZCA_RIDGE = 0.1  # ε, of the mean eigenvalue: the rest of the spectrum is noise of the scan


@dataclass(frozen=True)
class Standardization:
    """x ↦ (x/255 − mean) / std, then the filter; kept with a model, for all its pages."""

    mean: float
    std: float
    zca: tuple[tuple[float, ...], ...] | None = None  # the filter, (k, k); None: there is none

    def __call__(self, patches: NDArray[np.uint8]) -> NDArray[np.float32]:  # (..., side, side)
        """Standardise patches of 8-bit grey; beyond their border they are reflected."""
        scale = np.float32(1 / (255 * self.std))
        values = patches * scale - np.float32(self.mean / self.std)
        if self.zca is None:
            return values
        cv2, kernel = need("cv2"), np.array(self.zca, np.float32)
        flat = values.reshape(-1, *values.shape[-2:])
        filtered = [cv2.filter2D(patch, -1, kernel) for patch in flat]
        return np.stack(filtered).reshape(values.shape)


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


def fit_zca(
    patches: Sequence[NDArray[np.uint8]],  # (side, side) each
    standardization: Standardization,
    width: int,
) -> Standardization:
    """The same with the ZCA-filter of ``width`` pixels, by which the patches keep deviation one."""
    covariance = np.zeros((width**2, width**2))
    number = 0
    for patch in patches:
        windows = np.lib.stride_tricks.sliding_window_view(standardization(patch), (width, width))
        found = windows[:: width // 2, :: width // 2].reshape(-1, width**2).astype(np.float64)
        covariance += found.T @ found
        number += len(found)
    if not number:
        raise ValueError(f"a filter of {width} pixels needs patches of that size")
    variances, directions = np.linalg.eigh(covariance / number)
    scales = 1 / np.sqrt(variances.clip(min=0) + ZCA_RIDGE * variances.mean())
    middle = directions[width**2 // 2]
    kernel = (directions * scales) @ middle  # the row of the pixel in the middle
    filtered = _with_filter(standardization, kernel.reshape(width, width))
    deviation = np.sqrt(np.mean([np.square(filtered(patch)).mean() for patch in patches]))
    return _with_filter(standardization, kernel.reshape(width, width) / deviation)


def _with_filter(standardization: Standardization, kernel: NDArray[np.floating]) -> Standardization:
    return replace(standardization, zca=tuple(map(tuple, kernel.tolist())))
