"""The table of a catalogue: its columns, how rows are asked for, and how old ones are renewed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError
from ..names import need
from ..records import Page

TABLE = "pages"
LABELS = ("writer", "script", "manuscript", "scan")


def connect(folder: Path) -> Any:
    """The database in a folder; every call sees what other processes have written."""
    return need("lancedb").connect(folder, read_consistency_interval=timedelta(0))


def schema(dim: int) -> Any:
    """The columns of a table of vectors of that width."""
    pa = need("pyarrow")
    return pa.schema(
        [
            pa.field("page_id", pa.string(), nullable=False),
            pa.field("path", pa.string()),  # the address of the page's source
            pa.field("stamp", pa.string()),  # of the page before it was read
            pa.field("content_hash", pa.string()),
            *(pa.field(label, pa.string()) for label in LABELS),
            pa.field("vector", pa.list_(pa.float32(), dim)),
            pa.field("thumbnail", pa.binary()),
        ]
    )


def renew_columns(table: Any) -> None:
    """Bring a table of version 1 to the columns of now; what a kill left half done is finished."""
    names = set(table.schema.names)
    if "stamp" not in names:
        stamp = "concat(cast(bytes as string), ' ', cast(modified as string))"
        table.add_columns({"stamp": stamp})
    if "sheet" in names:
        table.alter_columns({"path": "sheet", "rename": "scan"})
    old = [name for name in ("bytes", "modified") if name in names]
    if old:
        table.drop_columns(old)


def row_of(page: Page, stamp: str | None = None) -> dict[str, Any]:
    """What is stored of a page besides its vector, content and thumbnail."""
    stamp = page.stamp() if stamp is None else stamp
    return {
        "page_id": page.id,
        "path": page.source.address,
        "stamp": stamp,
        **labels_of(page),
    }


def labels_of(page: Page) -> dict[str, str | None]:
    """The labels of a page that are stored."""
    return {name: getattr(page, name) for name in LABELS}


def quoted(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def among(page_ids: Sequence[str]) -> str:
    """The condition that a row is of one of these pages."""
    return f"page_id IN ({', '.join(map(quoted, page_ids))})"


def matrix(column: Any, dim: int) -> NDArray[np.float32]:  # (pages, dim)
    """A column of vectors as one array."""
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, np.float32).reshape(-1, dim)


@contextmanager
def refusals(folder: Path) -> Iterator[None]:
    """Raise what the table or the disk refuses as an error that names the catalogue."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        first = str(error).strip().partition("\n")[0]
        raise CatalogueError(f"{folder}: its table cannot be used: {first}") from error
