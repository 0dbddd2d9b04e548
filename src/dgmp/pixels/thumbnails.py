"""A small picture of a page as it is described: the part with the most writing."""

from __future__ import annotations

import numpy as np

from ..names import need
from ..records import Grey
from .preparation import PageImage, paper_of

THUMBNAIL = (240, 180)  # pixels, width and height
_WINDOW = 2.5  # prepared pixels per pixel of the thumbnail: some six lines at canonical scale
_QUALITY = 75  # of the JPEG


def thumbnail(image: PageImage) -> bytes:
    """JPEG bytes, some 10 kB; a page that is smaller than the part is shown whole."""
    cv2 = need("cv2")
    part = _most_ink(image.pixels, round(THUMBNAIL[0] * _WINDOW), round(THUMBNAIL[1] * _WINDOW))
    zoom = min(THUMBNAIL[0] / part.shape[1], THUMBNAIL[1] / part.shape[0], 1.0)
    size = (max(round(part.shape[1] * zoom), 1), max(round(part.shape[0] * zoom), 1))
    small = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    done, encoded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    assert done
    return bytes(encoded)


def _most_ink(pixels: Grey, width: int, height: int) -> Grey:
    """The part with the most ink, looked for at an eighth of the size."""
    cv2 = need("cv2")
    width, height = min(width, pixels.shape[1]), min(height, pixels.shape[0])
    step = 8 if min(pixels.shape) >= 64 else 1
    small = (pixels.shape[1] // step, pixels.shape[0] // step)
    dark = paper_of(pixels) - cv2.resize(pixels, small, interpolation=cv2.INTER_AREA).astype(float)
    sums = cv2.integral(np.maximum(dark, 0))
    down, across = max(height // step, 1), max(width // step, 1)
    lower, upper = sums[down:], sums[:-down]
    ink = (lower - upper)[:, across:] - (lower - upper)[:, :-across]
    row, column = np.unravel_index(int(ink.argmax()), ink.shape)
    top = min(int(row) * step, pixels.shape[0] - height)
    left = min(int(column) * step, pixels.shape[1] - width)
    return pixels[top : top + height, left : left + width]
