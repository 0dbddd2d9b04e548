"""SRS-LBP: local binary patterns at many radii, the texture of strokes from 1 to 12 pixels.

At every pixel and for each radius, eight neighbours on a circle are compared with the centre; a bit
is set where one is ink and the other paper. The neighbours between pixels are interpolated and set
to ink or paper by the half, which on a binarised page is what Otsu's threshold of the differences
gives. Per radius one histogram of 256 patterns, without pattern 0 (nothing differs) and adding up
to one; square root, unit length.

A neighbour between four pixels is g of the way from the farthest of them to the nearest along both
axes, g ≥ ½, and their weights are g², g(1−g) twice, and (1−g)². Where g² > ½ the nearest decides;
else it needs one of the others on its side, and is overruled by all three. So the neighbours of all
radii are shifts of five pictures: the page, and who wins towards each of the four corners.

Nicolaou et al., Sparse radial sampling LBP for writer identification, ICDAR 2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..pixels import ink_middle
from ..records import Matrix
from .whitening import unit_rows

_PATTERNS = 256
_BAND = 8_000_000  # pixels that are looked at at once, at 25 bytes each
_Ink = NDArray[np.uint8]  # 255 where there is ink, 0 on paper


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
        return _vectors(self._histograms(pixels, [])[0])

    def with_halves(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (3, dim)
        """The vectors of a page, of its upper half and of its lower half; zeros without ink.

        Each half has half of the ink; patterns at the cut see what stands beyond it. The histograms
        of the page are the sums of those of its halves.
        """
        halves = self._histograms(pixels, [ink_middle(pixels)])
        return _vectors(np.concatenate([halves.sum(axis=0, keepdims=True), halves]))

    def _histograms(self, pixels: NDArray[np.uint8], cuts: Sequence[int]) -> NDArray[np.float32]:
        """How often each pattern occurs, (bands, radii, patterns), in the rows between cuts."""
        histograms = np.zeros((len(cuts) + 1, self.radii, _PATTERNS), np.float32)
        margin = self.radii + 1  # rows that patterns of the next ones see
        high = max(_BAND // pixels.shape[1], margin)
        for number, (start, end) in enumerate(pairwise([0, *cuts, len(pixels)])):
            for top in range(start, end, high):
                bottom = min(top + high, end)
                first = max(top - margin, 0)
                part = _Neighbours(pixels[first : bottom + margin], self.radii)
                histograms[number] += self._counts(part, slice(top - first, bottom - first))
        histograms[:, :, 0] = 0
        return histograms

    def _counts(self, part: _Neighbours, rows: slice) -> NDArray[np.float32]:  # (radii, patterns)
        histograms = []
        for radius in range(1, self.radii + 1):
            # Where the centre is ink the neighbours that differ are paper: all bits turn over.
            patterns = part.patterns(radius, turn=True)[rows]
            found = need("cv2").calcHist([patterns], [0], None, [_PATTERNS], [0, _PATTERNS])
            histograms.append(found.ravel())
        return np.stack(histograms)


def neighbour_patterns(pixels: NDArray[np.uint8], radius: int) -> NDArray[np.uint8]:
    """Which of eight neighbours at ``radius`` are ink, one bit each; bit 0 is the right one.

    Outside the page there is paper. Grey below 128 is ink.
    """
    return _Neighbours(pixels, radius).patterns(radius)


class _Neighbours:
    """The patterns of a page at radii up to ``most``.

    The page with a margin of paper lies in one row of memory, so that a neighbour is a shift of it.
    """

    def __init__(self, pixels: NDArray[np.uint8], most: int) -> None:
        cv2 = need("cv2")
        self._margin = most + 1
        self._shape = pixels.shape
        ink = cv2.threshold(pixels, 127, 255, cv2.THRESH_BINARY_INV)[1]
        framed = cv2.copyMakeBorder(ink, *[self._margin] * 4, cv2.BORDER_CONSTANT, value=0)
        self._width = framed.shape[1]
        self._height = framed.shape[0]
        self._ink: _Ink = framed.ravel()
        self._bits: dict[tuple[int, int, int], _Ink] = {}
        self._won: dict[tuple[int, int], _Ink] = {(0, 0): self._ink}

    def patterns(self, radius: int, *, turn: bool = False) -> NDArray[np.uint8]:
        """One bit for each neighbour that is ink; with ``turn``, that differs from the centre."""
        first = self._margin * self._width  # the rows of the page, margins at their ends included
        last = (self._height - self._margin) * self._width
        found = self._ink[first:last].copy() if turn else np.zeros(last - first, np.uint8)
        for bit in range(8):
            right, aside = _nearest(radius * np.cos(bit * np.pi / 4))
            below, down = _nearest(radius * np.sin(bit * np.pi / 4))
            alone = not bit % 2 or (1 - abs(aside)) * (1 - abs(down)) > 0.5 + 1e-6
            towards = (0, 0) if alone else (int(np.sign(down)), int(np.sign(aside)))
            shift = below * self._width + right
            found ^= self._bit(bit, towards)[first + shift : last + shift]
        rows = found.reshape(-1, self._width)
        return rows[:, self._margin : self._margin + self._shape[1]]

    def _bit(self, bit: int, towards: tuple[int, int]) -> _Ink:
        """One bit where there is ink, or where ink wins against the three pixels ``towards``."""
        if (bit, *towards) not in self._bits:
            if towards not in self._won:
                self._won[towards] = self._winner(*towards)
            self._bits[bit, *towards] = self._won[towards] & np.uint8(1 << bit)
        return self._bits[bit, *towards]

    def _winner(self, down: int, aside: int) -> _Ink:
        """A pixel with one of three neighbours, or these three together."""
        one, two, three = (
            np.roll(self._ink, -shift)  # what is rolled in is of the margin, and paper
            for shift in (aside, down * self._width, down * self._width + aside)
        )
        return (self._ink & (one | two | three)) | (one & two & three)


def _nearest(offset: float) -> tuple[int, float]:
    """The nearest whole number, and how far the offset lies beyond it."""
    nearest = int(np.rint(offset))
    return nearest, offset - nearest


def _vectors(histograms: NDArray[np.float32]) -> Matrix:  # (..., radii, patterns) -> (..., dim)
    totals = histograms.sum(axis=-1, keepdims=True)
    shares = np.sqrt(histograms / np.where(totals > 0, totals, 1))
    return unit_rows(shares.reshape(*shares.shape[:-2], -1))
