"""Described pages on disk: a LanceDB table, and beside it what made its vectors.

A catalogue is a folder with ``catalogue.json`` (format version, the describer and its spec, its
calibration) and the table ``pages.lance``: a row per page with its id, path, content hash, labels,
descriptor and thumbnail. It never mixes describers. Rows are added in batches, each of which is
there whole or not at all, and a page that is added again takes the place of its old row: a process
that is killed loses at most the batch it was at, and what is done twice is there once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError
from ..files import replacing
from ..records import Descriptors, Page
from .calibration import Calibration
from .extras import need
from .search import Hit, Searcher, matrix

FORMAT, VERSION = "dgmp-catalogue", 1
HEAD, TABLE, LOCK = "catalogue.json", "pages", ".lock"
LABELS = ("writer", "script", "manuscript", "sheet")
_AT_ONCE = 1000  # ids in one question to the table
_COMPACT_EVERY = 256  # batches, each of which leaves a file of its own


def is_catalogue(folder: Path | str) -> bool:
    """Whether there is one in a folder."""
    return (Path(folder) / HEAD).is_file()


@dataclass(frozen=True, eq=False)
class Entry:
    """A described page, as it goes into a catalogue."""

    page: Page
    vector: NDArray[np.float32]  # (dim,), unit length
    content_hash: str
    thumbnail: bytes  # JPEG
    stamp: tuple[int, int] | None = None  # of the file when it was read; None: as it is now


@dataclass(frozen=True)
class Changes:
    """What pages have changed since they were described."""

    new: tuple[Page, ...] = ()
    changed: tuple[Page, ...] = ()  # another picture under the same id
    relabelled: tuple[Page, ...] = ()  # the same picture, but its path or labels differ
    vanished: tuple[str, ...] = ()  # ids whose file is gone, or is no longer what was described

    @property
    def to_describe(self) -> tuple[Page, ...]:
        """New and changed pages in the order of their ids."""
        return tuple(sorted(self.new + self.changed, key=lambda page: page.id))


@dataclass(frozen=True)
class Head:
    """What a catalogue says of itself."""

    spec: Mapping[str, Any]
    dim: int
    describer: str  # the name or run it is loaded by
    calibration: Mapping[str, Any] | None = None


class Catalogue:
    """Made by :meth:`create` and :meth:`open`."""

    def __init__(self, folder: Path, head: Head, table: Any) -> None:
        self.folder, self.head = folder, head
        self._table = table
        self._searcher = Searcher(table, head.dim)
        self._batches = 0

    @classmethod
    def create(cls, folder: Path | str, head: Head) -> Catalogue:
        """A new, empty catalogue in a folder that is new or empty."""
        folder = Path(folder)
        if is_catalogue(folder):
            raise CatalogueError(f"{folder}: is a catalogue already")
        # A table without a head is what a killed create leaves.
        inside = {f"{TABLE}.lance", LOCK}
        if folder.is_file() or (folder.is_dir() and {f.name for f in folder.iterdir()} - inside):
            raise CatalogueError(f"{folder}: holds something else; give a new or an empty folder")
        with _told(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # Over a table only where there is one: LanceDB warns otherwise.
            mode = "overwrite" if (folder / f"{TABLE}.lance").exists() else "create"
            table = _connect(folder).create_table(TABLE, schema=_schema(head.dim), mode=mode)
        catalogue = cls(folder, head, table)
        catalogue._write_head()
        return catalogue

    @classmethod
    def open(cls, folder: Path | str) -> Catalogue:
        """A catalogue that is there."""
        folder = Path(folder)
        try:
            stored = json.loads((folder / HEAD).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise CatalogueError(
                f"{folder}: is no catalogue; dgmp describe FOLDER --catalogue {folder} makes one"
            ) from error
        except (OSError, ValueError) as error:
            raise CatalogueError(f"{folder / HEAD}: cannot be read: {error}") from error
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise CatalogueError(f"{folder / HEAD}: is not of a catalogue")
        if stored.get("version") != VERSION:
            raise CatalogueError(
                f"{folder}: has format version {stored.get('version')}, this dgmp reads {VERSION}"
            )
        with _told(folder):
            table = _connect(folder).open_table(TABLE)
        head = Head(stored["spec"], stored["dim"], stored["describer"], stored["calibration"])
        return cls(folder, head, table)

    def check_describer(self, head: Head) -> None:
        """Refuse a describer other than that of the catalogue: vectors could not be compared."""
        theirs, ours = _plain(head.spec), _plain(self.head.spec)
        if theirs != ours or head.dim != self.head.dim:
            where = _first_difference(ours, theirs) or f"{self.head.dim} and {head.dim} dimensions"
            raise CatalogueError(
                f"{self.folder}: was made by the describer {self.head.describer!r}, which is "
                f"another than {head.describer!r} ({where}); go on with the first, or give the "
                "second a catalogue of its own"
            )

    def take_describer(self, head: Head) -> None:
        """Go on with the same describer; its name and its calibration may have changed."""
        self.check_describer(head)
        if head != self.head:
            self.head = head
            self._write_head()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other processes from writing meanwhile; a lock that dies with its process."""
        try:
            import fcntl
        except ImportError:  # Windows has none; there, two commands at once are up to the user
            yield
            return
        with (self.folder / LOCK).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise CatalogueError(
                    f"{self.folder}: another process is describing into it; wait for its end"
                ) from error
            yield

    def __len__(self) -> int:
        return int(self._table.count_rows())

    @property
    def calibration(self) -> Calibration | None:
        """What cosines of this describer say about hands, if it has been calibrated."""
        stored = self.head.calibration
        return None if stored is None else Calibration.from_json(stored)

    def missing(self, pages: Sequence[Page]) -> Changes:
        """What of these pages has to be described, and what is in the catalogue without reason.

        A file of the size and time that were stored is taken to be the same; else its content
        decides.
        """
        rows = self._columns("page_id", "path", "content_hash", "bytes", "modified", *LABELS)
        stored = {row["page_id"]: row for row in rows.to_pylist()}
        new, changed, relabelled = [], [], []
        for page in pages:
            row = stored.pop(page.id, None)
            if row is None:
                new.append(page)
                continue
            path = str(page.path.resolve())
            elsewhere = row["path"] != path
            if elsewhere and Path(row["path"]).exists():
                raise CatalogueError(
                    f"{self.folder}: holds a page {page.id!r} already, of the file {row['path']}; "
                    "describe a folder that has both below it, or use a catalogue of its own"
                )
            stamp = file_stamp(page.path)
            same_file = (row["bytes"], row["modified"]) == stamp
            if not same_file and (stamp[0] < 0 or row["content_hash"] != page.content_hash):
                changed.append(page)
            elif elsewhere or not same_file or _labels(page) != {k: row[k] for k in LABELS}:
                relabelled.append(page)
        vanished = [
            id
            for id, row in stored.items()
            if (row["bytes"], row["modified"]) != file_stamp(Path(row["path"]))
        ]
        return Changes(tuple(new), tuple(changed), tuple(relabelled), tuple(sorted(vanished)))

    def add(self, batch: Sequence[Entry]) -> None:
        """Add pages in one step, or put them in the place of their old rows."""
        if not batch:
            return
        vectors = np.stack([entry.vector for entry in batch])  # (batch, dim)
        ids = tuple(entry.page.id for entry in batch)
        Descriptors(ids, vectors, {})  # unit rows, ids that differ
        if vectors.shape[1] != self.head.dim:
            raise ValueError(f"vectors must have {self.head.dim} entries, got {vectors.shape[1]}")
        rows = [
            {
                **_described_by(entry.page, entry.stamp),
                "content_hash": entry.content_hash,
                "thumbnail": entry.thumbnail,
            }
            for entry in batch
        ]
        self._merge(rows, vectors)

    def relabel(self, pages: Sequence[Page]) -> None:
        """Store the path and labels of pages that are in the catalogue; their vectors stay."""
        if pages:
            self._merge([_described_by(page) for page in pages])

    def drop(self, page_ids: Sequence[str]) -> None:
        """Take pages out."""
        for start in range(0, len(page_ids), _AT_ONCE):
            with _told(self.folder):
                self._table.delete(_among(page_ids[start : start + _AT_ONCE]))

    def settle(self) -> None:
        """After adding: join small files; make or extend the index of a large catalogue."""
        with _told(self.folder):
            # Versions of the last minutes stay, for those who are reading them.
            self._table.optimize(cleanup_older_than=timedelta(minutes=10))
            self._searcher.build_index()

    def descriptors(self) -> Descriptors:
        """All vectors in the order of the page ids, with writers if all pages have one."""
        rows = self._columns("page_id", "writer", "vector").sort_by("page_id")
        writers = rows["writer"].to_pylist()
        known = bool(writers) and None not in writers
        return Descriptors(
            tuple(rows["page_id"].to_pylist()),
            matrix(rows["vector"], self.head.dim),
            self.head.spec,
            tuple(writers) if known else None,
        )

    def thumbnails(self, page_ids: Sequence[str]) -> dict[str, bytes]:
        """The small JPEG pictures of some pages."""
        found: dict[str, bytes] = {}
        for start in range(0, len(page_ids), _AT_ONCE):
            rows = self._columns(
                "page_id", "thumbnail", where=_among(page_ids[start : start + _AT_ONCE])
            )
            found |= dict(
                zip(rows["page_id"].to_pylist(), rows["thumbnail"].to_pylist(), strict=True)
            )
        return found

    def paths(self) -> dict[str, str]:
        """The file of every page, by its id."""
        rows = self._columns("page_id", "path")
        return dict(zip(rows["page_id"].to_pylist(), rows["path"].to_pylist(), strict=True))

    def find(self, text: str) -> str | None:
        """The id of the page that is meant by an id or by the path of a file, if it is here."""
        rows = self._columns("page_id", where=f"page_id = {_quoted(text)}")
        if not len(rows):
            path = _quoted(str(Path(text).resolve()))
            rows = self._columns("page_id", where=f"path = {path}").sort_by("page_id")
        return str(rows["page_id"][0]) if len(rows) else None

    def vector(self, page_id: str) -> NDArray[np.float32]:  # (dim,)
        """The descriptor of a page that is here."""
        rows = self._columns("vector", where=f"page_id = {_quoted(page_id)}")
        if not len(rows):
            raise CatalogueError(f"{self.folder}: holds no page {page_id!r}")
        return matrix(rows["vector"], self.head.dim)[0]

    def search(
        self, vector: NDArray[np.float32], n: int = 10, *, leave_out: str | None = None
    ) -> tuple[Hit, ...]:
        """The n pages most like a vector, nearest first; ``leave_out`` is the id of the query."""
        return self._searcher.search(vector, n, leave_out, self.calibration)

    def _columns(self, *names: str, where: str | None = None) -> Any:
        with _told(self.folder):
            query = self._table.search().select(list(names))
            if where is not None:
                query = query.where(where)
            return query.limit(None).to_arrow()

    def _merge(
        self, rows: Sequence[Mapping[str, Any]], vectors: NDArray[np.float32] | None = None
    ) -> None:
        pa = need("pyarrow", "pyarrow")
        schema = self._table.schema
        columns = {
            name: pa.array([row[name] for row in rows], schema.field(name).type) for name in rows[0]
        }
        merge = self._table.merge_insert("page_id").when_matched_update_all()
        if vectors is not None:
            flat = pa.array(np.ascontiguousarray(vectors, np.float32).ravel())
            columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, self.head.dim)
            merge = merge.when_not_matched_insert_all()
        with _told(self.folder):
            merge.execute(pa.table(columns))
            self._batches += 1
            if self._batches % _COMPACT_EVERY == 0:
                self._table.optimize()

    def _write_head(self) -> None:
        stored = {"format": FORMAT, "version": VERSION, **asdict(self.head)}
        text = json.dumps(stored, ensure_ascii=False, indent=1)
        with replacing(self.folder / HEAD) as beside:
            beside.write_text(text + "\n", encoding="utf-8")


def _connect(folder: Path) -> Any:
    # Every call sees what other processes have written.
    return need("lancedb", "lancedb").connect(folder, read_consistency_interval=timedelta(0))


def _schema(dim: int) -> Any:
    pa = need("pyarrow", "pyarrow")
    return pa.schema(
        [
            pa.field("page_id", pa.string(), nullable=False),
            pa.field("path", pa.string()),
            pa.field("content_hash", pa.string()),
            pa.field("bytes", pa.int64()),
            pa.field("modified", pa.int64()),  # nanoseconds
            *(pa.field(label, pa.string()) for label in LABELS),
            pa.field("vector", pa.list_(pa.float32(), dim)),
            pa.field("thumbnail", pa.binary()),
        ]
    )


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """What the table or the disk refuses, as an error that names the catalogue."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        first = str(error).strip().partition("\n")[0]
        raise CatalogueError(f"{folder}: its table cannot be used: {first}") from error


def _described_by(page: Page, stamp: tuple[int, int] | None = None) -> dict[str, Any]:
    size, modified = stamp or file_stamp(page.path)
    return {
        "page_id": page.id,
        "path": str(page.path.resolve()),
        "bytes": size,
        "modified": modified,
        **_labels(page),
    }


def _labels(page: Page) -> dict[str, str | None]:
    return {name: getattr(page, name) for name in LABELS}


def file_stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, by which most changes are seen; of one that is not there −1."""
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _among(page_ids: Sequence[str]) -> str:
    return f"page_id IN ({', '.join(map(_quoted, page_ids))})"


def _plain(spec: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(spec))


def _first_difference(ours: Any, theirs: Any, name: str = "") -> str | None:
    """Where two specs part, in words."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            inner = f"{name}.{key}" if name else str(key)
            found = _first_difference(ours.get(key), theirs.get(key), inner)
            if found:
                return found
        return None
    if ours == theirs:
        return None
    first, second = (json.dumps(value, ensure_ascii=False)[:60] for value in (ours, theirs))
    return f"{name}: {first} there, {second} now"
