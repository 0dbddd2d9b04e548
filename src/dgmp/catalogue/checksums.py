"""A checksum for every row, as the files of a table have none: a flipped bit changes it.

That of a row is the CRC-32 of its id, plus its step and halves times an odd number, plus the sum of
its vector in words of eight bytes, modulo 2⁶⁴: sums are made at the speed of memory. What does not
agree with its checksum is damaged: reading it is refused with its name, and the next ``describe``
makes it anew, or takes it out where its scan is gone.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHECK = "checksum"
COLUMNS = ("page_id", "vector", "step", "halves", CHECK)  # that are read to verify a row
_WORD = 8  # bytes
_ODD = np.uint64(0x9E3779B97F4A7C15)  # so that a small change moves many bits


def checksums(
    ids: list[str],
    numbers: NDArray[np.int8],  # (pages, dim)
    steps: NDArray[np.float32],
    halves: NDArray[np.float32],  # NaN where they are not known
) -> NDArray[np.int64]:  # (pages,)
    """The checksums of rows."""
    numbers = np.ascontiguousarray(numbers)
    whole = numbers.shape[1] // _WORD * _WORD
    words = np.ascontiguousarray(numbers[:, :whole]).view(np.uint64)
    sums = words.sum(axis=1, dtype=np.uint64)
    rest = np.zeros((len(ids), _WORD), np.int8)
    rest[:, : numbers.shape[1] - whole] = numbers[:, whole:]
    sums += rest.view(np.uint64)[:, 0]
    small = np.stack([steps, np.where(np.isnan(halves), np.float32(2), halves)], axis=1)
    sums += small.astype(np.float32).view(np.uint64)[:, 0] * _ODD
    sums += np.array([zlib.crc32(id.encode()) for id in ids], np.uint64)
    return sums.view(np.int64)


def damaged(rows: Any, stored: NDArray[Any], halves: NDArray[np.float32]) -> list[str]:
    """The ids of rows that are not as they were written; none of rows without a checksum."""
    if not set(COLUMNS) <= set(rows.schema.names) or stored.dtype != np.int8:
        return []
    known = np.asarray(rows[CHECK].is_valid())
    steps = np.asarray(rows["step"].to_numpy(zero_copy_only=False), np.float32)
    ids = rows["page_id"].to_pylist()
    kept = np.asarray(rows[CHECK].fill_null(0).to_numpy(zero_copy_only=False))
    wrong = known & (checksums(ids, stored, steps, halves) != kept)
    return [ids[place] for place in np.flatnonzero(wrong)]
