"""Pages as their collection sees them, a block at a time, and what a few of them say about all.

Of each page three things are kept: its placed vector in a byte per entry, a short vector
that finds its neighbours, and its reliability. Short vectors are projections on the leading
directions of placed ones (see the catalogue's), their lengths such that a page with little writing,
whose likenesses have large errors, is not near to everything:

    short = Pᵀ (placed vector) · √(c / (c + ν²/(c̄ τ²)))      c̄: the median reliability
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...catalogue import (
    Catalogue,
    Projection,
    fit_projection,
    load_projection,
    rounded,
    rows_at,
    save_projection,
    unrounded,
)
from ...records import Descriptors
from ...storage import AnyPath
from ..background import Background

_ENTRIES = 2**25  # of vectors that are placed at once
_LEAST, _MOST = 256, 8192  # pages that are


@dataclass(frozen=True, eq=False)
class Block:
    """Pages of a catalogue that are placed at once."""

    page_ids: tuple[str, ...]
    places: NDArray[np.intp]  # in the table


@dataclass(frozen=True, eq=False)
class PlacedBlock:
    """What is kept of them."""

    vectors: NDArray[np.int8]  # (pages, dim)
    shorts: NDArray[np.float16]  # (pages, short)
    numbers: NDArray[np.float32]  # (pages, 3): factor of the vector, reliability, strangeness


@dataclass(frozen=True, eq=False)
class Placing:
    """Places blocks; can be sent to other processes."""

    folder: AnyPath  # of the catalogue
    background: Background
    projection: Projection
    damping: float  # ν²/(c̄ τ²)

    @classmethod
    def fit(
        cls, catalogue: Catalogue, background: Background, learned: Block, keep: Path
    ) -> Placing:
        """Learn a projection from some pages, or take what a folder keeps.

        Learning it again on other cores may turn it.
        """
        projection = load_projection(keep, catalogue.head.dim)
        if projection is None:
            projection = _learned(catalogue, background, learned)
            save_projection(projection, keep)
        known = Descriptors(
            background.page_ids,
            background.vectors,
            {},
            halves=background.halves.astype(np.float32),
        )
        middle = float(np.median(background.place(known).reliability))
        damping = background.calibration.noise**2 / (middle * background.spread**2)
        return cls(catalogue.folder, background, projection, damping)

    def __call__(self, block: Block) -> PlacedBlock:
        """Place the pages of a block."""
        placed = self.background.place(described(_opened(self.folder), block))
        numbers, _ = rounded(placed.vectors)
        length = np.linalg.norm(placed.vectors, axis=1)
        factors = length / np.maximum(np.linalg.norm(numbers.astype(np.float32), axis=1), 1)
        c = placed.reliability
        # The projection is of unit vectors.
        scale = length * np.sqrt(c / (c + self.damping))
        shorts = self.projection(numbers) * scale[:, None]
        kept = np.stack([factors, c, placed.strangeness], axis=1).astype(np.float32)
        return PlacedBlock(numbers, shorts.astype(np.float16), kept)


def blocks_of(page_ids: Sequence[str], places: NDArray[np.intp], dim: int) -> list[Block]:
    """All pages in blocks."""
    size = block_size(dim)
    return [
        Block(tuple(page_ids[start : start + size]), places[start : start + size])
        for start in range(0, len(page_ids), size)
    ]


def block_size(dim: int) -> int:
    """Pages that are placed at once: vectors of a width take no more than some 500 MB."""
    return max(_LEAST, min(_MOST, _ENTRIES // dim))


def described(catalogue: Catalogue, block: Block) -> Descriptors:
    """The pages of a block as they are stored."""
    stored, halves = rows_at(catalogue, block.page_ids, block.places)
    vectors: NDArray[Any] = unrounded(stored) if stored.dtype == np.int8 else stored
    return Descriptors(block.page_ids, vectors, {}, halves=halves)


def _learned(catalogue: Catalogue, background: Background, pages: Block) -> Projection:
    parts = [
        rounded(background.place(described(catalogue, block)).vectors)[0]
        for block in blocks_of(pages.page_ids, pages.places, catalogue.head.dim)
    ]
    return fit_projection(np.concatenate(parts))


@lru_cache(maxsize=1)
def _opened(folder: AnyPath) -> Catalogue:
    return Catalogue.open(folder)
