"""Where words may stand on a page without boxes: several hypotheses for each.

    page -> ink -> lines -> runs of ink on a line -> groups of neighbouring runs

Lines are the ridges of ink in overlapping strips from top to bottom, followed from the left margin
to the right, so they may rise and bend. A connected component belongs to the line it is centred
on; one that is higher than lines are apart, where a descender meets an ascender, is cut half way
between them. Gaps are measured along the slant of the writing, else a leaning d would hide the
gap after it. A group of neighbouring runs is a candidate where its inner gaps are not much wider
than the gaps around it: real words, parts of words where the pen was lifted, words run together;
which of them is a word is for the network to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..pixels import binarize
from ..records import Floats, Grey, Rectangles

# All lengths are shares of the distance between lines.
_STRIP = 5.0  # width of a strip; each overlaps the next by half
_SMOOTH = 0.16  # of the rows of a strip
_APART = 0.6  # two lines at least
_SPECK = 0.07  # smaller both ways: dirt
_TALL = 1.5  # higher: of more than one line
_JOINED = 0.04  # a gap that is none
_WIDEST_GAP = 0.75  # within a word
_LONGEST = 9.0  # word
_SHORTEST = 0.12
_MOST_RUNS = 14
_EDGE = 0.1  # from the ink to the box: people draw boxes with some paper around
_LEEWAY = 1.7  # an inner gap against the gaps around the group


@dataclass(frozen=True, eq=False)
class _Parts:
    """Pieces of ink: where they are, and where they begin and end along the slant."""

    boxes: Rectangles  # (parts, 4)
    spans: Floats  # (parts, 2)
    lines: NDArray[np.intp]  # (parts,)


def find_candidates(page: Grey, line_distance: float) -> Rectangles:  # (candidates, 4)
    """Boxes (left, top, right, bottom) in which a word may stand, line by line."""
    ink = binarize(page, "sauvola") == 0
    line_distance = _settled(ink, line_distance)
    parts = _parts(ink, line_distance)
    found = [
        box
        for line in range(int(parts.lines.max(initial=-1)) + 1)
        for box in _groups(*_runs(parts, line, line_distance), line_distance)
    ]
    boxes = np.array(found, np.int32).reshape(-1, 4)
    height, width = page.shape
    edge = max(round(_EDGE * line_distance), 1)
    boxes[:, :2] = np.maximum(boxes[:, :2] - edge, 0)
    boxes[:, 2:] = np.minimum(boxes[:, 2:] + edge, (width, height))
    return np.unique(boxes, axis=0)


def _settled(ink: NDArray[np.bool_], distance: float) -> float:
    """The distance, or half of it where lines repeat at half as well.

    Large letters in narrow lines are easily taken for lines twice as far apart.
    """
    strip = max(int(_STRIP * distance / 2), 1)
    columns = ink.shape[1] // strip * strip or ink.shape[1]
    rows = ink[:, :columns].reshape(len(ink), -1, min(strip, columns)).sum(axis=2, dtype=float)
    rows -= rows.mean(axis=0)

    def repeats(lag: float) -> float:
        reach = max(round(0.08 * lag), 1)
        lags = range(max(round(lag) - reach, 1), round(lag) + reach + 1)
        return max(float((rows[k:] * rows[:-k]).sum()) for k in lags if k < len(rows))

    half = distance / 2
    if distance < 16 or round(1.1 * distance) >= len(rows):
        return distance
    return half if repeats(half) > 0.6 * repeats(distance) else distance


def _parts(ink: NDArray[np.bool_], distance: float) -> _Parts:
    cv2 = need("cv2")
    number, labels, stats, _ = cv2.connectedComponentsWithStats(ink.view(np.uint8))
    wide, high = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    dirt = np.maximum(wide, high) < _SPECK * distance
    ruling = (wide > _LONGEST * distance) | (high > 4 * distance)  # lines, frames, shadows
    kept = ~(dirt | ruling)
    kept[0] = False
    ys, xs = np.nonzero(kept[labels])
    if not len(ys):
        return _Parts(np.zeros((0, 4), np.int32), np.zeros((0, 2)), np.zeros(0, np.intp))
    owners = labels[ys, xs]
    del labels  # 4 bytes for every pixel of the page
    lines = _lines(xs, ys, ink.shape, distance)
    middles = np.bincount(owners, ys, number) / np.maximum(np.bincount(owners, minlength=number), 1)
    lefts = np.bincount(owners, xs, number) / np.maximum(np.bincount(owners, minlength=number), 1)
    of_part = _nearest(lines, lefts, middles)  # (components,)
    of_pixel = np.where(high[owners] > _TALL * distance, _nearest(lines, xs, ys), of_part[owners])
    key, place = np.unique(owners * len(lines) + of_pixel, return_inverse=True)
    leaning = xs + _slant(xs, ys, distance) * ys
    boxes = np.stack(
        [_least(place, xs), _least(place, ys), -_least(place, -xs) + 1, -_least(place, -ys) + 1], 1
    )
    spans = np.stack([_least(place, leaning), -_least(place, -leaning)], 1)
    return _Parts(boxes.astype(np.int32), spans, key % len(lines))


def _least(place: NDArray[np.intp], values: NDArray[Any]) -> Floats:
    found = np.full(int(place.max()) + 1, np.inf)
    np.minimum.at(found, place, values.astype(float))
    return found


def _lines(
    xs: NDArray[np.intp], ys: NDArray[np.intp], shape: tuple[int, ...], distance: float
) -> list[Floats]:
    """Lines as their heights in the middles of the strips, and these middles: (2, strips) each."""
    height, width = shape
    step = max(_STRIP * distance / 2, 1)
    middles = np.arange(max(int(np.ceil(width / step)), 1)) * step + step / 2
    tracks: list[list[tuple[float, float]]] = []
    for middle in middles:
        inside = np.abs(xs - middle) <= step
        rows = np.bincount(ys[inside], minlength=height).astype(float)
        for peak in _peaks(rows, distance):
            near = [
                track
                for track in tracks
                if abs(track[-1][1] - peak) < 0.4 * distance and track[-1][0] < middle
            ]
            if near:
                min(near, key=lambda track: abs(track[-1][1] - peak)).append((middle, peak))
            else:
                tracks.append([(middle, peak)])
    return [np.array(track).T for track in tracks]


def _peaks(rows: Floats, distance: float) -> list[float]:
    sigma = max(_SMOOTH * distance, 1)
    reach = np.arange(-int(3 * sigma), int(3 * sigma) + 1)
    window = np.exp(-0.5 * (reach / sigma) ** 2)
    smooth = np.convolve(rows, window / window.sum(), mode="same")
    least = 0.25 * np.percentile(smooth, 95)
    found: list[int] = []
    for row in np.argsort(-smooth).tolist():
        if smooth[row] <= max(least, 0):
            break
        if all(abs(row - other) >= _APART * distance for other in found):
            near = smooth[max(row - int(0.3 * distance), 0) : row + int(0.3 * distance) + 1]
            if smooth[row] >= near.max():  # a ridge, not the flank of a greater one
                found.append(row)
    return [float(row) for row in sorted(found)]


def _nearest(lines: Sequence[Floats], xs: NDArray[Any], ys: NDArray[Any]) -> NDArray[np.intp]:
    """The number of the line that is nearest to each place."""
    best = np.full(len(ys), np.inf)
    found = np.zeros(len(ys), np.intp)
    for number, (middles, heights) in enumerate(lines):
        away = np.abs(np.interp(xs, middles, heights) - ys)
        # A line is not there far beyond its ends.
        away += np.maximum(middles[0] - xs, 0) / 4 + np.maximum(xs - middles[-1], 0) / 4
        closer = away < best
        best[closer], found[closer] = away[closer], number
    return found


def _slant(xs: NDArray[np.intp], ys: NDArray[np.intp], distance: float) -> float:
    """Pixels to the right per pixel up at which strokes stand upright, for the whole page.

    Upright strokes pile up in few columns: the slant with the most uneven columns is the right one.
    """
    step = max(len(xs) // 60_000, 1)
    xs, ys = xs[::step], ys[::step]
    bands = (ys // max(2 * distance, 1)).astype(np.intp)  # columns are counted band by band
    wide = int(xs.max()) + int(ys.max()) + 2
    scores = {}
    for slant in np.arange(-0.2, 1.01, 0.1):
        columns = (xs + slant * (ys % max(2 * distance, 1))).astype(np.intp) // 2
        counts = np.bincount(bands * wide + np.maximum(columns, 0))
        scores[float(slant)] = float((counts.astype(float) ** 2).sum())
    return max(scores, key=scores.__getitem__)


def _runs(parts: _Parts, line: int, distance: float) -> tuple[Rectangles, Floats]:
    """Runs of ink of a line: their boxes, and the gaps between them."""
    own = np.flatnonzero(parts.lines == line)
    own = own[np.argsort(parts.spans[own, 0], kind="stable")]
    boxes: list[NDArray[np.int32]] = []
    gaps: list[float] = []
    end = -np.inf
    for part in own:
        start, stop = parts.spans[part]
        box = parts.boxes[part]
        if boxes and start - end < _JOINED * distance:
            boxes[-1] = np.array(
                [*np.minimum(boxes[-1][:2], box[:2]), *np.maximum(boxes[-1][2:], box[2:])]
            )
        else:
            if boxes:
                gaps.append(start - end)
            boxes.append(box)
        end = max(end, stop)
    return np.array(boxes, np.int32).reshape(-1, 4), np.array(gaps)


def _groups(boxes: Rectangles, gaps: Floats, distance: float) -> list[NDArray[np.int32]]:
    found = []
    around = np.concatenate([[2 * distance], gaps, [2 * distance]])
    for first in range(len(boxes)):
        inner = 0.0
        box = boxes[first]
        for last in range(first, min(first + _MOST_RUNS, len(boxes))):
            if last > first:
                inner = max(inner, gaps[last - 1])
                box = np.array(
                    [*np.minimum(box[:2], boxes[last][:2]), *np.maximum(box[2:], boxes[last][2:])]
                )
            width, height = box[2:] - box[:2]
            if inner > _WIDEST_GAP * distance or width > _LONGEST * distance:
                break
            outer = min(around[first], around[last + 1])
            if inner <= _LEEWAY * outer and max(width, height) >= _SHORTEST * distance:
                found.append(box)
    return found
