"""Ink from paper: 0 where there is ink, 255 where there is paper.

    sauvola    T = m (1 + k (s/R − 1)),  m and s: mean and deviation in a window, R = 127.5
    otsu       one threshold for the whole page
    auto       a page that has two values already keeps them; else Sauvola
    none       the grey page as it is

Sauvola, J. & Pietikäinen, M. (2000), Adaptive document image binarization. The sums are taken in
whole numbers and in bands of rows: the result does not depend on the bands, memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..names import check_name, need
from ..records import Grey

METHODS = ("auto", "otsu", "sauvola", "none")
WINDOW = 51  # pixels; two thirds of a line at 76 pixels between lines
K = 0.2  # Sauvola's weight of the deviation
LEAST_INK = 2e-4  # of the page: a short word on a page of 1100×840 has twice that
MOST_INK = 0.9
_BAND = 512  # rows
_CACHED = 32  # rows whose thresholds are made at once


def binarize(image: Grey, method: str = "auto", *, window: int = WINDOW, k: float = K) -> Grey:
    """Binarise a grey page by one of ``METHODS``; ``none`` gives it back untouched."""
    check_name(method, METHODS, "binarisation")
    if method == "none":
        return image
    if method == "auto" and two_valued(image):
        return image if {int(image.min()), int(image.max())} <= {0, 255} else _apart(image)
    if method == "otsu":
        threshold, _ = need("cv2").threshold(image, 0, 255, need("cv2").THRESH_OTSU)
        return np.where(image > threshold, np.uint8(255), np.uint8(0))
    page = np.empty_like(image)
    for rows, band in _sauvola_bands(image, window, k):
        page[rows] = band
    return page


def two_valued(image: Grey) -> bool:
    """Whether a page has at most two grey values."""
    low, high = int(image.min()), int(image.max())
    return all(
        bool(((band == low) | (band == high)).all())
        for band in (image[row : row + _BAND] for row in range(0, len(image), _BAND))
    )


def ink_share(image: Grey) -> float:
    """The share of a page that is ink; 0 for one that has a single grey value."""
    if int(image.min()) == int(image.max()):
        return 0.0
    if two_valued(image):
        low = image.min()
        bands = (image[row : row + _BAND] for row in range(0, len(image), _BAND))
        return sum(int(np.count_nonzero(band == low)) for band in bands) / image.size
    paper = sum(int(np.count_nonzero(band)) for _, band in _sauvola_bands(image, WINDOW, K))
    return (image.size - paper) / image.size


def ink_middle(pixels: Grey) -> int:
    """How many rows make up the upper half of the writing, by the ink in them; at least one.

    The lower half of a page may be blank: half of its rows say nothing about half of its writing.
    """
    ink = np.cumsum((255 - pixels).sum(axis=1, dtype=np.int64))
    rows = int(np.searchsorted(2 * ink, ink[-1])) + 1 if ink[-1] else (len(ink) + 1) // 2
    return min(rows, max(len(ink) - 1, 1))


def has_ink(image: Grey) -> bool:
    """Whether there is any writing: neither blank nor black."""
    return LEAST_INK <= ink_share(image) <= MOST_INK


def _apart(image: Grey) -> Grey:
    return np.where(image == image.max(), np.uint8(255), np.uint8(0))


def _sauvola_bands(image: Grey, window: int, k: float) -> Iterator[tuple[slice, Grey]]:
    if window < 3 or window % 2 == 0:
        raise ValueError(f"window must be odd and at least 3, got {window}")
    cv2 = need("cv2")
    margin = window // 2
    for row in range(0, len(image), _BAND):
        rows = slice(row, min(row + _BAND, len(image)))
        above, below = min(margin, rows.start), min(margin, len(image) - rows.stop)
        part = image[rows.start - above : rows.stop + below]
        size = (window, window)
        inside = slice(above, above + rows.stop - rows.start)
        mean = cv2.boxFilter(part, cv2.CV_32F, size)[inside]
        square = cv2.sqrBoxFilter(part, cv2.CV_32F, size)[inside]
        band = np.empty(mean.shape, np.uint8)
        for top in range(0, len(mean), _CACHED):
            few = slice(top, top + _CACHED)
            grey = image[rows][few].astype(np.float32)
            cv2.compare(grey, _thresholds(mean[few], square[few], k), cv2.CMP_GT, dst=band[few])
        yield rows, band


def _thresholds(
    mean: NDArray[np.float32], square: NDArray[np.float32], k: float
) -> NDArray[np.float32]:
    found = mean * mean
    np.subtract(square, found, out=found)
    np.maximum(found, 0, out=found)
    np.sqrt(found, out=found)
    found *= k / 127.5
    found += 1 - k
    found *= mean
    return found
