"""The hands of a catalogue as they were last grouped: hands.json, beside its table.

A digest of what they were made from (the pages and their content, the calibration, the decisions)
tells whether they are still what grouping would give.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import msgspec

from ..errors import CatalogueError
from ..files import Format, to_plain, write_text
from ..records import StoredHands
from ..storage import AnyPath
from .decision_log import read_decisions
from .head import read_head
from .rows import TABLE, connect, refusals

FORMAT = Format("dgmp-stored-hands", 1, "list of stored hands")
FILE = "hands.json"
# What reading a damaged file raises; of bytes that are no UTF-8 a ValueError.
_DAMAGE = (OSError, msgspec.MsgspecError, ValueError, RecursionError)


@dataclass(frozen=True)
class _Stored:
    format: str
    version: int
    made_from: str
    found: StoredHands


@dataclass(frozen=True)
class _Shift:
    shift: float = 0.0


@dataclass(frozen=True)
class _Shifted:
    version: int
    found: _Shift


def read_shift(folder: AnyPath) -> float:
    """The shift of the hands that were last stored, without all that is said of them."""
    try:
        stored = msgspec.json.decode((folder / FILE).read_bytes(), type=_Shifted)
    except _DAMAGE:
        return 0.0  # who reads the hands gets the reason
    return stored.found.shift if stored.version == FORMAT.version else 0.0


def read_hands(folder: AnyPath) -> StoredHands | None:
    """The hands that were last stored, and whether they are current; None where there are none."""
    path = folder / FILE
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
    except FileNotFoundError:
        return None
    except _DAMAGE as error:
        raise CatalogueError(f"{path}: is no {FORMAT.what}; dgmp hands makes it anew") from error
    if (stored.format, stored.version) != (FORMAT.name, FORMAT.version):
        return None  # of another version: grouping makes them anew
    return replace(stored.found, current=stored.made_from == made_from(folder))


def write_stored_hands(found: StoredHands, made_from: str, folder: AnyPath) -> None:
    """Store hands that were made from what :func:`made_from` gave, whole or not at all."""
    stored = _Stored(FORMAT.name, FORMAT.version, made_from, found)
    write_text(folder / FILE, msgspec.json.encode(stored).decode())


def made_from(folder: AnyPath) -> str:
    """A digest of all that hands are made from: pages, calibration, decisions."""
    head, _ = read_head(folder)
    with refusals(folder):
        table = connect(folder).open_table(TABLE)
        rows = table.search().select(["page_id", "content_hash"]).limit(None).to_arrow()
    rows = rows.sort_by("page_id")
    digest = hashlib.sha256(msgspec.json.encode(to_plain(head)))
    for name in ("page_id", "content_hash"):
        digest.update(msgspec.json.encode(rows[name].to_pylist()))
    digest.update(msgspec.json.encode([decision.id for decision in read_decisions(folder)]))
    return digest.hexdigest()
