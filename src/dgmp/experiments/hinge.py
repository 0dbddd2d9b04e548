"""The contour hinge, the yardstick without learning: which angles do two legs make on a contour.

Bulacu, Schomaker: Text-independent writer identification and verification using textural and
allographic features, TPAMI 2007.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..corpora.extras import opencv

REACH = 10  # pixels along the contour, the length of a leg
ANGLES = 24  # bins of the full circle


def hinge_histogram(ink: NDArray[np.bool_]) -> NDArray[np.float64]:  # (h, w) -> (ANGLES²,)
    """Joint histogram of the directions of both legs of a hinge moved along every contour."""
    cv2 = opencv()
    contours, _ = cv2.findContours(ink.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    counts = np.zeros(ANGLES * ANGLES)
    for contour in contours:
        points = contour[:, 0].astype(float)
        if len(points) < 4 * REACH:
            continue
        legs = [np.roll(points, shift, axis=0) - points for shift in (REACH, -REACH)]
        turns = [np.arctan2(-leg[:, 1], leg[:, 0]) / (2 * np.pi) % 1 for leg in legs]
        bins = [np.minimum((turn * ANGLES).astype(int), ANGLES - 1) for turn in turns]
        counts += np.bincount(bins[0] * ANGLES + bins[1], minlength=ANGLES * ANGLES)
    return counts / max(counts.sum(), 1)
