"""The features of a page seen in a mirror, from those of the page: nothing is described again.

Letters in a mirror are an alphabet that nobody writes, with strokes like those of true ones. A
whitening that is fitted on them as well knows more of the directions in which scripts differ.

    across     left and right change places
    down       top and bottom
    diagonal   rows and columns: lines become columns
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..names import choose
from .sift import CELLS, DIRECTIONS

# Where each of 8 directions, counted from the right by 45° downwards, is seen in the mirror.
_TURNS = {"across": (4, -1), "down": (0, -1), "diagonal": (2, -1)}
MIRRORS = tuple(_TURNS)
_PATTERNS = 256


def mirrored_descriptors(
    local: NDArray[np.floating], mirror: str
) -> NDArray[np.floating]:  # (keypoints, 128)
    """The RootSIFT descriptors of the same keypoints in a mirror."""
    return local[:, _sift_order(mirror)]


def mirrored_texture(vectors: NDArray[np.floating], mirror: str) -> NDArray[np.floating]:
    """Vectors (..., radii·256) of local binary patterns in a mirror."""
    radii = vectors.shape[-1] // _PATTERNS
    steps = np.arange(radii)[:, None] * _PATTERNS
    return vectors[..., (steps + _pattern_order(mirror)).ravel()]


def _seen_at(mirror: str) -> NDArray[np.intp]:  # (8,)
    """The direction that is seen at each direction of the mirror; a mirror is its own inverse."""
    offset, sign = choose(mirror, _TURNS, "mirror")
    return (offset + sign * np.arange(DIRECTIONS)) % DIRECTIONS


@lru_cache
def _sift_order(mirror: str) -> NDArray[np.intp]:  # (128,)
    directions = _seen_at(mirror)
    cells = np.arange(CELLS**2).reshape(CELLS, CELLS)  # rows, columns
    seen = {"across": cells[:, ::-1], "down": cells[::-1], "diagonal": cells.T}[mirror]
    return (seen.ravel()[:, None] * DIRECTIONS + directions).ravel()


@lru_cache
def _pattern_order(mirror: str) -> NDArray[np.intp]:  # (256,)
    bits = np.arange(_PATTERNS)[:, None] >> np.arange(DIRECTIONS) & 1
    return (bits << _seen_at(mirror)).sum(axis=1)
