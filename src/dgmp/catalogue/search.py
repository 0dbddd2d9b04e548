"""The pages most like a vector: exact in a small catalogue; in a large one short vectors propose.

Up to ``EXACT_PAGES`` pages the rounded vectors are held in memory (a byte per entry: 0.4 GB for
10 000 pages of 35 072 entries) and a search is a product with all of them. Beyond, short vectors
find (:mod:`.shorts`): all of these, in memory, propose some hundred pages, and their long vectors
decide who is a hit and in which order. A large catalogue without these (before
:meth:`Catalogue.settle`, or of an older version) is read through from the disk, which is exact and
slow. In every case the cosines of the hits are those of the stored vectors, in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Hit
from ..storage import AnyPath
from .checksums import CHECK, COLUMNS, damaged
from .projection import SHORT, few_coordinates, fit_projection
from .rounding import blocks, products, scales
from .rows import among, halves_of, present, stored_rows, unchecked_rows, vectors_of
from .shorts import ShortTable

EXACT_PAGES = 10_000
SAMPLE = 500  # pages that stand for the collection when a likeness is judged
_FITTED = 2_000  # pages from which short vectors are learned that are not kept
_READ = 1_000  # rows of the table that are read at once
_SHOWN = ("page_id", "path", "writer")


@dataclass(frozen=True, eq=False)
class Nearest:
    """What a search found, nearest first, with the vectors of the pages."""

    hits: tuple[Hit, ...]
    vectors: NDArray[np.float32]  # (hits, dim)
    halves: NDArray[np.float32]  # (hits,), cosines of the halves of the pages, NaN if unknown


@dataclass(frozen=True, eq=False)
class _Pages:
    """Some pages in memory; their vectors as they are stored."""

    ids: NDArray[np.str_]  # (pages,) of Python strings
    stored: NDArray[Any]  # (pages, dim), int8 or float32
    halves: NDArray[np.float32]  # (pages,)

    def __getitem__(self, chosen: Any) -> _Pages:
        return _Pages(self.ids[chosen], self.stored[chosen], self.halves[chosen])

    def joined(self, other: _Pages) -> _Pages:
        return _Pages(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.stored, other.stored]),
            np.concatenate([self.halves, other.halves]),
        )

    def nearest(
        self, vector: NDArray[np.float32], n: int, scale: NDArray[np.float32] | None = None
    ) -> _Pages:
        """The n pages nearest to a vector, a few more, and all that tie with the last."""
        if len(self.ids) <= n + 10:
            return self
        if self.stored.dtype == np.int8:
            cosines = products(self.stored, vector)
            cosines *= scales(self.stored) if scale is None else scale
        else:
            cosines = self.stored @ vector
        # A few more than asked for: float32 may swap neighbours that differ in the last bits.
        last = np.partition(cosines, -(n + 10))[-(n + 10)]
        return self[np.flatnonzero(cosines >= last - 1e-5)]


class Searcher:
    """Searches a table, and keeps in memory what it needs again."""

    def __init__(self, table: Any, folder: AnyPath, dim: int) -> None:
        self._table, self._dim = table, dim
        self.shorts = ShortTable(folder, dim)
        self._held: tuple[int, _Pages, NDArray[np.float32]] | None = None  # version, pages, scales
        self._reading = Lock()  # the page in the browser searches in several threads
        self._sample: tuple[int, _Pages] | None = None
        self._seen = (-1, 0, False)  # version, pages, whether short vectors are there

    def search(self, vector: NDArray[np.float32], n: int, leave_out: str | None) -> Nearest:
        """See :meth:`Catalogue.search`."""
        pages, ready = self._state()
        rows: dict[str, dict[str, Any]] | None = None
        proposed = self._proposed(vector, n + 1) if ready else None
        if pages <= EXACT_PAGES:
            held, scale = self._all()
            found = held.nearest(vector, n + 1, scale)
        elif proposed is not None:
            found, rows = proposed
        else:
            found = self._streamed(vector, n + 1)
        cosines = _cosines(found.stored, vector)
        ids = found.ids
        order = [i for i in np.lexsort((ids, -cosines)) if ids[i] != leave_out][:n]
        if rows is None:
            rows = self._rows([ids[i] for i in order])
        order = [i for i in order if ids[i] in rows]  # one may have been taken out meanwhile
        hits = tuple(
            Hit(ids[i], rows[ids[i]]["path"], float(cosines[i]), writer=rows[ids[i]]["writer"])
            for i in order
        )
        return Nearest(hits, vectors_of(found.stored[order]), found.halves[order])

    def sample(self) -> tuple[tuple[str, ...], NDArray[np.float32], NDArray[np.float32]]:
        """See :meth:`Catalogue.sample`: ids, vectors (sampled, dim) and halves (sampled,)."""
        version = self._table.version
        if self._sample is None or self._sample[0] != version:
            pages, _ = self._state()
            if pages <= EXACT_PAGES:
                held, _ = self._all()
                chosen = held[np.argsort(held.ids)[sample_rows(pages)]]
            else:
                taken = self._table.take_offsets(sample_rows(pages).tolist())
                chosen = _pages(taken.select(self._wanted()).to_arrow())
                chosen = chosen[np.argsort(chosen.ids)]
            self._sample = version, chosen
        chosen = self._sample[1]
        return tuple(chosen.ids), vectors_of(chosen.stored), chosen.halves

    def short_vectors(self) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
        """Ids and short vectors of all pages: those that are kept, or made for the moment."""
        pages, ready = self._state()
        if ready:
            rows = self._table.search().select(["page_id"]).limit(None).to_arrow()
            kept = self.shorts.of(set(rows["page_id"].to_pylist()))
            if kept is not None:
                return kept
        if pages <= SHORT < self._dim:
            held, _ = self._all()
            return held.ids, few_coordinates(held.stored)
        chosen = np.linspace(0, pages - 1, min(pages, _FITTED)).round().astype(int)
        taken = self._table.take_offsets(chosen.tolist()).select(["vector"]).to_arrow()
        projection = fit_projection(stored_rows(taken))
        parts = [(batch.ids, projection(batch.stored)) for batch in self._batches()]
        if not parts:
            return np.zeros(0, object), np.zeros((0, self._dim), np.float32)
        return np.concatenate([ids for ids, _ in parts]), np.concatenate([v for _, v in parts])

    def settle(self) -> None:
        """Make what a catalogue needs that is too large to be searched without."""
        if self._table.count_rows() <= EXACT_PAGES:
            return
        indexed = [i for i in self._table.list_indices() if i.columns == ["page_id"]]
        if not indexed or self._table.index_stats(indexed[0].name).num_unindexed_rows:
            self._table.create_index("page_id", config=need("lancedb.index").BTree(), replace=True)
        self.shorts.settle(self._table)
        self._seen = (-1, 0, False)

    def _state(self) -> tuple[int, bool]:
        """How many pages there are, and whether their short vectors are."""
        version = self._table.version
        if self._seen[0] != version or not self._seen[2]:
            pages = self._table.count_rows()
            self._seen = (version, pages, pages > EXACT_PAGES and self.shorts.ready)
        return self._seen[1:]

    def _proposed(
        self, vector: NDArray[np.float32], n: int
    ) -> tuple[_Pages, dict[str, dict[str, Any]]] | None:
        """The nearest pages, and what is shown of all that were proposed, if any can be."""
        ids = self.shorts.propose(vector, n)
        if not ids:
            return None
        wanted = dict.fromkeys((*_SHOWN, *self._wanted()))
        rows = self._table.search().where(among(ids)).select(list(wanted)).limit(None).to_arrow()
        return _pages(rows).nearest(vector, n), _shown(rows)

    def _streamed(self, vector: NDArray[np.float32], n: int) -> _Pages:
        best: _Pages | None = None
        for batch in self._batches():
            near = batch.nearest(vector, n)
            best = near if best is None else best.joined(near).nearest(vector, n)
        assert best is not None  # there are more than EXACT_PAGES
        return best

    def _all(self) -> tuple[_Pages, NDArray[np.float32]]:
        """All pages of a small catalogue, and what brings their rows to unit length."""
        with self._reading:
            return self._read_once()

    def _read_once(self) -> tuple[_Pages, NDArray[np.float32]]:
        version = self._table.version
        if self._held is None or self._held[0] != version:
            self._held = None  # not two of them in memory
            kind = self._table.schema.field("vector").type.value_type.to_pandas_dtype()
            stored = np.empty((self._table.count_rows(), self._dim), kind)
            ids: list[str] = []
            halves = [np.zeros(0, np.float32)]
            for batch in self._batches():
                end = len(ids) + len(batch.ids)
                if end > len(stored):  # somebody is adding
                    stored = np.concatenate([stored, np.empty_like(stored[: end - len(stored)])])
                stored[len(ids) : end] = batch.stored
                ids += batch.ids.tolist()
                halves.append(batch.halves)
            stored = stored[: len(ids)]
            pages = _Pages(np.array(ids, dtype=object), stored, np.concatenate(halves))
            self._held = version, pages, scales(stored)
        return self._held[1:]

    def _batches(self) -> Any:
        query = self._table.search().select(self._wanted()).limit(None)
        return (_pages(batch) for batch in query.to_batches(_READ))

    def _wanted(self) -> list[str]:
        return present(self._table, *COLUMNS)

    def damaged(self, places: Sequence[int]) -> frozenset[str]:
        """The ids of rows that are not as they were written, of those at some places."""
        found: set[str] = set()
        if CHECK not in self._table.schema.names:
            return frozenset()
        for start in range(0, len(places), _READ):
            taken = self._table.take_offsets(places[start : start + _READ])
            rows = taken.select(self._wanted()).to_arrow()
            found.update(damaged(rows, unchecked_rows(rows), halves_of(rows)))
        return frozenset(found)

    def _rows(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        if not len(ids):
            return {}
        rows = self._table.search().where(among(ids)).select(list(_SHOWN)).limit(None).to_arrow()
        return _shown(rows)


def sample_rows(pages: int) -> NDArray[np.intp]:
    """Which pages stand for a collection: all of a small one, else a fixed drawing."""
    if pages <= SAMPLE:
        return np.arange(pages)
    return np.sort(np.random.default_rng(0).choice(pages, SAMPLE, replace=False))


def _shown(rows: Any) -> dict[str, dict[str, Any]]:
    return {row["page_id"]: row for row in rows.select(list(_SHOWN)).to_pylist()}


def _pages(rows: Any) -> _Pages:
    ids = np.array(rows["page_id"].to_pylist(), dtype=object)
    return _Pages(ids, stored_rows(rows), halves_of(rows))


def _cosines(stored: NDArray[Any], vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosines of pages with a vector: equal vectors get equal cosines, ties go by page id."""
    wide = vector.astype(np.float64)
    cosines = np.empty(len(stored))
    for part in blocks(stored):
        cosines[part] = np.einsum("pd,d->p", vectors_of(stored[part]).astype(np.float64), wide)
    return cosines
