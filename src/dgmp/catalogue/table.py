"""Described pages on disk: a LanceDB table, and beside it what made its vectors.

A catalogue is a folder with ``catalogue.json`` (format version, the describer and its spec, its
calibration, what was learned from the collection) and the table ``pages.lance``: a row per page
with its id, path, content hash, labels, descriptor in a byte per entry (:mod:`.rounding`) and
thumbnail. A large one also has short vectors, ``short.npz`` and ``short.lance`` (:mod:`.shorts`),
which follow from the table and may be deleted. A catalogue never mixes describers. Rows are added
in batches, each of which is there whole or not at all, and a page that is added again takes the
place of its old row: a process that is killed loses at most the batch it was at, and what is done
twice is there once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError
from ..files import to_plain
from ..names import need
from ..records import Descriptors, Page, file_and_part
from ..storage import AnyPath, reachable_path
from .checksums import CHECK, COLUMNS, checksums
from .head import FORMAT, ROUNDED, Head, is_catalogue, read_head, write_head
from .lock import LOCK, locked
from .renewal import renew_columns
from .rounding import rounded, unrounded
from .rows import (
    LABELS,
    TABLE,
    Changes,
    Entry,
    among,
    check_unused,
    connect,
    content_of,
    halves_of,
    is_there,
    labels_of,
    list_column,
    meanings,
    page_of,
    present,
    quoted,
    refusals,
    row_of,
    same_book,
    schema,
    stored_rows,
    vanished_ids,
    vectors_of,
)
from .search import Nearest, Searcher

_AT_ONCE = 1000  # ids in one question to the table
_COMPACT_EVERY = 256  # batches, each of which leaves a file of its own
# More files with fewer pages on average are joined: not less, since it writes every vector again.
_FILES, _FILE_PAGES = 32, 1000


class Catalogue:
    """Made by :meth:`create` and :meth:`open`."""

    def __init__(self, folder: AnyPath, head: Head, table: Any, version: int) -> None:
        self.folder, self.head = folder, head
        self._table, self._version = table, version
        self._searcher = Searcher(table, folder, head.dim)
        self._batches = 0

    @classmethod
    def create(cls, folder: AnyPath | str, head: Head) -> Catalogue:
        """A new, empty catalogue in a folder that is new or empty."""
        folder = reachable_path(folder)
        if is_catalogue(folder):
            raise CatalogueError(f"{folder}: is a catalogue already")
        # A table without a head is what a killed create leaves.
        inside = {f"{TABLE}.lance", LOCK}
        if folder.is_file() or (folder.is_dir() and {f.name for f in folder.iterdir()} - inside):
            raise CatalogueError(f"{folder}: holds something else; give a new or an empty folder")
        check_unused(folder)
        with refusals(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with locked(folder), refusals(folder):
            # Over a table only where there is one: LanceDB warns otherwise.
            mode = "overwrite" if (folder / f"{TABLE}.lance").exists() else "create"
            table = connect(folder).create_table(TABLE, schema=schema(head.dim), mode=mode)
            write_head(head, folder)
        return cls(folder, head, table, FORMAT.version)

    @classmethod
    def open(cls, folder: AnyPath | str) -> Catalogue:
        """A catalogue that is there."""
        folder = reachable_path(folder)
        head, version = read_head(folder)
        with refusals(folder):
            table = connect(folder).open_table(TABLE)
        return cls(folder, head, table, version)

    def check_describer(self, head: Head) -> None:
        """Refuse a describer other than that of the catalogue: vectors could not be compared."""
        if where := self.head.difference(head):
            if self.head.describer == head.describer:
                raise CatalogueError(
                    f"{self.folder}: was made by the describer {head.describer!r} as it was "
                    f"before ({where}); give it a new catalogue as it is now"
                )
            raise CatalogueError(
                f"{self.folder}: was made by the describer {self.head.describer!r}, which is "
                f"another than {head.describer!r} ({where}); go on with the first, or give the "
                "second a catalogue of its own"
            )

    def take_describer(self, head: Head) -> None:
        """Go on with the same describer; its name and its calibration may have changed."""
        self.check_describer(head)
        self._take(replace(head, collection=self.head.collection))

    def keep_collection(self, values: Mapping[str, Any] | None) -> None:
        """Store plain values that were learned from the pages, as ``head.collection``."""
        self._take(replace(self.head, collection=values))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other processes from writing meanwhile.

        A catalogue of an older version is brought to that of now.
        """
        with locked(self.folder):
            self._renew()
            yield

    def __len__(self) -> int:
        with refusals(self.folder):
            return int(self._table.count_rows())

    @property
    def version(self) -> int:
        """Another whenever a page was added, relabelled or taken out."""
        with refusals(self.folder):
            return int(self._table.version)

    def compare(self, pages: Sequence[Page], others: Sequence[Page] = ()) -> Changes:
        """What of these pages has to be described, and what is in the catalogue without reason.

        A page with the stamp that was stored is taken to be the same; else its content decides.
        One whose row is damaged has changed. For that the vectors of these pages, and of those
        that have vanished, are read from the disk once; those of all others are not.
        ``others`` are pages of the same corpus that are left alone this time.
        """
        names = ("page_id", "path", "place", "content_hash", "stamp", *LABELS)
        rows = self._columns(*names).to_pylist()
        stored = {row["page_id"]: row for row in rows}
        vanished = vanished_ids(stored, (*pages, *others))
        checked = vanished | {page.id for page in pages}
        at = [place for place, row in enumerate(rows) if row["page_id"] in checked]
        with refusals(self.folder):
            broken = self._searcher.damaged(at)
        places = {
            (row["path"], file_and_part(id)[1]): id
            for id, row in stored.items()
            if id not in broken  # which may be the id of another page
        }
        new, changed, relabelled = [], [], []
        for page in pages:
            if page.id in broken:
                changed.append(page)
                continue
            row = stored.get(page.id)
            address = page.source.address
            if row is None:
                if (known := places.get((address, file_and_part(page.id)[1]))) is not None:
                    raise CatalogueError(
                        f"{self.folder}: holds the file {address} already, as page {known!r}; "
                        "go on with the folder it was described from, or use a catalogue of its own"
                    )
                new.append(page)
                continue
            elsewhere = row["path"] != address
            if elsewhere and not same_book(row["path"], address) and is_there(row["path"]):
                raise CatalogueError(
                    f"{self.folder}: holds a page {page.id!r} already, of the file {row['path']}; "
                    "describe a folder that has both below it, or use a catalogue of its own"
                )
            stamp = page.stamp()
            same = row["stamp"] == stamp
            if not same and (not stamp or row["content_hash"] != content_of(page)):
                changed.append(page)
            elif (
                elsewhere
                or not same
                or row["place"] is None  # described by an earlier version
                or labels_of(page) != {k: row[k] for k in LABELS}
            ):
                relabelled.append(page)
        gone, damaged = tuple(sorted(vanished - broken)), tuple(sorted(broken))
        return Changes(tuple(new), tuple(changed), tuple(relabelled), gone, damaged)

    def add(self, batch: Sequence[Entry]) -> None:
        """Add pages in one step, or put them in the place of their old rows."""
        if not batch:
            return
        vectors = np.stack([entry.vector for entry in batch])  # (batch, dim)
        ids = tuple(entry.page.id for entry in batch)
        Descriptors(ids, vectors, {})  # unit rows, ids that differ
        if vectors.shape[1] != self.head.dim:
            raise ValueError(f"vectors must have {self.head.dim} entries, got {vectors.shape[1]}")
        if self._version != FORMAT.version:
            raise CatalogueError(
                f"{self.folder}: has format version {self._version}; Catalogue.writing renews it"
            )
        numbers, steps = rounded(vectors)
        halves = np.array([math.nan if e.halves is None else e.halves for e in batch], np.float32)
        checks = checksums(list(ids), numbers, steps, halves).tolist()
        rows = [
            {
                **row_of(entry.page, entry.stamp),
                "content_hash": entry.content_hash,
                "step": float(step),
                "halves": entry.halves,
                "line_distance": entry.line_distance,
                "thumbnail": entry.thumbnail,
                CHECK: check,
            }
            for entry, step, check in zip(batch, steps, checks, strict=True)
        ]
        with refusals(self.folder):  # before the rows, which nobody would find without
            self._searcher.shorts.put(ids, numbers, steps)
        self._merge(rows, numbers)

    def relabel(self, pages: Sequence[Page]) -> None:
        """Store path, place and labels of pages that are in the catalogue; their vectors stay."""
        if pages:
            self._merge([row_of(page) for page in pages])

    def drop(self, page_ids: Sequence[str]) -> None:
        """Take pages out."""
        for start in range(0, len(page_ids), _AT_ONCE):
            part = page_ids[start : start + _AT_ONCE]
            with refusals(self.folder):
                self._table.delete(among(part))
                self._searcher.shorts.drop(part)

    def settle(self) -> None:
        """After adding: join many small files; make the short vectors of a large catalogue."""
        with refusals(self.folder):
            self._join_files()
            self._searcher.settle()

    def descriptors(self) -> Descriptors:
        """All vectors in the order of the page ids, with writers if all pages have one."""
        names = self._present("writer", *COLUMNS)
        rows = self._columns(*names).sort_by("page_id")
        writers = rows["writer"].to_pylist()
        known = bool(writers) and None not in writers
        with refusals(self.folder):
            stored = stored_rows(rows)
        return Descriptors(
            tuple(rows["page_id"].to_pylist()),
            vectors_of(stored),
            self.head.spec,
            tuple(writers) if known else None,
            halves_of(rows),
        )

    def has_halves(self) -> bool:
        """Whether halves were described with every page; earlier versions of dgmp did not."""
        with refusals(self.folder):
            known = "halves" in self._table.schema.names
            return known and not self._table.count_rows("halves IS NULL")

    def thumbnails(self, page_ids: Sequence[str]) -> dict[str, bytes]:
        """The small JPEG pictures of some pages."""
        found: dict[str, bytes] = {}
        for start in range(0, len(page_ids), _AT_ONCE):
            part = among(page_ids[start : start + _AT_ONCE])
            rows = self._columns("page_id", "thumbnail", where=part).to_pydict()
            found |= dict(zip(rows["page_id"], rows["thumbnail"], strict=True))
        return found

    def pages(self, page_ids: Sequence[str]) -> tuple[Page, ...]:
        """Some pages in that order, to be read again; a CatalogueError names one not here.

        Their ``line_distance`` is that with which they were described, so that they are prepared
        alike; it is not part of what :meth:`compare` goes by.
        """
        found: dict[str, Page] = {}
        names = self._present("page_id", "path", "place", "line_distance", *LABELS)
        for start in range(0, len(page_ids), _AT_ONCE):
            rows = self._columns(*names, where=among(page_ids[start : start + _AT_ONCE]))
            found |= {row["page_id"]: page_of(row) for row in rows.to_pylist()}
        if missing := [id for id in page_ids if id not in found]:
            raise CatalogueError(f"{self.folder}: holds no page {missing[0]!r}")
        return tuple(found[id] for id in page_ids)

    def paths(self) -> dict[str, str]:
        """The file of every page, by its id."""
        return self.column("path")

    def column(self, name: str) -> dict[str, Any]:
        """The path or a label of every page, by its id."""
        rows = self._columns("page_id", name).to_pydict()
        return dict(zip(rows["page_id"], rows[name], strict=True))

    def find(self, text: str) -> str | None:
        """The id of the page that is meant by an id or by the path of a file, if it is here."""
        for column, name in meanings(text):
            rows = self._columns("page_id", where=f"{column} = {quoted(name)}").sort_by("page_id")
            if len(rows):
                return str(rows["page_id"][0])
        return None

    def page(self, page_id: str) -> Descriptors:
        """The descriptor of a page that is here."""
        names = self._present(*COLUMNS)
        rows = self._columns(*names, where=f"page_id = {quoted(page_id)}")
        if not len(rows):
            raise CatalogueError(f"{self.folder}: holds no page {page_id!r}")
        with refusals(self.folder):
            vectors = vectors_of(stored_rows(rows))
        return Descriptors((page_id,), vectors, self.head.spec, halves=halves_of(rows))

    def search(
        self, vector: NDArray[np.float32], n: int = 10, *, leave_out: str | None = None
    ) -> Nearest:
        """The n pages most like a vector, nearest first; ``leave_out`` is the id of the query."""
        vector = np.asarray(vector, np.float32)
        if vector.shape != (self.head.dim,):
            raise ValueError(f"vector must have shape ({self.head.dim},), got {vector.shape}")
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        with refusals(self.folder):
            return self._searcher.search(self.as_stored(vector[None])[0], n, leave_out)

    def as_stored(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:  # (pages, dim)
        """Vectors as they come back from here: a copy of a page has the cosine 1 with it."""
        return unrounded(rounded(vectors)[0]) if self._version >= ROUNDED else vectors

    def sample(self) -> Descriptors:
        """Some pages that stand for all, the same every time; all of a small catalogue."""
        with refusals(self.folder):
            ids, vectors, halves = self._searcher.sample()
        return Descriptors(ids, vectors, self.head.spec, halves=halves)

    def _present(self, *names: str) -> list[str]:
        with refusals(self.folder):
            return present(self._table, *names)

    def _columns(self, *names: str, where: str | None = None) -> Any:
        with refusals(self.folder):
            query = self._table.search().select(list(names))
            if where is not None:
                query = query.where(where)
            return query.limit(None).to_arrow()

    def _merge(
        self, rows: Sequence[Mapping[str, Any]], numbers: NDArray[np.int8] | None = None
    ) -> None:
        pa = need("pyarrow")
        with refusals(self.folder):
            schema = self._table.schema
        columns = {
            name: pa.array([row[name] for row in rows], schema.field(name).type) for name in rows[0]
        }
        merge = self._table.merge_insert("page_id").when_matched_update_all()
        if numbers is not None:
            columns["vector"] = list_column(numbers)
            merge = merge.when_not_matched_insert_all()
        with refusals(self.folder):
            merge.execute(pa.table(columns))
            self._batches += 1
            if self._batches % _COMPACT_EVERY == 0:
                self._join_files()

    def _join_files(self) -> None:
        files = self._table.stats()["fragment_stats"]["num_fragments"]
        if files > _FILES and len(self) < files * _FILE_PAGES:
            # Versions of the last minutes stay, for those who are reading them.
            self._table.optimize(cleanup_older_than=timedelta(minutes=10))

    def _take(self, head: Head) -> None:
        if to_plain(head) != to_plain(self.head):
            self.head = head
            if self._version == FORMAT.version:  # an older one is written when it is renewed
                write_head(head, self.folder)

    def _renew(self) -> None:
        if self._version == FORMAT.version:
            return
        with refusals(self.folder):
            renew_columns(self._table, self.head.dim)
        write_head(self.head, self.folder)
        self._version = FORMAT.version
