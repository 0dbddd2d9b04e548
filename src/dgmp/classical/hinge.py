"""Hinge and CoHinge: the angles of contours, and how they follow each other.

Along every contour of the ink, the two legs from a pixel to the contour points ``leg`` steps before
and behind it make a hinge with the angles φ₁, φ₂ in [0, 360°).

    Hinge     how often each pair of angles occurs; the order of the legs does not matter
    CoHinge   how often a hinge occurs together with the hinge ``apart`` steps further on

Slant, roundness and width of strokes are in these histograms; letters are not. Histograms add up
to one; square root, unit length.

Bulacu & Schomaker, Text-independent writer identification and verification using textural and
allographic features, TPAMI 2007; He & Schomaker, Beyond OCR: multi-faceted understanding of
handwritten document characteristics, PR 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Matrix
from .whitening import unit_rows


@dataclass(frozen=True)
class Hinge:
    """Page vectors of hinges: (φ₁, φ₂) with φ₁ < φ₂."""

    legs: tuple[int, ...] = (4, 7, 12)  # pixels along the contour
    bins: int = 40  # of the full circle

    @property
    def dim(self) -> int:
        """The width of a page vector."""
        return len(self.legs) * self.bins * (self.bins - 1) // 2

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink; zeros where no contour is long enough."""
        contours = Contours.trace(pixels)
        above = np.triu_indices(self.bins, 1)
        histograms = []
        for leg in self.legs:
            first, second = contours.longer_than(2 * leg).hinges(leg, self.bins)
            counts = np.bincount(first * self.bins + second, minlength=self.bins**2)
            table = counts.reshape(self.bins, self.bins)
            histograms.append(_shares((table + table.T)[above]))
        return unit_rows(np.sqrt(np.concatenate(histograms)))


@dataclass(frozen=True)
class CoHinge:
    """Page vectors of pairs of hinges, ``apart`` steps from each other."""

    leg: int = 5
    apart: int = 7
    bins: int = 10

    @property
    def dim(self) -> int:
        """The width of a page vector."""
        return self.bins**4

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink; zeros where no contour is long enough."""
        contours = Contours.trace(pixels).longer_than(2 * self.leg)
        first, second = contours.hinges(self.leg, self.bins)
        hinge = first * self.bins + second
        pair = hinge * self.bins**2 + hinge[contours.further(self.apart)]
        return unit_rows(np.sqrt(_shares(np.bincount(pair, minlength=self.dim))))


@dataclass(frozen=True, eq=False)
class Contours:
    """All contours of a page in one array, each closed."""

    points: NDArray[np.int32]  # (n, 2): x, y
    lengths: NDArray[np.intp]  # (contours,)

    @classmethod
    def trace(cls, pixels: NDArray[np.uint8]) -> Contours:
        """Every outer and inner contour of the ink, pixel by pixel."""
        cv2 = need("cv2")
        ink = (pixels < 128).astype(np.uint8)
        found, _ = cv2.findContours(ink, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        points = [contour.reshape(-1, 2) for contour in found]
        lengths = np.array([len(contour) for contour in points], np.intp)
        return cls(np.concatenate([np.zeros((0, 2), np.int32), *points]), lengths)

    def longer_than(self, least: int) -> Contours:
        """Those contours with more than ``least`` points."""
        kept = self.lengths > least
        return Contours(self.points[np.repeat(kept, self.lengths)], self.lengths[kept])

    def further(self, steps: int) -> NDArray[np.intp]:
        """For every point the place of that ``steps`` further on its contour, round its end."""
        starts = np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        places = np.arange(len(self.points))
        return starts + (places - starts + steps) % np.repeat(self.lengths, self.lengths)

    def hinges(self, leg: int, bins: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The binned angles of both legs at every point."""
        return (
            self._angles(self.further(-leg), bins),
            self._angles(self.further(leg), bins),
        )

    def _angles(self, ends: NDArray[np.intp], bins: int) -> NDArray[np.intp]:
        x, y = (self.points[ends] - self.points).T
        turns = np.arctan2(y, x) / (2 * np.pi) % 1
        return np.minimum((turns * bins).astype(np.intp), bins - 1)


def _shares(counts: NDArray[np.integer]) -> NDArray[np.float64]:
    return counts / max(counts.sum(), 1)
