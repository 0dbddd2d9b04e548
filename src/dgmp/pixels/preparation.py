"""From the record of a page to its pixels: text regions only, one scale, ink from paper.

Everything outside the text regions becomes paper and the page is cropped to them, so no patch sees
what is not text. A page that cannot be read or has no ink raises :class:`ImageError`;
``read_pages`` goes through many, skips those and keeps count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engines import Engine, map_pages
from ..errors import DgmpError, ImageError
from ..names import check_name, need
from ..records import Grey, Page, Region, file_and_part
from .binarization import METHODS, binarize, has_ink, two_valued
from .images import read_image
from .scale import (
    CANONICAL,
    SMALLEST_PERIOD,
    TOLERANCE,
    WORKING,
    measure_lines,
    text_scale,
    to_canonical,
)
from .shared_scale import Measured

LARGEST = 100_000_000  # pixels that a page is worked on at, some 12 bytes each with describing it
NO_INK = "no ink: the page is blank or all black"
_REDUCIBLE = (".jpg", ".jpeg", ".jpe", ".jp2", ".j2k", ".jpf", ".jpx", ".j2c")

R = TypeVar("R")


@dataclass(frozen=True)
class Preparation:
    """How pages are brought to pixels; part of what makes a descriptor."""

    canonical: float | None = CANONICAL  # pixels between lines afterwards; None: leave the scale
    line_distance: float | None = None  # pixels between lines in the scans; None: estimate it
    binarization: str = "auto"

    def __post_init__(self) -> None:
        check_name(self.binarization, METHODS, "binarisation")
        for name in ("canonical", "line_distance"):
            value = getattr(self, name)
            if value is not None and not 1 <= value < math.inf:
                raise DgmpError(f"{name} must be at least 1 pixel, got {value}")


@dataclass(frozen=True)
class PageImage:
    """The pixels of a page as they are described, and how they lie on the scan."""

    page: Page
    pixels: Grey
    zoom: float = 1.0  # pixels here per pixel of the scan
    offset: tuple[float, float] = (0.0, 0.0)  # left and top of these pixels on the scan
    line_distance: float | None = None  # in pixels of the scan, if it was asked for

    def on_scan(
        self, rectangles: NDArray[Any], kind: str = "patch", values: Sequence[float] | None = None
    ) -> tuple[Region, ...]:  # (n, 4): left, top, right, bottom
        """Rectangles of these pixels as regions of the scan, cut off at its border."""
        height, width = self.pixels.shape
        inside = np.minimum(rectangles, (width, height, width, height)) / self.zoom
        placed = inside + np.array([*self.offset, *self.offset])
        if self.page.size is not None:  # the last pixel here may reach over the last there
            placed = np.minimum(placed, (*self.page.size, *self.page.size))
        known = [None] * len(placed) if values is None else values
        return tuple(
            Region.rectangle(left, top, right, bottom, kind, value)
            for (left, top, right, bottom), value in zip(placed.tolist(), known, strict=True)
        )


def prepare_page(
    page: Page, preparation: Preparation | None = None, distance: float | None = None
) -> PageImage:
    """Read a page, keep its text regions, bring it to the canonical scale and binarise it.

    ``distance`` is that between the lines of the scan, where neither ``preparation`` nor a layout
    file gives it; else it is estimated.
    """
    preparation = preparation or Preparation()
    distance = preparation.line_distance or page.line_distance or distance
    wanted = preparation.canonical
    reduce = _reduction(page, wanted, distance)
    pixels, offset = _read_text(page, reduce)
    inked = binarize(pixels)
    if not has_ink(inked):
        raise ImageError(page.id, NO_INK)
    if wanted and distance is None:
        distance = reduce * text_scale(pixels, page.id)
        enough = min(reduce, _reduction(page, wanted, distance))
        if enough < reduce:  # the writing is too small to be described at this size
            reduce = enough
            pixels, offset = _read_text(page, reduce)
            inked = binarize(pixels)
    sharp = two_valued(pixels)
    zoom = 1.0
    if wanted and distance is not None:
        _check_work(page, pixels.size * (wanted * reduce / distance) ** 2)
        pixels, zoom = to_canonical(pixels, distance / reduce, canonical=wanted)
        if sharp and zoom != 1:
            # Two values stay two: resampling made greys of them only along the strokes.
            middle = (int(pixels.min()) + int(pixels.max())) // 2
            pixels = np.where(pixels > middle, np.uint8(255), np.uint8(0))
    if zoom == 1 and preparation.binarization == "auto":
        pixels = inked
    else:
        pixels = binarize(pixels, preparation.binarization)
    return PageImage(page, pixels, zoom / reduce, offset, distance)


def needs_measuring(page: Page, preparation: Preparation) -> bool:
    """Whether only an estimate gives the scale of the page."""
    known = preparation.line_distance or page.line_distance
    return preparation.canonical is not None and known is None


def measure_page(page: Page) -> Measured:
    """The distance between lines as estimated from the ink of a page; no pixels are kept.

    A JPEG is decoded no larger than the estimate works at. No ink raises an ImageError.
    """
    glance = _reduction(page, CANONICAL, None)
    pixels = _text_pixels(page, glance)
    distance, sure = measure_lines(pixels, page.id)
    if glance > 1 and distance * WORKING < 1.2 * SMALLEST_PERIOD * max(pixels.shape):
        glance = 1  # lines too fine for that
        distance, sure = measure_lines(_text_pixels(page, glance), page.id)
    folder = file_and_part(page.id)[0].rpartition("/")[0]
    return Measured(glance * distance, sure, page.dpi, folder, page.size)


def _text_pixels(page: Page, reduce: int) -> Grey:
    pixels, _ = _read_text(page, reduce)
    if not has_ink(pixels):
        raise ImageError(page.id, NO_INK)
    return pixels


def centre_patch(image: PageImage, side: int) -> PageImage:
    """The patch in the middle of a page; a smaller page is padded with paper to right and below.

    Less writing per page makes retrieval hard enough to tell describers apart.
    """
    if side < 1:
        raise ValueError(f"side must be at least 1 pixel, got {side}")
    height, width = image.pixels.shape
    top, left = max((height - side) // 2, 0), max((width - side) // 2, 0)
    part = image.pixels[top : top + side, left : left + side]
    if part.shape != (side, side):
        more = ((0, side - part.shape[0]), (0, side - part.shape[1]))
        part = np.pad(part, more, constant_values=paper_of(image.pixels))
    x, y = image.offset
    return replace(image, pixels=part, offset=(x + left / image.zoom, y + top / image.zoom))


def paper_of(pixels: Grey) -> int:
    """The grey of the paper: the median, as most of a page is paper."""
    return int(np.median(pixels))


class PageReader:
    """The pixels of pages, one after another; those that cannot be used are in ``failures``."""

    def __init__(
        self,
        pages: Sequence[Page],
        preparation: Preparation | None,
        engine: Engine | None,
        distances: Mapping[str, float] | None = None,
    ) -> None:
        self.failures: list[tuple[str, str]] = []  # page id, reason; complete after the last page
        self._pages, self._engine = pages, engine
        self._prepare = page_reader(preparation or Preparation(), distances)

    def __iter__(self) -> Iterator[PageImage]:
        self.failures.clear()
        for page, result in map_pages(self._pages, self._prepare, self._engine):
            if isinstance(result, ImageError):
                self.failures.append((page.id, result.reason))
            else:
                yield result


def read_pages(
    pages: Sequence[Page],
    preparation: Preparation | None = None,
    engine: Engine | None = None,
    distances: Mapping[str, float] | None = None,
) -> PageReader:
    """Prepare pages in order; a page that cannot be used is skipped, with its reason kept.

    ``distances`` are those between lines, by page id, as in ``prepare_page``.
    """
    return PageReader(pages, preparation, engine, distances)


def page_reader(
    preparation: Preparation, distances: Mapping[str, float] | None = None
) -> Callable[[Page], PageImage]:
    """``prepare_page`` with all but the page; it can be pickled."""
    return partial(_prepare_at, preparation=preparation, distances=distances or {})


def _prepare_at(page: Page, preparation: Preparation, distances: Mapping[str, float]) -> PageImage:
    return prepare_page(page, preparation, distances.get(page.id))


@dataclass(frozen=True)
class OnPixels(Generic[R]):
    """A function of prepared pixels as one of a page, for ``map_pages``; it can be pickled.

    ``read`` gives the pixels: ``prepare_page``, or the ``read`` of a store of prepared pages.
    """

    function: Callable[[PageImage], R]
    read: Callable[[Page], PageImage]
    crop: int | None = None  # only the patch of that many pixels in the middle

    def __call__(self, page: Page) -> R:
        """Read the page and call the function."""
        image = self.read(page)
        return self.function(image if self.crop is None else centre_patch(image, self.crop))


def _reduction(page: Page, wanted: float | None, distance: float | None) -> int:
    """By how much a picture is reduced while it is decoded, where its format can do so, or must.

    As far as lines stay as far apart as ``wanted``; where their distance is unknown, as far as it
    can still be estimated.
    """
    if not wanted or page.size is None:
        return 1
    reducible = page.source.address.lower().endswith(_REDUCIBLE)
    if not reducible and page.size[0] * page.size[1] <= LARGEST:
        return 1
    least = wanted * (1 - TOLERANCE)  # pixels between lines: less is not resampled
    most = max(page.size) / WORKING if distance is None else distance / least
    return max(reduce for reduce in (1, 2, 4, 8) if reduce == 1 or reduce <= most)


def _read_text(page: Page, reduce: int) -> tuple[Grey, tuple[float, float]]:
    """The text of a page, and its left and top on the scan."""
    if page.size is not None:
        _check_work(page, page.size[0] * page.size[1] / reduce**2)
    try:
        pixels = read_image(page.source, page.frame, turn=page.turn, reduce=reduce)
    except ImageError as error:
        raise type(error)(page.id, error.reason) from error
    if page.regions is None:
        return pixels, (0.0, 0.0)
    pixels, (left, top) = _only_regions(page, pixels, reduce)
    return pixels, (float(left * reduce), float(top * reduce))


def _check_work(page: Page, pixels: float) -> None:
    """Refuse what would take too much memory before it does."""
    if pixels > LARGEST:
        raise ImageError(
            page.id,
            f"too large: {pixels / 1e6:.0f} million pixels at the size its writing is described "
            f"at, the limit is {LARGEST / 1e6:.0f} million; cut it into several pictures",
        )


def _only_regions(page: Page, pixels: Grey, reduce: int) -> tuple[Grey, tuple[int, int]]:
    height, width = pixels.shape
    assert page.regions is not None
    corners = [np.array(region.corners) / reduce for region in page.regions]
    points = np.concatenate(corners)
    left, top = np.floor(points.min(0)).clip(0).astype(int)
    right, bottom = np.minimum(np.ceil(points.max(0)).astype(int) + 1, (width, height))
    if right <= left or bottom <= top:
        raise ImageError(page.id, "no text: its text regions lie outside the picture")
    inside = np.zeros((bottom - top, right - left), np.uint8)
    for corner in corners:  # one by one, or overlapping regions would cancel out
        need("cv2").fillPoly(inside, [np.rint(corner - (left, top)).astype(np.int32)], 255)
    cropped = pixels[top:bottom, left:right]
    paper = paper_of(cropped[inside > 0])
    return np.where(inside > 0, cropped, np.uint8(paper)), (int(left), int(top))
