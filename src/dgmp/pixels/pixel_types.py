"""From the pixel types that picture files have to 8-bit grey or red, green and blue.

Transparency is laid over white, a palette is looked up, 16-bit and float values become 8-bit.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def to_grey(path: str, image: Any, reduce: int = 1) -> Grey:
    """The pixels of a decoded picture as 8-bit grey, averaged down by ``reduce``."""
    mode = image.mode
    if mode.startswith("I") or mode == "F":
        white_is_zero = image.format == "TIFF" and image.tag_v2.get(262) == _WHITE_IS_ZERO
        return _eight_bits(path, image, reduce, inverted=white_is_zero and mode != "F")
    if mode not in _MODES:
        raise ImageError(path, f"unsupported pixel type {mode}")
    return _in_bands(image, "L", reduce)


def to_colours(path: str, image: Any, reduce: int = 1) -> Colours:
    """The pixels of a decoded picture in its colours; grey where it has none, or is in Lab."""
    if image.mode in _COLOURED:
        return _in_bands(image, "RGB", reduce)
    return to_grey(path, image, reduce)


def _in_bands(image: Any, mode: str, reduce: int) -> Colours:
    """All pixels; in bands, or every step would copy the whole page."""
    shape = _reduced(image.size, reduce)
    pixels = np.empty((*shape, 3) if mode == "RGB" else shape, np.uint8)
    for top, band in _bands(image):
        band = _on_paper(band)
        _put(pixels, top, band if band.mode == mode else band.convert(mode), reduce)
    return pixels


def _bands(image: Any) -> Iterator[tuple[int, Any]]:
    """The first row of each part of a picture, and the part."""
    width, height = image.size
    for top in range(0, height, _BAND):
        yield top, image.crop((0, top, width, min(top + _BAND, height)))


def _put(pixels: Colours, top: int, band: Any, reduce: int) -> None:
    small = np.asarray(band if reduce == 1 else band.reduce(reduce))
    pixels[top // reduce : top // reduce + len(small)] = small


def _reduced(size: tuple[int, int], reduce: int) -> tuple[int, int]:
    """Height and width; a last pixel may stand for fewer."""
    return -(-size[1] // reduce), -(-size[0] // reduce)


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


def _eight_bits(path: str, image: Any, reduce: int, *, inverted: bool) -> Grey:
    """16-bit (also 12 or 8 bits kept in 16), 32-bit and float values in steps of 1/255."""
    lowest, highest, whole = np.inf, -np.inf, True
    for _, band in _bands(image):
        values = np.asarray(band)
        whole = values.dtype.kind in "iu"
        finite = values if whole else values[np.isfinite(values)]
        if finite.size:
            lowest, highest = min(lowest, float(finite.min())), max(highest, float(finite.max()))
    if lowest > highest:
        raise ImageError(path, "broken: no finite pixel value")
    tops = (255.0, 4095.0, 65535.0) if whole else (1.0, 255.0, 65535.0)
    if lowest < 0 or highest > tops[-1]:
        bottom, top = lowest, highest  # no known range: the values' own
    else:
        bottom, top = 0.0, next(top for top in tops if highest <= top)
    pixels = np.empty(_reduced(image.size, reduce), np.uint8)
    for row, band in _bands(image):
        values = np.asarray(band).astype(np.float32)
        values = np.where(np.isfinite(values), values, highest)  # what was not measured is paper
        grey = np.rint((values - bottom) * (255 / max(top - bottom, 1e-9))).clip(0, 255)
        grey = grey.astype(np.uint8)
        _put(pixels, row, need("PIL.Image").fromarray(255 - grey if inverted else grey), reduce)
    return pixels
