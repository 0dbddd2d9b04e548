"""From the pixel types that picture files have to 8-bit grey or red, green and blue.

Transparency is laid over white, a palette is looked up, 16-bit and float values become 8-bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ImageError
from ..names import need
from ..records import Grey

Colours = NDArray[np.uint8]  # (height, width, 3), red first; or (height, width), grey

_WHITE_IS_ZERO = 0
_COLOURED = ("RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "HSV", "P", "PA")
_MODES = ("1", "L", "LA", "La", "LAB", *_COLOURED)
_BAND = 1024  # rows


def to_grey(path: str, image: Any) -> Grey:
    """The pixels of a decoded picture as 8-bit grey."""
    mode = image.mode
    if mode.startswith("I") or mode == "F":
        white_is_zero = image.format == "TIFF" and image.tag_v2.get(262) == _WHITE_IS_ZERO
        return _eight_bits(path, np.asarray(image), inverted=white_is_zero and mode != "F")
    if mode not in _MODES:
        raise ImageError(path, f"unsupported pixel type {mode}")
    return _in_bands(image, "L")


def to_colours(path: str, image: Any) -> Colours:
    """The pixels of a decoded picture in its colours; grey where it has none, or is in Lab."""
    return _in_bands(image, "RGB") if image.mode in _COLOURED else to_grey(path, image)


def _in_bands(image: Any, mode: str) -> Colours:
    """All pixels; in bands, or every step would copy the whole page."""
    width, height = image.size
    pixels = np.empty((height, width, 3) if mode == "RGB" else (height, width), np.uint8)
    for top in range(0, height, _BAND):
        bottom = min(top + _BAND, height)
        band = _on_paper(image.crop((0, top, width, bottom)))
        pixels[top:bottom] = np.asarray(band if band.mode == mode else band.convert(mode))
    return pixels


def _on_paper(image: Any) -> Any:
    """A picture of any of ``_MODES`` as ``1``, ``L`` or ``RGB``, what is transparent over white."""
    if "transparency" in image.info or image.mode in ("PA", "RGBa"):
        image = image.convert("RGBA")
    elif image.mode == "La":
        image = image.convert("LA")
    if image.mode == "RGBA":
        image = need("PIL.Image").alpha_composite(
            need("PIL.Image").new("RGBA", image.size, "white"), image
        )
    elif image.mode == "LA":
        image = _over_white(image)
    elif image.mode == "LAB":
        return image.getchannel(0)
    return image if image.mode in ("1", "L", "RGB") else image.convert("RGB")


def _over_white(image: Any) -> Any:
    grey, alpha = image.split()
    return need("PIL.Image").composite(grey, need("PIL.Image").new("L", image.size, 255), alpha)


def _eight_bits(path: str, values: NDArray[Any], *, inverted: bool) -> Grey:
    """16-bit (also 12 or 8 bits kept in 16), 32-bit and float values in steps of 1/255."""
    finite = np.isfinite(values)
    if not finite.any():
        raise ImageError(path, "broken: no finite pixel value")
    if not finite.all():
        values = np.where(finite, values, values[finite].max())  # what was not measured is paper
    low, high = float(values.min()), float(values.max())
    tops = (255.0, 4095.0, 65535.0) if values.dtype.kind in "iu" else (1.0, 255.0, 65535.0)
    if low < 0 or high > tops[-1]:
        bottom, top = low, high  # no known range: the values' own
    else:
        bottom, top = 0.0, next(top for top in tops if high <= top)
    grey = np.empty(values.shape, np.uint8)
    for row in range(0, len(values), _BAND):  # in bands, or floats would take 4 bytes a pixel more
        band = (values[row : row + _BAND].astype(np.float32) - bottom) * (
            255 / max(top - bottom, 1e-9)
        )
        grey[row : row + _BAND] = np.rint(band).clip(0, 255)
    return 255 - grey if inverted else grey
