"""oBIF columns: which basic image feature, in which direction, at two scales at once.

With s_ij = σ^(i+j) ∂ˣⁱ∂ʸʲ (page * G_σ), λ = s20 + s02 and μ = √((s20 − s02)² + 4 s11²), a pixel is

    flat ε·s00   slope 2√(s10² + s01²)   dark blob λ   light blob −λ
    dark line (μ + λ)/√2   light line (μ − λ)/√2   saddle μ

whichever is largest; slopes have 8 directions, lines and saddles 4 axes: 23 codes. A column is the
pair of codes at one pixel and two scales; pairs with a flat part are left out, 22² remain. Their
histograms for each pair of scales and each ε stand one after the other; square root, unit length.

Derivatives are differences of the blurred page, exact enough from σ = 2 on.

Crosier & Griffin, Using basic image features for texture classification, IJCV 2010; Newell &
Griffin, Writer identification using oriented basic image features, PR 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Matrix
from .whitening import unit_rows

CODES = 23  # flat, 8 slopes, 2 blobs, 4 dark lines, 4 light lines, 4 saddles
_FIRST = {"slope": 1, "dark blob": 9, "light blob": 10, "dark line": 11, "light line": 15}
_SADDLE = 19
_COLUMNS = (CODES - 1) ** 2


@dataclass(frozen=True)
class Obif:
    """Page vectors of oBIF columns."""

    scales: tuple[tuple[float, float], ...] = ((2.0, 4.0), (2.0, 8.0), (2.0, 16.0))
    flatness: tuple[float, ...] = (0.1, 0.01, 0.001)  # ε

    @property
    def dim(self) -> int:
        """The width of a page vector."""
        return len(self.scales) * len(self.flatness) * _COLUMNS

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink; zeros where all is flat."""
        sigmas = sorted({sigma for pair in self.scales for sigma in pair})
        codes = {sigma: image_features(pixels, sigma, self.flatness) for sigma in sigmas}
        histograms = []
        for fine, coarse in self.scales:
            for first, second in zip(codes[fine], codes[coarse], strict=True):
                both = (first > 0) & (second > 0)
                column = (first[both] - 1).astype(np.intp) * (CODES - 1) + (second[both] - 1)
                histogram = np.bincount(column, minlength=_COLUMNS).astype(np.float64)
                histograms.append(histogram / max(histogram.sum(), 1))
        return unit_rows(np.sqrt(np.concatenate(histograms)))


def image_features(
    pixels: NDArray[np.uint8], sigma: float, flatness: tuple[float, ...]
) -> list[NDArray[np.uint8]]:
    """The code of every pixel, 0 for flat, for each ε; all but the flat class are found once."""
    cv2 = need("cv2")
    page = cv2.GaussianBlur(pixels.astype(np.float32), (0, 0), sigma)
    x = sigma * cv2.Sobel(page, -1, 1, 0, ksize=1, scale=0.5)
    y = sigma * cv2.Sobel(page, -1, 0, 1, ksize=1, scale=0.5)
    xx = sigma**2 * cv2.Sobel(page, -1, 2, 0, ksize=1)
    yy = sigma**2 * cv2.Sobel(page, -1, 0, 2, ksize=1)
    xy = sigma * cv2.Sobel(x, -1, 0, 1, ksize=1, scale=0.5)
    laplace = xx + yy
    bend = cv2.magnitude(xx - yy, 2 * xy)  # μ
    direction = cv2.phase(x, y) * np.float32(8 / (2 * np.pi))  # 0 … 8
    axis = cv2.phase(xx - yy, 2 * xy) * np.float32(4 / (2 * np.pi))  # 0 … 4, twice the angle
    eighth = (np.rint(direction).astype(np.uint8)) % 8
    quarter = (np.rint(axis).astype(np.uint8)) % 4
    root = np.float32(2**-0.5)
    best = 2 * cv2.magnitude(x, y)
    code = _FIRST["slope"] + eighth
    for response, codes in (
        (laplace, np.uint8(_FIRST["dark blob"])),
        (-laplace, np.uint8(_FIRST["light blob"])),
        ((bend + laplace) * root, _FIRST["dark line"] + quarter),
        ((bend - laplace) * root, _FIRST["light line"] + quarter),
        (bend, _SADDLE + quarter),
    ):
        better = response > best
        code = np.where(better, codes, code)
        best = np.maximum(best, response)
    return [np.where(np.float32(e) * page > best, np.uint8(0), code) for e in flatness]
