"""SRS-LBP: local binary patterns at many radii, the texture of strokes from 1 to 12 pixels.

At every pixel and for each radius, eight neighbours on a circle are compared with the centre; a bit
is set where one is ink and the other paper. The neighbours between pixels are interpolated and set
to ink or paper by the half, which on a binarised page is what Otsu's threshold of the differences
gives. Per radius one histogram of 256 patterns, without pattern 0 (nothing differs) and adding up
to one; square root, unit length.

Nicolaou et al., Sparse radial sampling LBP for writer identification, ICDAR 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Matrix
from .whitening import unit_rows

_PATTERNS = 256


@dataclass(frozen=True)
class SrsLbp:
    """Page vectors of local binary patterns at the radii 1 … ``radii``."""

    radii: int = 12

    def __post_init__(self) -> None:
        if self.radii < 1:
            raise ValueError(f"radii must be at least 1, got {self.radii}")

    @property
    def dim(self) -> int:
        """The width of a page vector."""
        return self.radii * _PATTERNS

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink; zeros where there is no ink."""
        histograms = np.stack([self._histogram(pixels, r) for r in range(1, self.radii + 1)])
        totals = histograms.sum(axis=1, keepdims=True)
        return unit_rows(np.sqrt(histograms / np.where(totals > 0, totals, 1)).ravel())

    @staticmethod
    def _histogram(pixels: NDArray[np.uint8], radius: int) -> NDArray[np.float32]:
        cv2 = need("cv2")
        patterns = neighbour_patterns(pixels, radius)
        # Where the centre is ink the neighbours that differ are paper: all bits turn over.
        patterns ^= np.where(pixels < 128, np.uint8(255), np.uint8(0))
        histogram = cv2.calcHist([patterns], [0], None, [_PATTERNS], [0, _PATTERNS]).ravel()
        histogram[0] = 0
        return histogram


def neighbour_patterns(pixels: NDArray[np.uint8], radius: int) -> NDArray[np.uint8]:
    """Which of eight neighbours at ``radius`` are ink, one bit each; bit 0 is the right one.

    Outside the page there is paper.
    """
    cv2 = need("cv2")
    height, width = pixels.shape
    edge = radius + 1
    page = cv2.copyMakeBorder(pixels, *[edge] * 4, cv2.BORDER_CONSTANT, value=255)
    patterns = np.zeros_like(pixels)
    for bit in range(8):
        right, across = _between(radius * np.cos(bit * np.pi / 4))
        below, down = _between(radius * np.sin(bit * np.pi / 4))
        # Two pixels along each axis are mixed into the first of them.
        mixed = cv2.sepFilter2D(page, -1, across, down, anchor=(0, 0)) if bit % 2 else page
        part = mixed[edge + below :, edge + right :][:height, :width]
        patterns |= cv2.threshold(part, 127, 1 << bit, cv2.THRESH_BINARY_INV)[1]
    return patterns


def _between(offset: float) -> tuple[int, NDArray[np.float32]]:
    """The pixel below an offset, and the weights of it and of the next."""
    below = int(np.floor(offset + 1e-9))
    return below, np.array([1 - (offset - below), offset - below], np.float32)
