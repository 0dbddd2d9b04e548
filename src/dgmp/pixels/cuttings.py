"""Small pictures of regions of a page, cut from the scan with its colours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ImageError
from ..names import need
from ..records import Page, Region
from .images import read_colour
from .pixel_types import Colours

_LONGEST = 2048  # pixels of a cut-out along its width: a region may be a line, or a sliver
_QUALITY = 85  # of the JPEG


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
    small = cv2.resize(
        np.ascontiguousarray(part[..., ::-1] if part.ndim == 3 else part),
        size,
        interpolation=smooth,
    )
    done, encoded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    assert done
    return bytes(encoded)
