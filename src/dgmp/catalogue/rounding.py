"""Vectors in eight bits per entry, as a catalogue stores them.

A vector x is kept as whole numbers k from −127 to 127 and one step: x ≈ step·k with step =
max|x|/127. What comes back is step·k scaled to unit length, k/‖k‖, so the step is not needed for a
direction. A cosine of vectors of 500 and more entries moves by 2e-3 at most, of 15 000 entries by
some 5e-4. Rounding what came back gives the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 127
_BLOCK = 2**16  # entries that are turned into float32 at once: they stay in the processor's cache


def rounded(
    vectors: NDArray[np.float32],  # (pages, dim)
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The whole numbers (pages, dim) and the steps (pages,) of vectors."""
    steps = np.abs(vectors).max(axis=1, initial=0) / np.float32(LARGEST)
    steps = np.where(steps > 0, steps, np.float32(1))
    return np.rint(vectors / steps[:, None]).astype(np.int8), steps.astype(np.float32)


def unrounded(numbers: NDArray[np.int8]) -> NDArray[np.float32]:  # (pages, dim) -> (pages, dim)
    """The vectors of unit length that stand for rounded ones."""
    vectors = numbers.astype(np.float32)
    vectors *= scales(numbers)[:, None]
    return vectors


def scales(rows: NDArray[Any]) -> NDArray[np.float32]:  # (pages, dim) -> (pages,)
    """What brings each row to unit length."""
    lengths = np.empty(len(rows), np.float32)
    for part in blocks(rows):
        wide = rows[part].astype(np.float32)
        lengths[part] = np.sqrt(np.einsum("pd,pd->p", wide, wide))
    return np.reciprocal(np.maximum(lengths, np.finfo(np.float32).tiny, dtype=np.float32))


def products(
    rows: NDArray[np.int8],  # (pages, dim)
    vector: NDArray[np.float32],  # (dim,)
) -> NDArray[np.float32]:  # (pages,)
    """The rows times a vector, in float32, without a second copy of the rows in memory."""
    result = np.empty(len(rows), np.float32)
    for part in blocks(rows):
        np.matmul(rows[part].astype(np.float32), vector, out=result[part])
    return result


def blocks(rows: NDArray[Any]) -> list[slice]:
    """Parts of an array of rows, small enough to be widened one at a time."""
    at_once = max(1, _BLOCK // max(rows.shape[1], 1))
    return [slice(start, start + at_once) for start in range(0, len(rows), at_once)]
