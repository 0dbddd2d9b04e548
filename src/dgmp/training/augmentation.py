"""One training patch: a rectangle of a page, moved, turned and resampled in one step.

Position, zoom, rotation and slant are one affine map, so that pixels are interpolated once; the
thickness of strokes and the grey values come after it. All randomness comes from the generator that
is passed in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import DgmpError
from ..models import PAPER
from ..names import need
from ..records import Grey


@dataclass(frozen=True)
class Augmentation:
    """How far a training patch may differ from what is on the page; nothing by default."""

    area: tuple[float, float] | None = None  # share of the patch that is cut out of it, with …
    aspect: tuple[float, float] = (1.0, 1.0)  # … this ratio of width to height
    crop: float = 1.0  # share of the patch's side that is shown, letters as large as before
    shift: float = 0.0  # pixels of the page, in both directions
    zoom: float = 0.0  # 0.15: sizes from 1/1.15 to 1.15
    rotation: float = 0.0  # degrees
    shear: float = 0.0  # slant: pixels to the side per pixel down
    thickness: float = 0.0  # of strokes: up to this many pixels thicker or thinner
    brightness: float = 0.0  # 0.1: times 0.9 to 1.1
    contrast: float = 0.0
    foreground: float = 0.0  # ink and paper brightened apart, each by up to this share of 255

    def __post_init__(self) -> None:
        for name in ("area", "aspect"):
            span = getattr(self, name)
            most = 1.0 if name == "area" else math.inf
            if span is not None and not 0 < span[0] <= span[1] <= most:
                raise DgmpError(f"{name} must go from a positive number up, got {span}")
        if not 0 < self.crop <= 1:
            raise DgmpError(f"crop must be above 0 and at most 1, got {self.crop}")
        for name in ("shift", "zoom", "rotation", "shear", "thickness", "brightness", "contrast",
                     "foreground"):  # fmt: skip
            if not 0 <= getattr(self, name) < math.inf:
                raise DgmpError(f"{name} must not be negative, got {getattr(self, name)}")


def augmented_patch(
    pixels: Grey,
    rectangle: NDArray[np.int32],  # left, top, right, bottom
    side: int,
    how: Augmentation,
    generator: np.random.Generator,
) -> Grey:  # (crop·side, crop·side)
    """Cut a patch of a page, of ``side`` pixels if shown whole, changed within ``how``."""
    left, top, right, bottom = (float(value) for value in rectangle)
    if how.area is not None:
        left, top, right, bottom = _part_of_patch(left, top, right, bottom, how, generator)
    moved = generator.uniform(-1, 1, 6)  # always all six: one switch does not move the others
    size = np.array([right - left, bottom - top])
    reach = how.shift + (1 - how.crop) * size / 2
    centre = np.array([left + right, top + bottom]) / 2 + reach * moved[:2]
    zoom = (1 + how.zoom) ** moved[2]
    angle = np.deg2rad(how.rotation * moved[3])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    slant = np.array([[1.0, how.shear * moved[4]], [0.0, 1.0]])
    linear = turn @ slant @ np.diag(size) / (side * zoom)
    patch = _warp(pixels, linear, centre, round(how.crop * side))
    if how.thickness:
        patch = _thickened(patch, how.thickness * moved[5], side / size[0])
    return _greys(patch, how, generator)


def _part_of_patch(
    left: float,
    top: float,
    right: float,
    bottom: float,
    how: Augmentation,
    generator: np.random.Generator,
) -> tuple[float, float, float, float]:
    """A random part of the patch by area and aspect; after ten vain draws, all of it."""
    assert how.area is not None
    width, height = right - left, bottom - top
    for _ in range(10):
        area = width * height * generator.uniform(*how.area)
        ratio = np.exp(generator.uniform(*np.log(how.aspect)))
        wide, high = np.sqrt(area * ratio), np.sqrt(area / ratio)
        if wide <= width and high <= height:
            x = left + generator.uniform(0, width - wide)
            y = top + generator.uniform(0, height - high)
            return x, y, x + wide, y + high
    return left, top, right, bottom


def _warp(
    pixels: Grey, linear: NDArray[np.float64], centre: NDArray[np.float64], side: int
) -> Grey:
    """Sample the page at linear·(x, y) + centre, x and y from the middle of the patch."""
    cv2 = need("cv2")
    # Only the part of the page that is needed, first shrunk by area where it shrinks much: a
    # bilinear sample of every third pixel would lose strokes.
    corners = linear @ (np.array([[-1, 1, -1, 1], [-1, -1, 1, 1]]) * (side / 2 + 1))
    reach = np.ceil(np.abs(corners).max(axis=1)) + 2
    first = np.floor(centre - reach).astype(int)
    last = np.ceil(centre + reach).astype(int)
    height, width = pixels.shape
    x0, y0 = np.clip(first, 0, (max(width - 1, 0), max(height - 1, 0)))
    x1, y1 = np.maximum(np.clip(last, 0, (width, height)), (x0 + 1, y0 + 1))
    part = np.ascontiguousarray(pixels[y0:y1, x0:x1])
    shrink = max(round(float(np.sqrt(abs(np.linalg.det(linear))))), 1)
    size = max(part.shape[1] // shrink, 1), max(part.shape[0] // shrink, 1)
    scale = np.array(size) / (part.shape[1], part.shape[0])
    if shrink > 1:
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    matrix = np.diag(scale) @ linear
    # Pixel centres lie at half: x_part = scale·(x_page + ½) − ½.
    middle = np.full(2, (side - 1) / 2)
    offset = scale * (centre - (x0, y0)) - 0.5 - matrix @ middle
    return cv2.warpAffine(
        part,
        np.column_stack([matrix, offset]),
        (side, side),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=PAPER,
    )


def _thickened(patch: Grey, pixels: float, scale: float) -> Grey:
    """Strokes thicker (or thinner) by about so many pixels of the page; edges stay smooth."""
    cv2 = need("cv2")
    amount = abs(pixels) * scale
    if amount < 0.05:
        return patch
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    way = cv2.erode if pixels > 0 else cv2.dilate  # ink is dark
    whole, rest = divmod(amount / 2, 1)  # a 3×3 kernel moves both sides of a stroke by one
    if whole:
        patch = way(patch, kernel, iterations=int(whole))
    return cv2.addWeighted(patch, 1 - rest, way(patch, kernel), rest, 0)


def _greys(patch: Grey, how: Augmentation, generator: np.random.Generator) -> Grey:
    drawn = generator.uniform(-1, 1, 4)
    if not (how.brightness or how.contrast or how.foreground):
        return patch
    values = patch.astype(np.float32)
    if how.foreground:
        # Tensmeyer, Saunders, Martinez, ICDAR 2017: ink and paper get lighter or darker apart.
        threshold, _ = need("cv2").threshold(patch, 0, 255, need("cv2").THRESH_OTSU)
        values += 255 * how.foreground * np.where(patch <= threshold, drawn[2], drawn[3])
    values *= 1 + how.brightness * drawn[0]
    mean = values.mean()
    values = mean + (values - mean) * (1 + how.contrast * drawn[1])
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)
