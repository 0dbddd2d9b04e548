"""The pages most like a vector: exact in a small catalogue, by an index in a large one.

Up to ``EXACT_PAGES`` pages the vectors are held as one matrix (4 bytes per entry: 0.4 GB for 50 000
pages of 2048 entries) and a search is a product with it. Beyond, an IVF index of LanceDB with two
bits per entry (RaBitQ) proposes ``PROPOSED`` pages, and these are ranked by their stored vectors:
the index decides only who is looked at, never a cosine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Hit
from .rows import among, matrix

EXACT_PAGES = 50_000
BITS = 2  # per entry in the index; see benchmarks/results/catalogue.md for these three
PROPOSED = 500  # pages an index proposes, at least
PROBES = 1_000  # parts of the index that are looked through: all, up to some millions of pages
SAMPLE = 1_000  # pages that stand for the collection when a cosine is judged
_SHOWN = ("page_id", "path", "writer")


@dataclass(frozen=True, eq=False)
class Nearest:
    """What a search found, nearest first, with the vectors of the pages."""

    hits: tuple[Hit, ...]
    vectors: NDArray[np.float32]  # (hits, dim)


@dataclass(frozen=True, eq=False)
class _Held:
    """The catalogue in memory, at one version of its table."""

    version: int
    ids: tuple[str, ...]  # sorted
    vectors: NDArray[np.float32]  # (pages, dim)


class Searcher:
    """Searches a table, and keeps in memory what it needs again."""

    def __init__(self, table: Any, dim: int) -> None:
        self._table, self._dim = table, dim
        self._held: _Held | None = None
        self._sample: _Held | None = None
        self._seen = (-1, 0, False)  # version, pages, indexed

    def search(self, vector: NDArray[np.float32], n: int, leave_out: str | None) -> Nearest:
        """See :meth:`Catalogue.search`."""
        pages, indexed = self._state()
        find = self._proposed if pages > EXACT_PAGES and indexed else self._nearest
        ids, vectors = find(vector, n + 1)
        # In float64: equal vectors get equal cosines, and ties go by page id.
        cosines = vectors.astype(np.float64) @ vector.astype(np.float64)
        order = [i for i in np.lexsort((ids, -cosines)) if ids[i] != leave_out][:n]
        rows = self._rows([ids[i] for i in order])
        order = [i for i in order if ids[i] in rows]  # one may have been taken out meanwhile
        hits = tuple(
            Hit(ids[i], rows[ids[i]]["path"], float(cosines[i]), writer=rows[ids[i]]["writer"])
            for i in order
        )
        return Nearest(hits, vectors[order])

    def sample(self) -> tuple[tuple[str, ...], NDArray[np.float32]]:
        """See :meth:`Catalogue.sample`: ids and vectors (sampled, dim)."""
        held = self._background()
        return held.ids, held.vectors

    def build_index(self) -> None:
        """Make the index of a catalogue that is too large to be searched without."""
        if self._table.count_rows() <= EXACT_PAGES:
            return
        index = need("lancedb.index")
        present = self._indexed()
        if "page_id" not in present:
            self._table.create_index("page_id", config=index.BTree())
        if "vector" not in present:
            self._table.create_index(
                "vector", config=index.IvfRq(distance_type="cosine", num_bits=BITS)
            )

    def _state(self) -> tuple[int, bool]:
        """How many pages there are, and whether they are indexed."""
        version = self._table.version
        if self._seen[0] != version:
            self._seen = (version, self._table.count_rows(), "vector" in self._indexed())
        return self._seen[1:]

    def _indexed(self) -> set[str]:
        return {column for index in self._table.list_indices() for column in index.columns}

    def _nearest(
        self, vector: NDArray[np.float32], n: int
    ) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
        held = self._all()
        cosines = held.vectors @ vector
        # A few more than asked for: float32 may swap neighbours that differ in the last bit.
        kept = min(n + 10, len(cosines))
        chosen = np.argpartition(-cosines, kept - 1)[:kept] if kept else np.zeros(0, int)
        if kept:  # all that tie with the last one, or chance would choose among them
            chosen = np.flatnonzero(cosines >= cosines[chosen].min() - 1e-6)
        return np.array([held.ids[i] for i in chosen], dtype=object), held.vectors[chosen]

    def _proposed(
        self, vector: NDArray[np.float32], n: int
    ) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
        query = self._table.search(vector, vector_column_name="vector").distance_type("cosine")
        rows = (
            query.nprobes(PROBES)
            .limit(max(PROPOSED, 2 * n))
            .select(["page_id", "vector", "_distance"])
            .to_arrow()
        )
        ids = np.array(rows["page_id"].to_pylist(), dtype=object)
        return ids, matrix(rows["vector"], self._dim)

    def _all(self) -> _Held:
        version = self._table.version
        if self._held is None or self._held.version != version:
            rows = self._table.search().select(["page_id", "vector"]).limit(None).to_arrow()
            self._held = _held(version, rows.sort_by("page_id"), self._dim)
        return self._held

    def _background(self) -> _Held:
        """Some pages of the catalogue, the same ones every time."""
        version = self._table.version
        if self._sample is None or self._sample.version != version:
            pages, _ = self._state()
            if pages <= EXACT_PAGES:
                held = self._all()
                chosen = sample_rows(pages)
                self._sample = _Held(
                    version, tuple(held.ids[i] for i in chosen), held.vectors[chosen]
                )
            else:
                rows = self._table.take_offsets(sample_rows(pages).tolist())
                taken = rows.select(["page_id", "vector"]).to_arrow().sort_by("page_id")
                self._sample = _held(version, taken, self._dim)
        return self._sample

    def _rows(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        if not len(ids):
            return {}
        rows = self._table.search().where(among(ids)).select(list(_SHOWN)).limit(None).to_arrow()
        return {row["page_id"]: row for row in rows.to_pylist()}


def sample_rows(pages: int) -> NDArray[np.intp]:
    """Which pages stand for a collection: all of a small one, else a fixed drawing."""
    if pages <= SAMPLE:
        return np.arange(pages)
    return np.sort(np.random.default_rng(0).choice(pages, SAMPLE, replace=False))


def _held(version: int, rows: Any, dim: int) -> _Held:
    return _Held(version, tuple(rows["page_id"].to_pylist()), matrix(rows["vector"], dim))
