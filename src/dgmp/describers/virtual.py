"""The same page as if another hand had written it: slanted, narrower, wider.

Slant and width are what hands differ in most besides the shapes of letters, and a page can be bent
to them with little loss. Nobody writes like that exactly, so such pages choose directions only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..names import need


@dataclass(frozen=True)
class VirtualHand:
    """Called with a binarised page, it gives the page with its writing slanted and stretched."""

    slant: float = 0.0  # pixels to the left per pixel up, so that 0.25 leans 14 degrees backwards
    width: float = 1.0  # of letters, against what it was

    def __post_init__(self) -> None:
        if self.width <= 0:
            raise ValueError(f"width must be positive, got {self.width}")

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A page of the same height, 0 for ink and 255 for paper, wide enough for all of it."""
        cv2 = need("cv2")
        height, width = pixels.shape
        shift = max(0.0, -self.slant * height)
        bend = np.array([[self.width, self.slant, shift], [0, 1, 0]], np.float32)
        size = int(width * self.width + abs(self.slant) * height) + 1, height
        bent = cv2.warpAffine(pixels, bend, size, flags=cv2.INTER_LINEAR, borderValue=255)
        return np.where(bent < 128, np.uint8(0), np.uint8(255))


VIRTUAL_HANDS = (
    VirtualHand(slant=0.25),
    VirtualHand(slant=-0.25),
    VirtualHand(width=0.78),
    VirtualHand(width=1.3),
)
