"""Upright RootSIFT along the ink of binarised pages, made for pages at one scale.

Where a page is described:

    contours   the pixels on either side of an edge of the ink, every fifth of them on a lattice,
               and of these at most ``most``, evenly chosen from top to bottom
    extrema    extrema of differences of Gaussians as in SIFT, dark and light, but without
               doubling the page first (which takes most of SIFT's time) and without sub-pixel
               refinement

Contours give several times more points in less time, and hands are found better by them; extrema
are fewer and come back at the same spots of a letter.

Directions are not turned to a main one, because slant differs between writers, and all points of an
octave are described at one size, because pages come at one scale and the size of strokes differs
as well.

A descriptor is 4×4 cells of 8 directions. A gradient g is split between its two neighbouring
directions e_k by max(0, g·e_k − |g·e_k⊥|), which is linear, and zero beyond 45°; then a fixed
matrix of weights (bilinear between cells, a Gaussian over the window) sums the samples of the
window: descriptors are one matrix product per direction, made only where points are. Values above
0.2 of the length are cut; RootSIFT: divided by their sum, square root.

Lowe, Distinctive image features from scale-invariant keypoints, IJCV 2004; Arandjelović and
Zisserman, Three things everyone should know to improve object retrieval, CVPR 2012.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Grey, Matrix

POINTS = ("contours", "extrema")
CELLS, DIRECTIONS = 4, 8
DIM = CELLS**2 * DIRECTIONS
_UNITS = 64  # steps per grey value: blurred pages are kept in 16 bits
_CUT = 0.2
_HALF = np.float32(2**-0.5)
_SCALES = tuple(np.float32(sign) * scale for sign in (1, -1) for scale in (1, _HALF, 1, _HALF))
_BAND = 4_000_000  # pixels in which extrema are looked for at once, at 50 bytes each
_TOGETHER = 512  # keypoints described at once: their samples stay in the cache


@dataclass(frozen=True, eq=False)
class Keypoints:
    """Where a page is worth describing, in pixels of the page."""

    positions: NDArray[np.float32]  # (n, 2): x, y
    octaves: NDArray[np.intp]  # (n,): found on the page reduced by 2^octave

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, chosen: Any) -> Keypoints:
        return Keypoints(self.positions[chosen], self.octaves[chosen])


@dataclass(frozen=True)
class Sift:
    """Where and how a page is described; called with pixels it gives RootSIFT descriptors."""

    points: str = "contours"
    octaves: int = 1
    cell: float = 5.0  # pixels of the octave, of one of 4×4 cells
    smoothing: float = 1.2  # pixels of the octave: the Gaussian before gradients are taken
    most: int | None = 8000  # points of an octave
    layers: int = 3  # extrema: scales per octave
    finest: float = 0.8  # extrema: pixels, the Gaussian that the first difference begins with
    contrast: float = 2.0  # extrema: grey values a point differs by at least
    edge: float = 40.0  # extrema: the largest ratio of curvatures; above, it lies along an edge

    def __post_init__(self) -> None:
        if self.points not in POINTS:
            raise ValueError(f"points must be one of {', '.join(POINTS)}, got {self.points!r}")
        if self.octaves < 1 or self.layers < 1 or (self.most is not None and self.most < 1):
            raise ValueError(f"octaves, layers and most must be positive: {self}")

    @property
    def side(self) -> float:
        """Pixels of the patch that a descriptor of the first octave sums up."""
        return (CELLS + 1) * self.cell

    def __call__(self, pixels: Grey) -> Matrix:  # (height, width) -> (keypoints, 128)
        """The RootSIFT descriptors of a page, in the order of its keypoints."""
        return self.describe(pixels, self.detect(pixels))

    def detect(self, pixels: Grey) -> Keypoints:  # (height, width)
        """The keypoints of a page with 0 for ink, from top to bottom."""
        find = _contour_points if self.points == "contours" else self._extrema
        positions, octaves = [], []
        for octave, page in self._octaves(pixels):
            places = find(page)  # (n, 2)
            if self.most is not None and len(places) > self.most:
                places = places[np.linspace(0, len(places) - 1, self.most).astype(np.intp)]
            positions.append((places + 0.5) * 2**octave - 0.5)
            octaves.append(np.full(len(places), octave))
        found = Keypoints(np.concatenate(positions).astype(np.float32), np.concatenate(octaves))
        return found[np.argsort(found.positions[:, 1], kind="stable")]

    def describe(self, pixels: Grey, keypoints: Keypoints) -> Matrix:  # (keypoints, 128)
        """RootSIFT descriptors at given keypoints."""
        out = np.empty((len(keypoints), DIM), np.float32)
        for octave, page in self._octaves(pixels):
            chosen = np.flatnonzero(keypoints.octaves == octave)
            places = np.rint((keypoints.positions[chosen] + 0.5) / 2**octave - 0.5).astype(np.intp)
            out[chosen] = _descriptors(page, places, self.cell, self.smoothing)
        return _root(out)

    def _octaves(self, pixels: Grey) -> Iterator[tuple[int, Grey]]:
        cv2 = need("cv2")
        for octave in range(self.octaves):
            yield octave, pixels
            height, width = pixels.shape
            if min(height, width) < 2 * 16:
                return
            pixels = cv2.resize(pixels, (width // 2, height // 2), interpolation=cv2.INTER_AREA)

    def _extrema(self, page: Grey) -> NDArray[np.intp]:  # (n, 2)
        """The x, y of dark and light extrema in space and scale.

        In bands of rows, which see as much above and below as the widest Gaussian does: the result
        does not depend on them, memory is bounded.
        """
        margin = int(np.ceil(4 * self.finest * 2 ** (1 + 2 / self.layers))) + 3
        high = max(_BAND // page.shape[1], margin)
        places = []
        for top in range(0, len(page), high):
            first = max(top - margin, 0)
            bottom = min(top + high, len(page))
            found = self._extrema_of(page[first : bottom + margin])
            inside = found[:, 1] + first
            chosen = (top <= inside) & (inside < bottom)
            places.append(np.stack([found[chosen, 0], inside[chosen]], axis=1))
        return np.concatenate(places)

    def _extrema_of(self, page: Grey) -> NDArray[np.intp]:  # (n, 2)
        cv2 = need("cv2")
        wide = page.astype(np.uint16) * np.uint16(_UNITS)
        sigmas = [self.finest * 2 ** (n / self.layers) for n in range(self.layers + 3)]
        blurred = [cv2.GaussianBlur(wide, (0, 0), sigma) for sigma in sigmas]
        differences = [
            cv2.subtract(coarse, fine, dtype=cv2.CV_16S) for fine, coarse in pairwise(blurred)
        ]
        square = np.ones((3, 3), np.uint8)
        least = self.contrast * _UNITS
        found = np.zeros(page.shape, np.bool_)
        for spread, choose, beyond, limit in (
            (cv2.dilate, cv2.max, cv2.CMP_GT, least),  # dark: lighter around than in the middle
            (cv2.erode, cv2.min, cv2.CMP_LT, -least),
        ):
            most = [spread(difference, square) for difference in differences]
            for n in range(1, self.layers + 1):
                around = choose(choose(most[n - 1], most[n]), most[n + 1])
                hits = cv2.compare(differences[n], around, cv2.CMP_EQ)
                cv2.bitwise_and(hits, cv2.compare(differences[n], limit, beyond), dst=hits)
                found.ravel()[self._corners(differences[n], hits)] = True
        return _places(found)  # one each

    def _corners(
        self, difference: NDArray[np.int16], hits: Grey
    ) -> NDArray[np.intp]:  # (height, width) each -> (n,)
        """Those hits inside the page that are not along an edge, as numbers of pixels.

        Along an edge the ratio of the two curvatures is large.
        """
        width = difference.shape[1]
        hits[[0, -1]] = hits[:, [0, -1]] = 0
        places = np.flatnonzero(hits.ravel().view(np.bool_))
        flat = difference.ravel()

        def at(right: int, below: int) -> NDArray[np.float32]:
            return flat.take(places + (below * width + right)).astype(np.float32)

        middle = 2 * at(0, 0)
        xx, yy = at(1, 0) + at(-1, 0) - middle, at(0, 1) + at(0, -1) - middle
        xy = (at(1, 1) - at(-1, 1) - at(1, -1) + at(-1, -1)) / 4
        determinant = xx * yy - xy * xy
        return places[(xx + yy) ** 2 * self.edge < (self.edge + 1) ** 2 * determinant]


def cut_keypoint_patches(
    pixels: Grey, keypoints: Keypoints, side: int = 32
) -> NDArray[np.uint8]:  # (keypoints, side, side)
    """The patch of the page around each keypoint, with paper beyond the edge of the page."""
    if side < 1:
        raise ValueError(f"side must be at least 1 pixel, got {side}")
    cv2 = need("cv2")
    padded = cv2.copyMakeBorder(pixels, *[side] * 4, cv2.BORDER_CONSTANT, value=255)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side))
    left, top = (np.rint(keypoints.positions).astype(np.intp) + side - side // 2).T
    return windows[top, left]


def _contour_points(page: Grey) -> NDArray[np.intp]:  # (n, 2)
    """The x, y of every fifth pixel that has both ink and paper among its neighbours."""
    cv2 = need("cv2")
    ink = cv2.threshold(page, 127, 1, cv2.THRESH_BINARY_INV)[1]
    edges = cv2.morphologyEx(ink, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    # A lattice of knight's moves: as even along as across.
    x, y = np.arange(page.shape[1]), np.arange(5)[:, None]
    lattice = (x + 2 * y) % 5 == 0  # (5, width)
    for row in range(5):
        edges[row::5] &= lattice[row]
    return _places(edges.view(np.bool_))


def _places(hits: NDArray[np.bool_]) -> NDArray[np.intp]:  # (n, 2)
    """The x, y of what is true, row by row."""
    rows, columns = np.divmod(np.flatnonzero(hits), hits.shape[1])
    return np.stack([columns, rows], axis=1)


@lru_cache(maxsize=16)
def _window(cell: float) -> tuple[NDArray[np.intp], Matrix]:
    """Offsets of the samples along an axis, and the weight (samples², cells²) of each in a cell.

    Two samples per cell are enough behind a Gaussian of a quarter of it.
    """
    step = max(cell / 2, 1.0)
    reach = int(np.ceil(2.5 * cell / step))
    offsets = np.unique(np.rint((np.arange(-reach, reach) + 0.5) * step).astype(np.intp))
    centres = (np.arange(CELLS) - (CELLS - 1) / 2) * cell
    weights = np.maximum(0, 1 - np.abs(offsets[:, None] - centres) / cell)  # (samples, cells)
    weights *= np.exp(-np.square(offsets / cell) / (CELLS**2 / 2))[:, None]
    table = np.einsum("ai,bj->abij", weights, weights)
    return offsets, table.reshape(len(offsets) ** 2, CELLS**2).astype(np.float32)


def _descriptors(
    page: Grey, places: NDArray[np.intp], cell: float, smoothing: float
) -> Matrix:  # (n, 2) -> (n, 128), unit length, cut
    cv2 = need("cv2")
    offsets, weights = _window(cell)
    edge = int(np.abs(offsets).max()) + 1
    page = cv2.GaussianBlur(page, (0, 0), smoothing)
    page = cv2.copyMakeBorder(page, *[edge] * 4, cv2.BORDER_REPLICATE)
    along = [cv2.Sobel(page, cv2.CV_16S, *axis, ksize=1).ravel() for axis in ((1, 0), (0, 1))]
    width = page.shape[1]
    steps = (offsets[:, None] * width + offsets).ravel()  # (samples²,)
    middles = (places[:, 1] + edge) * width + places[:, 0] + edge
    out = np.empty((len(places), CELLS**2, DIRECTIONS), np.float32)
    channel = np.empty((_TOGETHER, len(steps)), np.float32)
    scaled = [scale * weights for scale in _SCALES]
    for start in range(0, len(places), _TOGETHER):
        samples = middles[start : start + _TOGETHER, None] + steps
        part = out[start : start + _TOGETHER]
        size = len(samples)
        x, y = (values.take(samples) for values in along)
        for n, values in enumerate(_directions(x, y)):
            channel[:size] = values
            part[:, :, n] = channel[:size] @ scaled[n]
    flat = out.reshape(len(places), DIM)
    lengths = np.linalg.norm(flat, axis=1, keepdims=True)
    flat /= np.maximum(lengths, 1e-9)
    return np.minimum(flat, _CUT, out=flat)


def _directions(x: NDArray[np.int16], y: NDArray[np.int16]) -> Iterator[NDArray[np.int16]]:
    """Gradients split among 8 directions, each between its two neighbours, over ``_SCALES``.

    In whole numbers, which are half as long: diagonal directions come √2 too large, the opposite
    ones negative.
    """
    up, across = x + y, y - x
    pairs = ((x, np.abs(y)), (up, np.abs(across)), (y, np.abs(x)), (across, np.abs(up)))
    zero = np.int16(0)
    for ahead, aside in pairs:
        values = ahead - aside
        yield np.maximum(values, zero, out=values)
    for ahead, aside in pairs:
        values = ahead + aside
        yield np.minimum(values, zero, out=values)


def _root(descriptors: Matrix) -> Matrix:
    sums = descriptors.sum(axis=1, keepdims=True)
    descriptors /= np.where(sums > 0, sums, 1)
    return np.sqrt(descriptors, out=descriptors)
