"""Where the writing is on a photograph: quarter turns, openings, tables, rulers, cards, borders.

A photograph shows surfaces: a table, one or two pages, a ruler, the patches of a colour card.
Without its ink, which a closing takes away, each is smooth, and between them there are edges.
The pieces of ink that have the size of letters are counted on every surface: the one with
most is the page, others as bright and written on belong to it (the other page of an opening, or the
same page behind a fold), the rest is cut away, and of the page what lies far from its writing.
Where a shadow runs down between two blocks of writing, on a page wider than high, it is the gutter
of an opening, and both sides are pages.

A picture whose writing reaches over all of it, as a crop or a clean scan, is left as it is: there
is nothing to cut. So is a small one. One without letters, or whose letters are the ticks of a
ruler, raises :class:`NoWriting`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import NoWriting
from ..names import need
from ..records import Floats, Grey, Page, Region
from .images import read_image
from .scale import ink_at
from .upright import quarter_turns

SIDE = 1200  # pixels on the longer side while letters are looked for
SMALLEST = 500  # pixels on the longer side: a smaller picture is a cut-out
NO_LETTERS = "no writing: nothing has the size of letters"
ONLY_A_RULER = "no writing: nothing but a ruler"
_GROUND = 300  # pixels on the longer side while surfaces are looked for
_LETTER = 1.6  # heights of a letter: what is narrower is ink
_STROKE = (6, 16)  # pixels of the ground, if letters are smaller or larger than that
_EDGE = 0.03  # of the brightness, from pixel to pixel of the ground: more parts two surfaces
_LEAST_SURFACE = 0.005  # of the picture
_CONTRAST, _RELATIVE = 12, 0.1  # of ink against its ground, in grey values and as a share
_LEAST_LETTERS = 12
_JOINED = 4.0  # letters, for which a line counts that was written without lifting the pen
_STROKES = 3.0  # that cross a row of such a line; the edge of a table has one
_SHARE, _FEW = 0.03, 4  # letters, of those on the page: a surface with less is not written on
_AS_BRIGHT = 0.6  # as the page: darker is the table
_STRIP = 5.0  # times as long as wide: a ruler
_ONE_SIZE = 0.2  # deviation of heights over their mean; letters have 0.4
_NOTHING_TO_CUT = 0.95  # of the picture
_MARGIN = 1.2  # heights of a letter around the writing
_LANDSCAPE = 1.1  # width over height of an opening, at least
_BANDS = 6  # parts of the height, in each of which a gutter is a shadow
_REACH = 0.06  # of the width: how far from the gutter there is paper without shadow
_DEPTH = 0.04  # of the brightness of paper, that a gutter takes away
_SIDE = 0.2  # of the letters are on each side of a gutter, at least
_CROSSING = 0.01  # of the letters may run across it


@dataclass(frozen=True)
class WrittenArea:
    """What was found; regions are in pixels of the picture after its quarter turns."""

    turn: int = 0  # quarter turns clockwise
    sides: tuple[Region, ...] = ()  # from left to right; two for an opening, none: use all of it


def needs_looking(page: Page) -> bool:
    """Whether only its picture says where the writing of a page is."""
    return page.regions is None and (page.size is None or max(page.size) >= SMALLEST)


def find_writing(page: Page) -> WrittenArea:
    """Where the writing is on the picture of a page, which is read no larger than needed."""
    longest = max(page.size or (0, 0))
    reduce = max(factor for factor in (1, 2, 4, 8) if factor == 1 or longest >= factor * SIDE)
    image = read_image(page.source, page.frame, turn=page.turn, reduce=reduce)
    found = written_area(image, page.id)
    if reduce == 1:
        return found
    sides = [tuple((x * reduce, y * reduce) for x, y in side.corners) for side in found.sides]
    return WrittenArea(found.turn, tuple(map(Region, sides)))


def written_area(image: Grey, name: object = "page") -> WrittenArea:
    """Where the writing of a picture is; an NoWriting if there is none."""
    zoom = min(SIDE / max(image.shape), 1.0)
    if max(image.shape) < SMALLEST:
        return WrittenArea()
    cv2 = need("cv2")
    small = cv2.resize(image, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    found = _Look.at(small, name)
    turn = quarter_turns(*found.writing())
    if turn:
        found = _Look.at(np.ascontiguousarray(np.rot90(small, -turn)), name)
    sides = tuple(
        Region(tuple((float(round(x / zoom)), float(round(y / zoom))) for x, y in corners))
        for corners in found.sides()
    )
    return WrittenArea(turn, sides)


@dataclass(frozen=True)
class _Look:
    """A small picture, its surfaces and its letters."""

    grey: Grey
    ink: Grey  # 1 on strokes
    small: Grey  # the picture, smaller still
    outline: Floats  # (corners, 2): around the page, convex, in pixels of the small picture
    letters: Floats  # (n, 4): left, top, right, bottom of those on the page

    @classmethod
    def at(cls, grey: Grey, name: object) -> _Look:
        """Look for surfaces and letters; an NoWriting if nothing is written."""
        ink = ink_at(grey, 1.0)
        letters, dark, count = _letters(grey, ink)
        if not len(letters):
            raise NoWriting(name, NO_LETTERS)
        height = float(np.median(letters[:, 3] - letters[:, 1]))
        zoom = _GROUND / max(grey.shape)
        small, ground, surfaces = _surfaces(grey, zoom, _LETTER * height * zoom)
        x, y = _middles(letters, zoom, ground.shape)
        clear = ground[y, x] - dark >= np.maximum(_CONTRAST, _RELATIVE * ground[y, x])
        letters, count, x, y = letters[clear], count[clear], x[clear], y[clear]
        if not len(letters):
            raise NoWriting(name, NO_LETTERS)
        near = _nearest(surfaces)[y, x]
        counts = np.bincount(near, count, int(surfaces.max()) + 1)
        counts[0] = 0
        strips = [n for n in np.flatnonzero(counts) if _is_strip(surfaces == n)]
        on_strips = counts[strips].sum()
        counts[strips] = 0
        page = int(counts.argmax())
        if counts[page] < _LEAST_LETTERS:
            few = f"no writing: only {len(letters)} marks have the size of letters"
            raise NoWriting(name, ONLY_A_RULER if on_strips >= _LEAST_LETTERS else few)
        light = np.array([np.median(ground[surfaces == n]) for n in range(1, len(counts))])
        bright = _AS_BRIGHT * light[page - 1]
        written = counts >= max(_SHARE * counts[page], _FEW)
        written[1:] &= light >= bright
        letters = letters[written[near] & (ground[y, x] >= bright)]
        if _in_a_row(letters):
            raise NoWriting(name, ONLY_A_RULER)
        outline = _outline(written[surfaces], letters * zoom) / zoom
        return cls(grey, ink, small, outline, letters)

    def writing(self) -> tuple[Grey, Grey]:
        """The part with the letters, and its ink; all else is paper."""
        left, top = np.floor(self.letters[:, :2].min(0)).astype(int)
        right, bottom = np.ceil(self.letters[:, 2:].max(0)).astype(int)
        inside = np.zeros_like(self.ink)
        need("cv2").fillConvexPoly(inside, np.rint(self.outline).astype(np.int32), 1)
        part = (slice(top, bottom), slice(left, right))
        paper = np.uint8(np.median(self.grey[part]))
        grey = np.where(inside[part] > 0, self.grey[part], paper)
        return grey, self.ink[part] * inside[part]

    def sides(self) -> list[Floats]:
        """The corners of every page; none where all of the picture is to be used."""
        gutter = self._gutter()
        if gutter is None:
            height, width = self.grey.shape
            covered = need("cv2").contourArea(self.outline.astype(np.float32))
            if covered >= _NOTHING_TO_CUT * height * width:
                return []
            return [self._around(self.letters)]
        middles = self.letters[:, [0, 2]].mean(1)
        return [
            self._around(self.letters[s], gutter) for s in (middles < gutter, middles >= gutter)
        ]

    def _around(self, letters: Floats, gutter: float | None = None) -> Floats:
        margin = _MARGIN * np.median(letters[:, 3] - letters[:, 1])
        left, top = letters[:, :2].min(0) - margin
        right, bottom = letters[:, 2:].max(0) + margin
        if gutter is not None and letters[:, [0, 2]].mean() < gutter:
            right = min(right, gutter)
        elif gutter is not None:
            left = max(left, gutter)
        box = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)
        _, corners = need("cv2").intersectConvexConvex(box, self.outline.astype(np.float32))
        return np.asarray(corners, np.float64).reshape(-1, 2)

    def _gutter(self) -> float | None:
        """The column of an opening's gutter; None on a single page."""
        left, top = self.outline.min(0)
        right, bottom = self.outline.max(0)
        if right - left < _LANDSCAPE * (bottom - top):
            return None
        zoom = _GROUND / max(self.grey.shape)
        box = np.rint(np.array([left, top, right, bottom]) * zoom).astype(int)
        column, depth = _shadow(self.small[box[1] : box[3], box[0] : box[2]])
        gutter = (box[0] + column + 0.5) / zoom
        middles = self.letters[:, [0, 2]].mean(1)
        to_the_left = float(np.mean(middles < gutter))
        crossing = (self.letters[:, 0] < gutter) & (self.letters[:, 2] > gutter)
        if depth < _DEPTH or not _SIDE < to_the_left < 1 - _SIDE or crossing.mean() > _CROSSING:
            return None
        return gutter


def _letters(grey: Grey, ink: Grey) -> tuple[Floats, Floats, Floats]:
    """Boxes of pieces of ink that may be letters, how dark each is, for how many each counts."""
    number, labels, stats, _ = need("cv2").connectedComponentsWithStats(ink, connectivity=8)
    left, top, width, height, area = stats.T
    longest = max(grey.shape)
    small = (height >= 5) & (height <= 0.08 * longest) & (width >= 2) & (width <= 0.25 * longest)
    small &= (area >= 12) & (width <= 10 * height) & (area <= 0.8 * width * height)
    joined = ~small & (height >= 8) & (height <= 0.2 * longest) & (width > 3 * height)
    joined &= (left > 0) & (top > 0) & (left + width < grey.shape[1]) & (top + height < len(grey))
    small[0] = joined[0] = False
    for n in np.flatnonzero(joined):
        x, y = left[n], top[n]
        piece = labels[y : y + height[n], x : x + width[n]] == n
        strokes = np.count_nonzero(piece[:, 1:] & ~piece[:, :-1])
        joined[n] = strokes >= _STROKES * height[n]
    inked = ink > 0
    dark = np.bincount(labels[inked], grey[inked], number) / np.maximum(area, 1)
    boxes = np.stack([left, top, left + width, top + height], 1).astype(np.float64)
    count = np.where(joined, _JOINED, 1.0)
    fits = small | joined
    return boxes[fits], dark[fits], count[fits]


def _middles(boxes: Floats, zoom: float, shape: tuple[int, ...]) -> NDArray[np.intp]:
    x = boxes[:, [0, 2]].mean(1) * zoom
    y = boxes[:, [1, 3]].mean(1) * zoom
    return np.stack([x.clip(0, shape[1] - 1), y.clip(0, shape[0] - 1)]).astype(np.intp)


def _surfaces(grey: Grey, zoom: float, stroke: float) -> tuple[Grey, Grey, NDArray[np.int32]]:
    """A small picture, the same without ink, and the surface of each of its pixels; 0: edges."""
    cv2 = need("cv2")
    small = cv2.resize(grey, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    side = 2 * round(np.clip(stroke, *_STROKE) / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    ground = cv2.GaussianBlur(cv2.morphologyEx(small, cv2.MORPH_CLOSE, disc), (0, 0), 1.2)
    steps = cv2.morphologyEx(ground, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    smooth = (steps < _EDGE * (ground.astype(np.float32) + 20)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(smooth, connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] >= _LEAST_SURFACE * ground.size
    large[0] = False
    numbers = np.where(large, np.cumsum(large), 0)
    return small, ground, numbers[labels].astype(np.int32)


def _nearest(surfaces: NDArray[np.int32]) -> NDArray[np.int32]:
    """The surface that each pixel is on or nearest to."""
    cv2 = need("cv2")
    _, places = cv2.distanceTransformWithLabels(
        (surfaces == 0).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    known = np.zeros(places.max() + 1, np.int32)
    known[places[surfaces > 0]] = surfaces[surfaces > 0]
    return known[places]


def _shadow(page: Grey) -> tuple[int, float]:
    """The column that is darker than the paper to both sides all the way down, and by how much."""
    bands = np.array_split(page, _BANDS)
    paper = np.stack([np.percentile(band, 75, axis=0) for band in bands])  # (bands, columns)
    width = paper.shape[1]
    reach = max(round(_REACH * width), 2)
    around = need("cv2").dilate(paper, np.ones((1, reach), np.uint8))
    middle = np.arange(round(0.3 * width), round(0.7 * width))
    rows = np.arange(_BANDS)[:, None]
    found = (width // 2, 0.0)
    for slope in range(-3, 4):  # columns from the middle to the last band
        shifts = np.rint(np.linspace(-slope, slope, _BANDS)).astype(int)[:, None]
        columns = (middle + shifts).clip(reach, width - reach - 1)  # (bands, columns)
        beside = np.minimum(around[rows, columns - reach], around[rows, columns + reach])
        depths = np.sort(1 - paper[rows, columns] / np.maximum(beside, 1), axis=0)[1]
        if depths.max() > found[1]:  # all bands but one are as dark
            found = (int(middle[depths.argmax()]), float(depths.max()))
    return found


def _is_strip(surface: NDArray[np.bool_]) -> bool:
    cv2 = need("cv2")
    contours, _ = cv2.findContours(
        surface.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
    )
    _, sides, _ = cv2.minAreaRect(np.concatenate(contours))
    return bool(max(sides) > _STRIP * min(sides) and min(sides) < 0.2 * min(surface.shape))


def _outline(written: NDArray[np.bool_], letters: Floats) -> Floats:
    """The hull of a page and its letters, without what sticks out of the page."""
    cv2 = need("cv2")
    pad = 20
    mask = np.pad(written.astype(np.uint8), pad)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    outer, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(mask, outer, -1, 1, -1)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((21, 21), np.uint8))
    outer, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    points = [contour.reshape(-1, 2) - float(pad) for contour in outer]
    points += [letters[:, :2], letters[:, 2:], letters[:, [0, 3]], letters[:, [2, 1]]]
    hull = cv2.convexHull(np.concatenate(points).astype(np.float32))
    return np.asarray(hull, np.float64).reshape(-1, 2)


def _in_a_row(letters: Floats) -> bool:
    """Whether letters stand in a single row, all of one size: the digits or ticks of a ruler."""
    corners = np.concatenate([letters[:, :2], letters[:, 2:]]).astype(np.float32)
    _, sides, _ = need("cv2").minAreaRect(corners)
    heights = letters[:, 3] - letters[:, 1]
    in_one_row = min(sides) < 2.5 * np.median(heights)
    return bool(in_one_row and np.std(heights) < _ONE_SIZE * np.mean(heights))
