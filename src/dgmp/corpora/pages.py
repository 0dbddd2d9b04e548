"""From the record of a page to its pixels: text regions only, one scale, ink from paper.

Everything outside the text regions becomes paper and the page is cropped to them, so no patch sees
what is not text. A page that cannot be read or has no ink raises :class:`ImageError`;
``read_pages`` goes through many, skips those and keeps count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ImageError
from ..records import Page
from .binarization import binarize, has_ink, two_valued
from .extras import opencv
from .images import Grey, read_image
from .scale import CANONICAL, WORKING, text_scale, to_canonical

_HUGE = 40_000_000  # pixels: above this a JPEG is decoded no larger than its writing asks for
_REDUCIBLE = (".jpg", ".jpeg", ".jpe", ".jp2", ".j2k", ".jpf", ".jpx", ".j2c")

T = TypeVar("T")


@dataclass(frozen=True)
class Preparation:
    """How pages are brought to pixels; part of what makes a descriptor."""

    canonical: float | None = CANONICAL  # pixels between lines afterwards; None: leave the scale
    line_distance: float | None = None  # pixels between lines in the scans; None: estimate it
    binarization: str = "auto"


@dataclass(frozen=True)
class PageImage:
    """The pixels of a page as they are described, and how they lie on the scan."""

    page: Page
    pixels: Grey
    zoom: float = 1.0  # pixels here per pixel of the scan
    offset: tuple[float, float] = (0.0, 0.0)  # left and top of these pixels on the scan
    line_distance: float | None = None  # in pixels of the scan, if it was asked for

    def to_scan(self, boxes: NDArray[Any]) -> NDArray[np.float64]:
        """Boxes (n, 4) of left, top, right, bottom here, in pixels of the scan and within it."""
        height, width = self.pixels.shape
        inside = np.minimum(boxes, (width, height, width, height)) / self.zoom
        return inside + np.array([*self.offset, *self.offset])


def prepare_page(page: Page, preparation: Preparation | None = None) -> PageImage:
    """Read a page, keep its text regions, bring it to the canonical scale and binarise it."""
    preparation = preparation or Preparation()
    distance = preparation.line_distance or page.line_distance
    reduce = 1
    wanted = preparation.canonical
    width, height = page.size or (0, 0)
    if wanted and width * height > _HUGE and page.path.suffix.lower() in _REDUCIBLE:
        if distance is None:
            glance = max(r for r in (1, 2, 4, 8) if r == 1 or max(width, height) / r >= WORKING)
            distance = glance * text_scale(
                read_image(page.path, page.frame, reduce=glance), page.id
            )
        reduce = max(r for r in (1, 2, 4, 8) if r == 1 or distance / r >= wanted)
    try:
        pixels = read_image(page.path, page.frame, reduce=reduce)
    except ImageError as error:
        raise ImageError(page.id, error.reason) from error
    offset = (0.0, 0.0)
    if page.regions is not None:
        pixels, corner = _only_regions(page, pixels, reduce)
        offset = (corner[0] * reduce, corner[1] * reduce)
    if not has_ink(pixels):
        raise ImageError(page.id, "no ink: the page is blank or all black")
    sharp = two_valued(pixels)
    zoom = 1.0
    if wanted:
        distance = distance or reduce * text_scale(pixels, page.id)
        pixels, zoom = to_canonical(pixels, distance / reduce, canonical=wanted)
        if sharp and zoom != 1:
            # Two values stay two: resampling made greys of them only along the strokes.
            middle = (int(pixels.min()) + int(pixels.max())) // 2
            pixels = np.where(pixels > middle, np.uint8(255), np.uint8(0))
    pixels = binarize(pixels, preparation.binarization)
    return PageImage(page, pixels, zoom / reduce, offset, distance)


def centre_square(image: PageImage, side: int) -> PageImage:
    """The square in the middle of a page; a smaller page is padded with paper to right and below.

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


class PageReader(Generic[T]):
    """Goes through pages once; ``failures`` tells afterwards which were skipped, and why."""

    def __init__(self, results: Callable[[PageReader[T]], Iterator[T]]) -> None:
        self.failures: list[tuple[str, str]] = []
        self._results = results

    def __iter__(self) -> Iterator[T]:
        self.failures.clear()
        return self._results(self)


def read_pages(
    pages: Sequence[Page],
    preparation: Preparation | None = None,
    *,
    then: Callable[[PageImage], Any] | None = None,
    workers: int = 0,
) -> PageReader[Any]:
    """Prepare pages in order, in ``workers`` processes, and go on with ``then`` in there.

    ``read_pages(corpus.pages, then=cut_patches, workers=2)`` yields the patches of one page after
    the other. A page that cannot be used is skipped and stands in ``failures`` with its reason.
    """
    work = partial(_work, preparation=preparation or Preparation(), then=then)

    def one_by_one(reader: PageReader[Any]) -> Iterator[Any]:
        for page in pages:
            yield from _sorted_out(work(page), reader)

    def by_workers(reader: PageReader[Any]) -> Iterator[Any]:
        # Fresh processes: a fork of one that runs torch or OpenCV threads may hang.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            ahead: deque[Future[Any]] = deque()  # a few pages at a time, or memory would fill up
            for page in pages:
                ahead.append(pool.submit(work, page))
                if len(ahead) > 2 * workers:
                    yield from _sorted_out(ahead.popleft().result(), reader)
            while ahead:
                yield from _sorted_out(ahead.popleft().result(), reader)

    return PageReader(by_workers if workers else one_by_one)


def _work(
    page: Page, preparation: Preparation, then: Callable[[PageImage], Any] | None
) -> Any | ImageError:
    try:
        prepared = prepare_page(page, preparation)
        return prepared if then is None else then(prepared)
    except ImageError as error:
        return ImageError(page.id, error.reason)


def _sorted_out(result: Any, reader: PageReader[Any]) -> Iterator[Any]:
    if isinstance(result, ImageError):
        reader.failures.append((str(result.file), result.reason))
    else:
        yield result


def _only_regions(page: Page, pixels: Grey, reduce: int) -> tuple[Grey, tuple[int, int]]:
    height, width = pixels.shape
    assert page.regions is not None
    corners = [np.array(region) / reduce for region in page.regions]
    points = np.concatenate(corners)
    left, top = np.floor(points.min(0)).clip(0).astype(int)
    right, bottom = np.minimum(np.ceil(points.max(0)).astype(int) + 1, (width, height))
    if right <= left or bottom <= top:
        raise ImageError(page.id, "no text: its text regions lie outside the picture")
    inside = np.zeros((bottom - top, right - left), np.uint8)
    for corner in corners:  # one by one, or overlapping regions would cancel out
        opencv().fillPoly(inside, [np.rint(corner - (left, top)).astype(np.int32)], 255)
    cropped = pixels[top:bottom, left:right]
    paper = paper_of(cropped[inside > 0])
    return np.where(inside > 0, cropped, np.uint8(paper)), (int(left), int(top))
