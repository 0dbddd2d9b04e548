"""Letters as strokes: the notation, and the splines that a pen can follow.

A letter is written down as the path of the pen's centre, in hundredths of the x-height, the base
line at 0 and the x-height at 100:

    "0,100^ 0,0_ / 0,72 24,100 48,82 48,0_"        an n: a minim, then arch and second minim

Strokes are parted by ``/`` and run the way the pen runs. A mark after a point says what happens
there: ``^`` a head and ``_`` a foot, which the script finishes in its own way (lozenge, wedge,
loop, turn …), ``!`` a corner. All other points lie on a smooth curve.

The sampled path is *linear* in the points: path = B · points. B mixes a centripetal Catmull-Rom
spline with the polygon through the same points, and the share of the polygon is the breaking of
curves that makes a round letter Gothic. As B is fixed for a writer, thousands of repetitions of a
letter, each a little different, are one matrix product.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..records import Floats

_POINT = re.compile(r"(-?\d+),(-?\d+)([\^_!]*)")


@dataclass(frozen=True)
class Point:
    """One point of a skeleton, in x-heights."""

    x: float
    y: float
    corner: bool = False
    end: str = ""  # "head", "foot" or nothing
    pressure: float = 1.0  # of the nib's width
    level: float = 0.0  # 1: the nib is turned to the horizontal here


Stroke = tuple[Point, ...]


def parse_letter(text: str) -> tuple[Stroke, ...]:
    """Read the strokes of one letter from its notation."""
    strokes = []
    for part in text.split("/"):
        points = []
        for token in part.split():
            match = _POINT.fullmatch(token)
            if match is None:
                raise ValueError(f"cannot read the point {token!r} in the letter {text!r}")
            marks = match[3]
            end = "head" if "^" in marks else "foot" if "_" in marks else ""
            points.append(Point(int(match[1]) / 100, int(match[2]) / 100, "!" in marks, end))
        if len(points) < 2:
            raise ValueError(f"a stroke needs two points, got {part!r} in the letter {text!r}")
        strokes.append(tuple(points))
    return tuple(strokes)


def spline_basis(points: Floats, corners: NDArray[np.bool_], broken: float) -> Floats:
    """Return B (samples × points) of one stroke, so that B @ points is the path of the pen.

    ``broken`` is the share of the polygon: 0 draws the smooth curve, 1 straight lines.
    """
    rows = [np.eye(len(points))[:1]]
    cuts = [0, *(np.flatnonzero(corners[1:-1]) + 1).tolist(), len(points) - 1]
    for first, last in pairwise(cuts):
        piece = _smooth_piece(points[first : last + 1], broken)
        padded = np.zeros((len(piece), len(points)))
        padded[:, first : last + 1] = piece
        rows.append(padded)
    return np.concatenate(rows)


def _smooth_piece(points: Floats, broken: float) -> Floats:
    """The basis of a stretch without corners, its first point left out."""
    count = len(points)
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if count == 2:
        # Stems get a few positions between: joins arrive there.
        t = np.array([1.0]) if gaps[0] < 0.4 else np.arange(1, 5) / 4
        return np.stack([1 - t, t], axis=1)
    steps = np.sqrt(np.maximum(gaps, 1e-3))  # centripetal: no loops where points are uneven
    units = np.eye(count)
    slopes = np.diff(units, axis=0) / steps[:, None]
    tangents = np.zeros((count, count))
    weight = (steps[1:] / (steps[1:] + steps[:-1]))[:, None]
    tangents[1:-1] = weight * slopes[:-1] + (1 - weight) * slopes[1:]
    tangents[0] = 1.5 * slopes[0] - 0.5 * tangents[1]
    tangents[-1] = 1.5 * slopes[-1] - 0.5 * tangents[-2]
    rows = []
    for i, step in enumerate(steps):
        samples = 3 if gaps[i] < 0.2 else 4 if gaps[i] < 0.5 else 5
        t = (np.arange(1, samples + 1) / samples)[:, None]
        start, end = units[i], units[i + 1]
        curve = (
            (2 * t**3 - 3 * t**2 + 1) * start
            + (t**3 - 2 * t**2 + t) * step * tangents[i]
            + (3 * t**2 - 2 * t**3) * end
            + (t**3 - t**2) * step * tangents[i + 1]
        )
        rows.append((1 - broken) * curve + broken * ((1 - t) * start + t * end))
    return np.concatenate(rows)
