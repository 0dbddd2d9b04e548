"""Small pictures of a page: where most of its writing is, as described; regions, as scanned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ImageError
from ..names import need
from ..records import Grey, Page, Region
from .images import read_colour
from .pixel_types import Colours
from .preparation import PageImage, paper_of

THUMBNAIL = (240, 180)  # pixels, width and height
_WINDOW = 2.5  # prepared pixels per pixel of the thumbnail: some six lines at canonical scale
_QUALITY, _COLOUR_QUALITY = 75, 85  # of the JPEG
_LONGEST = 2048  # pixels of a cut-out along its width: a region may be a line, or a sliver


def thumbnail(image: PageImage) -> bytes:
    """JPEG bytes, some 10 kB; a page that is smaller than the part is shown whole."""
    cv2 = need("cv2")
    part = _most_ink(image.pixels, round(THUMBNAIL[0] * _WINDOW), round(THUMBNAIL[1] * _WINDOW))
    zoom = min(THUMBNAIL[0] / part.shape[1], THUMBNAIL[1] / part.shape[0], 1.0)
    size = (max(round(part.shape[1] * zoom), 1), max(round(part.shape[0] * zoom), 1))
    return _jpeg(cv2.resize(part, size, interpolation=cv2.INTER_AREA), _QUALITY)


def cut_out(page: Page, region: Region, *, height: int = 120, margin: float = 0.3) -> bytes:
    """The JPEG of one region, see :func:`cut_outs`."""
    return cut_outs(page, [region], height=height, margin=margin)[0]


def cut_outs(
    page: Page, regions: Sequence[Region], *, height: int = 120, margin: float = 0.3
) -> tuple[bytes, ...]:
    """JPEG files of some regions of the displayed scan, which is decoded once for all of them.

    Around a region ``margin`` times its longer side is shown, as far as the scan goes; ``height``
    is that of the cut-out in pixels. A region outside the scan raises an ImageError.
    """
    if height < 1 or margin < 0:
        raise ValueError(f"height must be positive, margin not negative, got {height} and {margin}")
    if not regions:
        return ()
    bounds = np.array([region.bounds for region in regions], np.float64)
    more = margin * (bounds[:, 2:] - bounds[:, :2]).max(axis=1, keepdims=True)
    bounds = np.concatenate([bounds[:, :2] - more, bounds[:, 2:] + more], axis=1)
    # Decoded no larger than the lowest region needs.
    lowest = float((bounds[:, 3] - bounds[:, 1]).min())
    reduce = max(step for step in (1, 2, 4, 8) if step == 1 or step * height <= lowest)
    try:
        pixels = read_colour(page.source, page.frame, turn=page.turn, reduce=reduce)
    except ImageError as error:
        raise ImageError(page.id, error.reason) from error
    high, wide = pixels.shape[:2]
    corners = np.rint(np.clip(bounds / reduce, 0, (wide, high, wide, high))).astype(int)
    found = []
    for left, top, right, bottom in corners.tolist():
        if right <= left or bottom <= top:
            raise ImageError(page.id, "a region to cut out lies outside the picture")
        found.append(_encoded(pixels[top:bottom, left:right], height))
    return tuple(found)


def _encoded(part: Colours, height: int) -> bytes:
    cv2 = need("cv2")
    zoom = min(height / part.shape[0], _LONGEST / part.shape[1])
    size = (max(round(part.shape[1] * zoom), 1), max(round(part.shape[0] * zoom), 1))
    smooth = cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    as_stored = np.ascontiguousarray(part[..., ::-1] if part.ndim == 3 else part)
    return _jpeg(cv2.resize(as_stored, size, interpolation=smooth), _COLOUR_QUALITY)


def _jpeg(pixels: Colours, quality: int) -> bytes:
    cv2 = need("cv2")
    done, encoded = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
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
