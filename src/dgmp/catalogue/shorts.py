"""Short vectors find: a second, small table beside that of the pages.

``short.lance`` holds a short vector per page (see :mod:`.projection`), a byte per entry, and the
step of the long one it came from. All of it follows from the table of the pages:
:meth:`ShortTable.settle` makes it, or finishes it after a kill, by comparing ids and steps. A page
that is added later has its short vector written before its row, so no page of the catalogue is ever
without one. A search looks through all short vectors, in memory (:mod:`.held_shorts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..storage import AnyPath, stamp
from .held_shorts import SHORT_COLUMNS, HeldShorts, short_rows
from .projection import (
    FILE,
    SAMPLED,
    Projection,
    fit_projection,
    load_projection,
    save_projection,
)
from .rounding import rounded
from .rows import among, connect, list_column, stored_rows

TABLE = "short"
PROPOSED = 100  # pages whose long vectors decide; see benchmarks/results/catalogue.md
_AT_ONCE = 1_000  # long vectors in memory while short ones are made
_WRITTEN = 20_000  # short vectors in one file


class ShortTable:
    """The short vectors of a catalogue, where it is large enough to have them."""

    def __init__(self, folder: AnyPath, dim: int) -> None:
        self._folder, self._dim = folder, dim
        self._lock = RLock()  # the page in the browser searches in several threads
        self._made: tuple[str, Projection | None] = ("", None)  # stamp of the file
        self._table: Any = None
        self._held: tuple[int, Projection, HeldShorts] | None = None  # version of the table

    @property
    def ready(self) -> bool:
        """Whether pages can be proposed."""
        projection, table = self._opened()
        return projection is not None and table is not None and bool(table.list_indices())

    def propose(self, vector: NDArray[np.float32], n: int) -> list[str] | None:
        """The ids of the pages nearest to a long vector by their short ones.

        None where another process is making the short vectors anew.
        """
        found = self._in_memory()
        if found is None:
            return None
        projection, held = found
        return held.nearest(projection(vector[None])[0], max(PROPOSED, 2 * n))

    def of(self, page_ids: Set[str]) -> tuple[NDArray[np.str_], NDArray[np.float32]] | None:
        """Ids and short vectors of those pages that have one; None as in :meth:`propose`."""
        if not self.ready:
            return None
        _, table = self._opened()
        rows = table.search().select(["page_id", *SHORT_COLUMNS]).limit(None).to_arrow()
        ids = np.array(rows["page_id"].to_pylist(), dtype=object)
        here = np.array([id in page_ids for id in ids], bool)
        numbers, steps = short_rows(rows)
        return ids[here], numbers[here] * steps[here, None]

    def put(self, ids: Sequence[str], rows: NDArray[np.int8], steps: NDArray[np.float32]) -> None:
        """Write the short vectors of pages that are about to be added."""
        projection, table = self._opened()
        if projection is None or table is None:
            return
        merge = table.merge_insert("page_id")
        merge = merge.when_matched_update_all().when_not_matched_insert_all()
        merge.execute(_arrow(ids, steps, projection(rows)))

    def drop(self, page_ids: Sequence[str]) -> None:
        """Take pages out."""
        _, table = self._opened()
        if table is not None:
            table.delete(among(page_ids))

    def settle(self, pages: Any) -> None:
        """Make a short vector for every row of the table of the pages.

        An index of their ids is made last, so where there is one, none is missing.
        """
        projection, table = self._opened()
        if projection is None:
            if table is not None:  # what was made by another projection
                connect(self._folder).drop_table(TABLE)
                table = None
            projection = self._fit(pages)
        if table is None:
            pa = need("pyarrow")
            width = self._dim if projection.matrix is None else projection.matrix.shape[1]
            fields = [
                pa.field("page_id", pa.string(), nullable=False),
                pa.field("step", pa.float32()),
                pa.field("short", pa.list_(pa.int8(), width)),
                pa.field("short_step", pa.float32()),
            ]
            table = connect(self._folder).create_table(TABLE, schema=pa.schema(fields))
        _fill(table, pages, projection)
        if not table.list_indices():
            table.create_index("page_id", config=need("lancedb.index").BTree())
        table.optimize()

    def _fit(self, pages: Any) -> Projection:
        """Learn a projection, and keep it."""
        count = pages.count_rows()
        chosen = np.random.default_rng(0).choice(count, min(SAMPLED, count), replace=False)
        chosen.sort()
        parts = [
            stored_rows(pages.take_offsets(part.tolist()).select(["vector"]).to_arrow())
            for part in np.array_split(chosen, -(-len(chosen) // _AT_ONCE))
        ]
        projection = fit_projection(np.concatenate(parts))
        save_projection(projection, self._folder)
        return projection

    def _in_memory(self) -> tuple[Projection, HeldShorts] | None:
        """All short vectors, with the projection they were made by; None unless all are there."""
        with self._lock:
            projection, table = self._opened()
            if projection is None or table is None:
                return None
            version = table.version
            if self._held is None or self._held[0] != version:
                self._held = None  # not two of them in memory
                if not table.list_indices():
                    return None
                rows = HeldShorts.read(table, projected=projection.matrix is not None)
                self._held = version, projection, rows
            return self._held[1:]

    def _opened(self) -> tuple[Projection | None, Any]:
        """The projection and the table as they are on the disk now; None: not there."""
        with self._lock:
            changed = stamp(self._folder / FILE)
            if changed != self._made[0]:
                self._made = (changed, load_projection(self._folder, self._dim))
                self._table = self._held = None  # it may have been made anew
            if self._table is None and (self._folder / f"{TABLE}.lance").exists():
                self._table = connect(self._folder).open_table(TABLE)
            return self._made[1], self._table


def _fill(table: Any, pages: Any, projection: Projection) -> None:
    """Bring the short vectors to what is in the table of the pages now."""
    wanted, there = _steps(pages), _steps(table)
    stale = [id for id, step in there.items() if wanted.get(id) != step]
    for start in range(0, len(stale), _AT_ONCE):
        table.delete(among(stale[start : start + _AT_ONCE]))
    missing = {id for id, step in wanted.items() if there.get(id) != step}
    del wanted, there
    pa = need("pyarrow")
    waiting: list[Any] = []
    for ids, steps, rows in _rows(pages, missing):
        waiting.append(_arrow(ids, steps, projection(rows)))
        if sum(map(len, waiting)) >= _WRITTEN:
            table.add(pa.concat_tables(waiting))
            waiting = []
    if waiting:
        table.add(pa.concat_tables(waiting))


def _rows(
    pages: Any, missing: set[str]
) -> Iterator[tuple[list[str], NDArray[np.float32], NDArray[np.int8]]]:
    """The ids, steps and vectors of some pages: one by one if few, else in one reading of all."""
    if not missing:
        return
    query = pages.search().select(["page_id", "step", "vector"])
    if len(missing) <= _AT_ONCE:
        query = query.where(among(sorted(missing)))
    for batch in query.limit(None).to_batches(_AT_ONCE):
        ids = batch["page_id"].to_pylist()
        kept = [place for place, id in enumerate(ids) if id in missing]
        if kept:
            steps = np.asarray(batch["step"], np.float32)[kept]
            yield [ids[place] for place in kept], steps, stored_rows(batch)[kept]


def _arrow(ids: Sequence[str], steps: NDArray[np.float32], short: NDArray[np.float32]) -> Any:
    pa = need("pyarrow")
    numbers, short_steps = rounded(short)
    return pa.table(
        {
            "page_id": pa.array(ids, pa.string()),
            "step": pa.array(steps),
            "short": list_column(numbers),
            "short_step": pa.array(short_steps),
        }
    )


def _steps(table: Any) -> dict[str, float]:
    """The step of the vector of every page, by its id."""
    rows = table.search().select(["page_id", "step"]).limit(None).to_arrow()
    return dict(zip(rows["page_id"].to_pylist(), rows["step"].to_pylist(), strict=True))
