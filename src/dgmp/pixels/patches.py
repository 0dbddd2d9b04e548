"""Square patches of a page, those with enough writing, and where each was cut.

Patches of ``size`` pixels stand every ``stride`` pixels; a last one in each direction reaches the
edge of the page, so that nothing is lost. A page smaller than a patch is padded with paper to the
right and below. A patch counts if more than ``min_edges`` of its pixels are edges, as in the
paper; a page on which none does keeps the one with the most.

Edges are found once for the page: Canny, σ = 3, thresholds 0.1 and 0.2 of the grey range, as
scikit-image has them by default and the published code uses them. OpenCV's Canny counts about 4 %
more pixels and keeps the same patches (``benchmarks/results/patches.md``). The page is taken in
bands of rows, so memory does not grow with its height, and only the cells between the borders of
patches are counted: an integral image at the few places that are needed.

Everything follows from the pixels alone: whichever process cuts a page gets the same patches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ImageError
from ..names import need
from ..records import Grey, Rectangles, Region
from .preparation import PageImage, paper_of

SIZE = 400
STRIDE = 256
MIN_EDGES = 2000
SIGMA = 3.0
_LOW, _HIGH = 0.1 * 255, 0.2 * 255
_REACH = 12  # pixels: the Gaussian is cut at 4σ
_BAND = 1024  # rows
_MARGIN = 64  # rows above and below a band, so that chains of edges are followed across its border


@dataclass(frozen=True)
class Patches:
    """The patches of one page: views of its pixels, not copies."""

    image: Grey  # the page, padded where it was smaller than a patch
    rectangles: Rectangles  # (patches, 4), in pixels of ``image``
    edges: NDArray[np.int64]  # (patches,): edge pixels in each
    page: PageImage | None = None

    def __len__(self) -> int:
        return len(self.rectangles)

    def __getitem__(self, index: int) -> Grey:
        left, top, right, bottom = self.rectangles[index]
        return self.image[top:bottom, left:right]

    def __iter__(self) -> Iterator[Grey]:
        return (self[index] for index in range(len(self)))

    def array(self, start: int = 0, stop: int | None = None) -> NDArray[np.uint8]:
        """A copy of the patches from ``start`` to ``stop``, (patches, size, size)."""
        return np.stack([self[index] for index in range(len(self))[start:stop]])

    @property
    def regions(self) -> tuple[Region, ...]:
        """Where the patches lie on the scan, of a page that was prepared."""
        if self.page is None:
            raise ValueError("patches of a mere array lie on no scan")
        return self.page.on_scan(self.rectangles)


def cut_patches(
    page: PageImage | Grey,
    size: int = SIZE,
    stride: int = STRIDE,
    min_edges: int = MIN_EDGES,
) -> Patches:
    """Cut a page, given as prepared by ``prepare_page`` or as an array of 8-bit grey."""
    if size < 1 or stride < 1:
        raise ValueError(f"size and stride must be positive, got {size} and {stride}")
    pixels = page.pixels if isinstance(page, PageImage) else page
    name = page.page.id if isinstance(page, PageImage) else "page"
    if pixels.ndim != 2 or pixels.dtype != np.uint8:
        raise ValueError(f"page must be 8-bit grey, got {pixels.dtype} of shape {pixels.shape}")
    image = _padded(pixels, size)
    tops, lefts = (
        patch_starts(image.shape[0], size, stride),
        patch_starts(image.shape[1], size, stride),
    )
    counts = count_edges(image, tops, lefts, size)  # (rows, columns) of patches
    rows, columns = np.nonzero(counts > min_edges)
    if len(rows) == 0:
        if counts.max() == 0:
            raise ImageError(name, "no ink: not a single edge on the page")
        rows, columns = (np.array([i]) for i in np.unravel_index(counts.argmax(), counts.shape))
    left, top = lefts[columns], tops[rows]
    rectangles = np.stack([left, top, left + size, top + size], axis=1).astype(np.int32)
    owner = page if isinstance(page, PageImage) else None
    return Patches(image, rectangles, counts[rows, columns], owner)


def patch_starts(length: int, size: int, stride: int) -> NDArray[np.int64]:
    """Where patches begin along a side: every ``stride``, and one that ends with the side."""
    last = max(length - size, 0)
    return np.array([*range(0, last, stride), last], dtype=np.int64)


def count_edges(
    image: Grey, tops: NDArray[np.int64], lefts: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """Edge pixels in every patch that begins at one of ``tops`` and one of ``lefts``."""
    cv2 = need("cv2")
    # Between two neighbouring borders of patches lies a cell that each patch has whole or not.
    ys, xs = np.union1d(tops, tops + size), np.union1d(lefts, lefts + size)
    cells = np.zeros((len(ys), len(xs)), np.int64)  # cells[i, j]: left above (ys[i], xs[j])
    for first, edges in _edge_bands(image):
        last = first + len(edges)
        for i in range(1, len(ys)):
            a, b = max(ys[i - 1], first), min(ys[i], last)
            if a >= b:
                continue
            strip = edges[a - first : b - first]
            for j in range(1, len(xs)):
                cells[i, j] += cv2.countNonZero(strip[:, xs[j - 1] : xs[j]])
    integral = cells.cumsum(0).cumsum(1)
    y0, y1 = np.searchsorted(ys, tops), np.searchsorted(ys, tops + size)
    x0, x1 = np.searchsorted(xs, lefts), np.searchsorted(xs, lefts + size)
    low, high = integral[y0], integral[y1]
    return high[:, x1] - high[:, x0] - low[:, x1] + low[:, x0]


def find_edges(image: Grey) -> Grey:
    """The edges of a page as they are counted: 255 on an edge, else 0."""
    return np.concatenate([edges for _, edges in _edge_bands(image)])


def _edge_bands(image: Grey) -> Iterator[tuple[int, Grey]]:
    cv2 = need("cv2")
    height = len(image)
    for first in range(0, height, _BAND):
        last = min(first + _BAND, height)
        above, below = min(first, _MARGIN), min(height - last, _MARGIN)
        part = image[first - above : last + below]
        smooth = cv2.GaussianBlur(
            part, (2 * _REACH + 1,) * 2, SIGMA, borderType=cv2.BORDER_REPLICATE
        )
        across = cv2.Sobel(smooth, cv2.CV_16S, 1, 0)
        down = cv2.Sobel(smooth, cv2.CV_16S, 0, 1)
        edges = cv2.Canny(across, down, _LOW, _HIGH, L2gradient=True)
        yield first, edges[above : above + last - first]


def _padded(pixels: Grey, size: int) -> Grey:
    height, width = pixels.shape
    if height >= size and width >= size:
        return pixels
    more = ((0, max(size - height, 0)), (0, max(size - width, 0)))
    return np.pad(pixels, more, constant_values=paper_of(pixels))
