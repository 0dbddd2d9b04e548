"""Short vectors find: a second, small table beside that of the pages, with an index.

``short.lance`` holds a short vector per page (see :mod:`.projection`) and the step of the long one
it came from. All of it follows from the table of the pages: :meth:`ShortTable.settle` makes it, or
finishes it after a kill, by comparing ids and steps. A page that is added later has its short
vector written before its row, so no page of the catalogue is ever without one; pages that are not
indexed yet are looked through one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..storage import AnyPath, stamp
from .projection import (
    FILE,
    SAMPLED,
    Projection,
    fit_projection,
    load_projection,
    save_projection,
)
from .rows import among, connect, list_column, stored_rows

TABLE = "short"
BITS = 2  # per entry in the index; see benchmarks/results/catalogue.md for these four
FOUND = 2_000  # pages the index finds
PROPOSED = 100  # of these, the nearest by their short vectors
PROBES = 1_000  # parts of the index that are looked through: all, up to some millions of pages
_AT_ONCE = 1_000  # long vectors in memory while short ones are made
_WRITTEN = 20_000  # short vectors in one file


class ShortTable:
    """The short vectors of a catalogue, where it is large enough to have them."""

    def __init__(self, folder: AnyPath, dim: int) -> None:
        self._folder, self._dim = folder, dim
        self._table: Any = None
        self._made: tuple[str, Projection | None] = ("", None)

    @property
    def ready(self) -> bool:
        """Whether pages can be proposed."""
        return self._projection() is not None and self._open() and _is_indexed(self._table)

    def propose(self, vector: NDArray[np.float32], n: int) -> list[str]:
        """The ids of the pages nearest to a long vector by their short ones."""
        projection = self._projection()
        assert projection is not None
        limit = max(PROPOSED, 2 * n)
        found = (
            self._table.search(projection(vector[None])[0], vector_column_name="short")
            .distance_type("dot")
            .nprobes(PROBES)
            .refine_factor(max(1, FOUND // limit))
            .limit(limit)
            .select(["page_id", "_distance"])
            .to_arrow()
        )
        return list(found["page_id"].to_pylist())

    def of(self, page_ids: Set[str]) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
        """Ids and short vectors of those pages that have one."""
        rows = self._table.search().select(["page_id", "short"]).limit(None).to_arrow()
        ids = np.array(rows["page_id"].to_pylist(), dtype=object)
        flat = np.asarray(rows["short"].combine_chunks().flatten(), np.float32)
        here = np.array([id in page_ids for id in ids], bool)
        return ids[here], flat.reshape(len(ids), -1)[here]

    def put(self, ids: Sequence[str], rows: NDArray[np.int8], steps: NDArray[np.float32]) -> None:
        """Write the short vectors of pages that are about to be added."""
        projection = self._projection()
        if projection is None or not self._open():
            return
        merge = self._table.merge_insert("page_id")
        merge = merge.when_matched_update_all().when_not_matched_insert_all()
        merge.execute(_arrow(ids, steps, projection(rows)))

    def drop(self, page_ids: Sequence[str]) -> None:
        """Take pages out."""
        if self._open():
            self._table.delete(among(page_ids))

    def settle(self, pages: Any) -> None:
        """Make a short vector for every row of the table of the pages, and the index."""
        projection = self._projection()
        if projection is None:
            projection = self._fit(pages)
        if not self._open():
            pa = need("pyarrow")
            width = self._dim if projection.matrix is None else projection.matrix.shape[1]
            fields = [
                pa.field("page_id", pa.string(), nullable=False),
                pa.field("step", pa.float32()),
                pa.field("short", pa.list_(pa.float16(), width)),
            ]
            self._table = connect(self._folder).create_table(TABLE, schema=pa.schema(fields))
        self._fill(pages, projection)
        index = need("lancedb.index")
        if not _is_indexed(self._table):
            self._table.create_index(
                "short", config=index.IvfRq(distance_type="dot", num_bits=BITS)
            )
        self._table.optimize()

    def _fit(self, pages: Any) -> Projection:
        """Learn a projection; what was made by another one goes first."""
        if self._open():
            connect(self._folder).drop_table(TABLE)
            self._table = None
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

    def _fill(self, pages: Any, projection: Projection) -> None:
        """Bring the short vectors to what is in the table of the pages now."""
        wanted, there = _steps(pages), _steps(self._table)
        stale = [id for id, step in there.items() if wanted.get(id) != step]
        for start in range(0, len(stale), _AT_ONCE):
            self._table.delete(among(stale[start : start + _AT_ONCE]))
        missing = {id for id, step in wanted.items() if there.get(id) != step}
        del wanted, there
        waiting: list[tuple[list[str], NDArray[np.float32], NDArray[np.float32]]] = []
        for ids, steps, rows in _rows(pages, missing):
            waiting.append((ids, steps, projection(rows).astype(np.float16)))
            if sum(len(ids) for ids, _, _ in waiting) >= _WRITTEN:
                self._write(waiting)
                waiting = []
        self._write(waiting)

    def _write(
        self, waiting: Sequence[tuple[list[str], NDArray[np.float32], NDArray[Any]]]
    ) -> None:
        if waiting:
            ids = [id for ids, _, _ in waiting for id in ids]
            steps = np.concatenate([steps for _, steps, _ in waiting])
            self._table.add(_arrow(ids, steps, np.concatenate([part for _, _, part in waiting])))

    def _open(self) -> bool:
        """Open the table where there is one."""
        if self._table is None and (self._folder / f"{TABLE}.lance").exists():
            self._table = connect(self._folder).open_table(TABLE)
        return self._table is not None

    def _projection(self) -> Projection | None:
        """The projection as it is on the disk now."""
        changed = stamp(self._folder / FILE)
        if changed != self._made[0]:
            self._made = (changed, load_projection(self._folder, self._dim))
            self._table = None  # it may have been made anew
        return self._made[1]


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


def _arrow(ids: Sequence[str], steps: NDArray[np.float32], short: NDArray[Any]) -> Any:
    pa = need("pyarrow")
    columns = {"page_id": pa.array(ids, pa.string()), "step": pa.array(steps)}
    return pa.table({**columns, "short": list_column(short.astype(np.float16))})


def _steps(table: Any) -> dict[str, float]:
    """The step of the vector of every page, by its id."""
    rows = table.search().select(["page_id", "step"]).limit(None).to_arrow()
    return dict(zip(rows["page_id"].to_pylist(), rows["step"].to_pylist(), strict=True))


def _is_indexed(table: Any) -> bool:
    return any("short" in index.columns for index in table.list_indices())
