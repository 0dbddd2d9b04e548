"""The short vectors of a large catalogue in memory, a byte per entry: half a gigabyte a million.

Entries of a projected vector come in the order of how large they are. The product of a query with
the first ``LEADING`` entries chooses ``FOUND`` pages; with all entries these are put in order. That
reads a quarter of the memory, which is what a search among a million pages waits for. Vectors that
are short already have their entries in any order, and are compared whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from .rounding import products
from .rows import unchecked_rows

SHORT_COLUMNS = ("short", "short_step")
LEADING = 128  # entries; see benchmarks/results/catalogue.md for both
FOUND = 10_000  # pages
_READ = 10_000  # rows of the table that are read at once


@dataclass(frozen=True, eq=False)
class HeldShorts:
    """All rows of a version of the table of short vectors."""

    ids: Any  # (pages,), an Arrow array of strings
    leading: NDArray[np.int8]  # (pages, LEADING), or all entries
    others: NDArray[np.int8]  # (pages, the other entries)
    steps: NDArray[np.float32]  # (pages,)

    @classmethod
    def read(cls, table: Any, *, projected: bool) -> HeldShorts:
        """Read them from the disk."""
        pa = need("pyarrow")
        width = table.schema.field("short").type.list_size
        pages = table.count_rows()
        leading = np.empty((pages, min(LEADING, width) if projected else width), np.int8)
        others = np.empty((pages, width - leading.shape[1]), np.int8)
        steps = np.empty(pages, np.float32)
        ids, filled = [], 0
        query = table.search().select(["page_id", *SHORT_COLUMNS]).limit(pages)
        for batch in query.to_batches(_READ):
            rows = slice(filled, filled + len(batch))
            numbers, steps[rows] = short_rows(batch)
            leading[rows], others[rows] = np.split(numbers, [leading.shape[1]], axis=1)
            ids.append(batch["page_id"])
            filled += len(batch)
        names = pa.concat_arrays(ids) if ids else pa.array([], pa.string())
        return cls(names, leading[:filled], others[:filled], steps[:filled])

    def nearest(self, short: NDArray[np.float32], number: int) -> list[str]:
        """The ids of so many pages whose products with a short vector are largest, and of ties."""
        first, rest = np.split(short, [self.leading.shape[1]])
        likeness = products(self.leading, first) * self.steps
        found = _largest(likeness, max(FOUND, number))
        likeness = likeness[found] + products(self.others[found], rest) * self.steps[found]
        return list(self.ids.take(found[_largest(likeness, number)]).to_pylist())


def short_rows(rows: Any) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The short vectors (pages, width) of some rows in whole numbers, and their steps (pages,)."""
    return unchecked_rows(rows, "short"), np.asarray(rows["short_step"], np.float32)


def _largest(values: NDArray[np.float32], number: int) -> NDArray[np.intp]:
    """Where the so many largest are; more if several tie with the last."""
    if number >= len(values):
        return np.arange(len(values))
    # Faster by far than argpartition.
    return np.flatnonzero(values >= np.partition(values, -number)[-number])
