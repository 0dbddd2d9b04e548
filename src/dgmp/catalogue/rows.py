"""The table of a catalogue: its columns, how rows are asked for, and how vectors are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError, ImageError
from ..files import as_named, from_plain, readable, to_plain
from ..names import empty, need
from ..records import Page, Region
from ..sources import is_address, open_source
from ..storage import AnyPath, ObjectPath, explained, lance_options, real_name
from .checksums import CHECK, damaged
from .rounding import unrounded

TABLE = "pages"
LABELS = ("writer", "script", "manuscript", "scan")


@dataclass(frozen=True, eq=False)
class Entry:
    """A described page, as it goes into a catalogue."""

    page: Page
    vector: NDArray[np.float32]  # (dim,), unit length
    content_hash: str
    thumbnail: bytes  # JPEG
    stamp: str | None = None  # of the source when it was read; None: as it is now
    halves: float | None = None  # the cosine of the vectors of its two halves
    line_distance: float | None = None  # pixels of the scan that were assumed between lines


@dataclass(frozen=True)
class Changes:
    """How pages differ from what is stored of them."""

    new: tuple[Page, ...] = ()
    changed: tuple[Page, ...] = ()  # another picture under the same id
    relabelled: tuple[Page, ...] = ()  # the same picture, but path or labels differ or are unknown
    vanished: tuple[str, ...] = ()  # ids whose source is gone, or no longer has this part
    damaged: tuple[str, ...] = ()  # ids of rows that are not as they were written

    @property
    def to_describe(self) -> tuple[Page, ...]:
        """New and changed pages in the order of their ids."""
        return tuple(sorted(self.new + self.changed, key=lambda page: page.id))

    @property
    def lost(self) -> tuple[str, ...]:
        """The ids of damaged rows that no page can be described for."""
        return tuple(sorted(set(self.damaged) - {page.id for page in self.changed}))


def connect(folder: AnyPath) -> Any:
    """The database in a folder; every call sees what other processes have written."""
    there = isinstance(folder, ObjectPath)
    return _lancedb().connect(
        str(folder) if there else folder,
        read_consistency_interval=timedelta(0),
        storage_options=lance_options() if there else None,
    )


@cache
def _lancedb() -> Any:
    # The client of Lance's own service takes half of the time of the import, 0.7 s on an idle core.
    with empty("lance_namespace_urllib3_client.api"):
        return need("lancedb")


def check_unused(folder: AnyPath) -> None:
    """Refuse a folder whose table holds rows, or is of another program, as the place of a new one.

    A table of ours without rows and without a head is what a killed beginning leaves.
    """
    if not (folder / f"{TABLE}.lance").exists():
        return
    with refusals(folder):
        table = connect(folder).open_table(TABLE)
        rows, ours = table.count_rows(), "page_id" in table.schema.names
    if rows or not ours:
        raise CatalogueError(
            f"{folder}: holds a table of {rows} rows and no catalogue.json; bring that back, or "
            "give a new or an empty folder"
        )


def schema(dim: int) -> Any:
    """The columns of a table of vectors of that width."""
    pa = need("pyarrow")
    return pa.schema(
        [
            pa.field("page_id", pa.string(), nullable=False),
            pa.field("path", pa.string()),  # the address of the page's source
            pa.field("place", pa.string()),  # where on its picture the page lies, as JSON
            pa.field("stamp", pa.string()),  # of the page before it was read
            pa.field("content_hash", pa.string()),
            *(pa.field(label, pa.string()) for label in LABELS),
            pa.field("vector", pa.list_(pa.int8(), dim)),  # rounded: its entries in steps
            pa.field("step", pa.float32()),
            pa.field("halves", pa.float32()),  # the cosine of the two halves of the page
            pa.field("line_distance", pa.float32()),  # pixels of the scan, as it was described
            pa.field("thumbnail", pa.binary()),
            pa.field(CHECK, pa.int64()),  # by which damage to the row is seen
        ]
    )


def row_of(page: Page, stamp: str | None = None) -> dict[str, Any]:
    """What is stored of a page besides its vector, content and thumbnail."""
    stamp = page.stamp() if stamp is None else stamp
    return {
        "page_id": page.id,
        "path": page.source.address,
        "place": json.dumps(to_plain(_Place(page.frame, page.turn, page.size, page.regions))),
        "stamp": stamp,
        **labels_of(page),
    }


@dataclass(frozen=True)
class _Place:
    """What of its picture a page is."""

    frame: int = 0
    turn: int = 0
    size: tuple[int, int] | None = None
    regions: tuple[Region, ...] | None = None


def page_of(row: Mapping[str, Any]) -> Page:
    """The page of a row; ``line_distance`` is that with which it was described.

    Of a row before version 4 only its frame is known, by its id.
    """
    stored = row.get("place")
    if stored is None:
        frame = re.search(r"#frame=(\d+)", row["page_id"])
        place = _Place(int(frame[1]) if frame else 0)
    else:
        place = from_plain(json.loads(stored), _Place, row["page_id"])
    return Page(
        row["page_id"],
        open_source(row["path"]),
        frame=place.frame,
        turn=place.turn,
        size=place.size,
        regions=place.regions,
        line_distance=row.get("line_distance"),
        **{name: row.get(name) for name in LABELS},
    )


def is_there(address: str) -> bool:
    """Whether a source still exists; one that cannot be reached now may."""
    return bool(open_source(address).stamp())


def vanished_ids(stored: Mapping[str, Mapping[str, Any]], corpus: Sequence[Page]) -> set[str]:
    """The ids of rows that are no pages of a corpus, and whose source is gone or is one of its."""
    # Of a file that is still listed, another part than before: a TIFF with fewer pictures.
    listed = {page.source.address for page in corpus}
    return {
        id
        for id in stored.keys() - {page.id for page in corpus}
        if stored[id]["path"] in listed or not is_there(stored[id]["path"])
    }


def content_of(page: Page) -> str:
    """The content of a page, or nothing where it cannot be had now."""
    try:
        return page.content_hash
    except ImageError:
        return ""


def same_book(address: str, other: str) -> bool:
    """Whether two addresses are of one manifest, whose labels may move among its canvases."""
    return is_address(address) and address.partition("#")[0] == other.partition("#")[0]


def labels_of(page: Page) -> dict[str, str | None]:
    """The labels of a page that are stored."""
    return {name: getattr(page, name) for name in LABELS}


def quoted(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def among(page_ids: Sequence[str]) -> str:
    """The condition that a row is of one of these pages."""
    return f"page_id IN ({', '.join(map(quoted, page_ids))})"


def stored_rows(rows: Any) -> NDArray[Any]:  # (pages, dim)
    """The vectors of rows as they are stored: int8, or float32 in a catalogue before version 3.

    Where what verifies them was read as well, damage raises a :class:`CatalogueError`.
    """
    stored = unchecked_rows(rows)
    if found := damaged(rows, stored, halves_of(rows)):
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise CatalogueError(
            f"page {found[0]!r}{more} is damaged: what is stored of it is not what was written; "
            "dgmp describe of its folder into the same catalogue makes it anew, or takes it out "
            "where its scan is gone"
        )
    return stored


def unchecked_rows(rows: Any, name: str = "vector") -> NDArray[Any]:  # (pages, dim)
    """The same, whatever they are; or those of another column of lists of one length."""
    column = rows[name]
    flat = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return np.asarray(flat.flatten()).reshape(len(column), column.type.list_size)


def vectors_of(stored: NDArray[Any]) -> NDArray[np.float32]:  # (pages, dim)
    """The vectors of unit length that stored rows stand for."""
    return unrounded(stored) if stored.dtype == np.int8 else stored


def halves_of(rows: Any) -> NDArray[np.float32]:  # (pages,)
    """How alike the halves of the pages are, NaN where that is not known."""
    if "halves" not in rows.schema.names:
        return np.full(len(rows), np.nan, np.float32)
    return np.asarray(rows["halves"].to_numpy(zero_copy_only=False), np.float32)


def meanings(text: str) -> Iterable[tuple[str, str]]:
    """The columns, and what would stand there, of a page that is meant by an id or a path."""
    shown = readable(text)  # of a name of the file system; an id is shown already
    spelt = (text, shown) if as_named(text) != text else (shown,)
    paths = [text]
    if not is_address(text):
        paths = [readable(real_name(name)) for name in (text, as_named(text))]
    names = [("page_id", name) for name in spelt] + [("path", path) for path in paths]
    return dict.fromkeys(names)


def list_column(values: NDArray[Any]) -> Any:  # (pages, entries)
    """An array as a column of lists of one length."""
    pa = need("pyarrow")
    flat = pa.array(np.ascontiguousarray(values).ravel())
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def present(table: Any, *names: str) -> list[str]:
    """Those of some columns that a table has; one before version 3 lacks some."""
    there = set(table.schema.names)
    return [name for name in names if name in there]


def _panics(error: Exception) -> bool:
    """Whether LanceDB stumbled over a damaged file; it has no public name for that."""
    return type(error).__name__ in ("RustPanic", "PanicException")


@contextmanager
def refusals(folder: AnyPath) -> Iterator[None]:
    """Raise what the table or the disk refuses as an error that names the catalogue."""
    try:
        yield
    except CatalogueError as error:
        raise CatalogueError(f"{folder}: {str(error).removeprefix(f'{folder}: ')}") from error
    except Exception as error:
        if not isinstance(error, (OSError, RuntimeError, ValueError)) and not _panics(error):
            raise
        first = str(error).strip().partition("\n")[0]
        if isinstance(folder, ObjectPath):
            first = explained(error)
        raise CatalogueError(f"{folder}: its table cannot be used: {first}") from error
