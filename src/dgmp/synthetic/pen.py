"""A broad-nib pen: the nib is a thin rectangle, and a stroke is the area it sweeps.

Thick and thin then follow from the direction of the stroke alone. Between two neighbouring
positions the swept area is a hexagon, the convex hull of both rectangles; all hexagons of a page
are found at once, and OpenCV fills them in fixed-point arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..records import Floats

SUPERSAMPLING = 2
_FRACTION_BITS = 3


@dataclass(frozen=True)
class Strokes:
    """Positions of the pen on the page, in pixels, y downwards."""

    centres: Floats  # (positions, 2)
    width: Floats  # (positions,) of the nib
    thickness: Floats  # (positions,) of the nib's edge
    angle: Floats  # (positions,) in radians, the nib rising to the right
    drawn: NDArray[np.bool_]  # (positions - 1,): False where the pen is lifted
    ink: NDArray[np.uint8]  # (positions,) how much ink flows
    word: NDArray[np.intp] | None = None  # (positions,) of the text; −1: of none


def draw_strokes(strokes: Strokes, height: int, width: int) -> NDArray[np.uint8]:
    """Return the ink on an empty sheet: 0 none, 255 full."""
    canvas = np.zeros((height * SUPERSAMPLING, width * SUPERSAMPLING), np.uint8)
    hexagons = _swept_hexagons(strokes)[strokes.drawn]
    # OpenCV puts the centre of a pixel at whole coordinates.
    scaled = (hexagons * SUPERSAMPLING - 0.5) * (1 << _FRACTION_BITS)
    fixed = np.rint(scaled).astype(np.int32)
    fill = cv2.fillConvexPoly
    for hexagon, ink in zip(fixed, strokes.ink[1:][strokes.drawn].tolist(), strict=True):
        fill(canvas, hexagon, ink, 8, _FRACTION_BITS)
    return np.asarray(cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _swept_hexagons(strokes: Strokes) -> Floats:
    cos, sin = np.cos(strokes.angle), np.sin(strokes.angle)
    # OpenCV fills every pixel that the border touches: half a pixel more on each side. And no
    # hairline is so thin that it leaves no ink.
    width, thickness = (
        0.5 * np.maximum(side - 1 / SUPERSAMPLING, 0.6)[:, None]
        for side in (strokes.width, strokes.thickness)
    )
    along = width * np.stack([cos, -sin], axis=1)
    across = thickness * np.stack([sin, cos], axis=1)
    nib = np.stack(
        [along + across, across - along, -along - across, along - across], axis=1
    )  # (positions, 4, 2), in order around the rectangle
    step = np.diff(strokes.centres, axis=0)
    ahead = np.einsum("sci,si->sc", nib[:-1], step)
    aside = nib[:-1, :, 0] * -step[:, None, 1] + nib[:-1, :, 1] * step[:, None, 0]
    left = np.argmax(aside, axis=1)
    right = (left + 2) % 4
    rows = np.arange(len(step))
    one, two = (left + 1) % 4, (left + 3) % 4
    back = np.where(ahead[rows, one] < ahead[rows, two], one, two)
    behind = strokes.centres[:-1, None] + nib[:-1][rows[:, None], np.stack([left, back, right], 1)]
    front = (back + 2) % 4
    before = strokes.centres[1:, None] + nib[1:][rows[:, None], np.stack([right, front, left], 1)]
    return np.concatenate([behind, before], axis=1)
