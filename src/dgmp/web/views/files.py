"""What is sent as a file: small pictures, heat maps, decisions, hands for other programs."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from .. import urls
from ..asking import Ask, NotHere
from ..keys import page_id
from ..store import Store
from ..uploads import ZOOMED
from .compare import first_of
from .decisions import EXPORTS
from .parts.places import box_of

_A_WEEK = {"Cache-Control": "private, max-age=604800"}
_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
    ".xml": "application/tei+xml",
    ".zip": "application/zip",
}


@dataclass(frozen=True)
class File:
    """Bytes, what they are, and what else a browser should know of them."""

    content: bytes
    kind: str
    headers: Mapping[str, str] = field(default_factory=dict)


def thumbnail(store: Store, ask: Ask) -> File:
    """The small picture of a page; browsers keep it for a week."""
    id = page_id(ask.path["key"])
    found = store.thumbnails([id])
    if id not in found:
        raise NotHere(f"{store.folder.name}: holds no page {id!r}")
    return File(found[id], "image/jpeg", _A_WEEK)


def uploaded(store: Store, ask: Ask) -> File:
    """The picture of an upload, as long as it is kept."""
    return File(store.uploads.picture(ask.path["id"]), "image/jpeg")


def cut_out(store: Store, ask: Ask) -> File:
    """A rectangle of an upload, as long as it is kept."""
    box = box_of(ask.path["box"])
    assert box is not None  # an address has some text there
    height, turn = ask.number("height", ZOOMED, most=ZOOMED), ask.number("turn", 0, 0, 3)
    return File(store.uploads.cut_out(ask.path["id"], box, height, turn), "image/jpeg")


def heat_map(store: Store, ask: Ask) -> File:
    """Where one of two pages is like the other, as far as a network shows it."""
    maps = store.compare(first_of(store, ask), ask.needed("second")).heat_maps
    side = ask.path["side"]
    if maps is None or side not in (0, 1):
        raise NotHere("these two pages have no heat map: only trained networks draw them")
    return File(maps[side], "image/png")


def decisions(store: Store, ask: Ask) -> File:
    """All decisions, to be imported elsewhere."""
    name = urls.DECISIONS_FILE.rpartition("/")[2]
    return File(store.decisions_file(), "application/jsonl", _saved_as(name))


def hands(store: Store, ask: Ask) -> File:
    """The hands as a table, a spreadsheet, TEI or IIIF; a folder comes as a ZIP archive."""
    kind = ask.path["kind"]
    if kind not in EXPORTS:
        raise NotHere(f"hands are exported as {', '.join(EXPORTS)}, not as {kind!r}")
    with tempfile.TemporaryDirectory() as folder:
        name = kind.removesuffix(".zip")
        out = store.export(name, Path(folder))
        content = _zipped(out) if kind.endswith(".zip") else out.read_bytes()
    return File(content, _TYPES[Path(kind).suffix], _saved_as(kind))


def _saved_as(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _zipped(folder: Path) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(file, file.relative_to(folder.parent))
    return target.getvalue()
