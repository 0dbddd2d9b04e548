"""Stored files: whole or not there, each with a versioned head, records as JSON by one codec.

A file is written beside its place and then moved into it. Every JSON file of dgmp begins with
``"format"`` and ``"version"``; a :class:`Format` writes and checks them. Records (dataclasses) are
turned to plain values and back by their type annotations.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .errors import DgmpError
from .names import need
from .storage import AnyPath, ObjectPath

T = TypeVar("T")
MAKER = "dgmp"  # in pictures that dgmp draws, so that they are never taken for pages


@dataclass(frozen=True)
class Format:
    """A stored format: its name in the file and in messages, and the versions that are read."""

    name: str
    version: int  # that is written
    what: str  # how such a thing is called in messages
    older: tuple[int, ...] = ()  # versions that are read as well

    def stamp(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values behind the name and version of the format."""
        return {"format": self.name, "version": self.version, **values}

    def check(self, found: Any, where: object) -> dict[str, Any]:
        """What was read, if it is of this format; else a DgmpError that says what it is."""
        if not isinstance(found, dict) or found.get("format") != self.name:
            raise DgmpError(f'{where}: has no "format": "{self.name}", it is no {self.what}')
        self.check_version(found.get("version"), where)
        return found

    def check_version(self, version: object, where: object) -> None:
        """Refuse a version that this dgmp does not read."""
        if version not in (self.version, *self.older):
            raise DgmpError(
                f"{where}: has format version {version}, this dgmp reads {self.version}"
            )


@contextmanager
def replacing(path: AnyPath) -> Iterator[Path]:
    """Give a name to write to; at the end it takes the place of ``path`` in one step.

    Whatever happens before that, a kill or a full disk, leaves ``path`` as it was. What the system
    refuses is raised as a :class:`DgmpError` that names the file. An object is written to a file of
    this machine first.
    """
    if isinstance(path, ObjectPath):
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / path.name
            path.write_bytes((Path(folder) / path.name).read_bytes())
        return
    path = Path(path)
    beside = _beside(path)
    try:
        check_place(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        with beside.open("rb+") as file:  # on the disk before it gets its name
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise DgmpError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give a new folder to write into; at the end it takes the place of the folder ``path``.

    Whatever goes wrong before that leaves ``path`` as it was. What the system refuses is raised as
    a :class:`DgmpError` that names the folder.
    """
    path = Path(path).absolute()
    beside = _beside(path)
    old = beside.with_name(f"{beside.name}.old")
    try:
        beside.mkdir(parents=True)
        yield beside
        if path.exists():
            path.rename(old)
        try:
            beside.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise DgmpError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _beside(path: Path) -> Path:
    """A hidden name beside a path that no other process or thread writes to."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")


def write_text(path: AnyPath, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def cell_text(text: str) -> str:
    """A text for a cell of a CSV file that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def check_place(path: Path) -> None:
    """Refuse, before long work, a place where no file can come to stand."""
    if path.exists() and not path.is_file():  # a device would be moved out of its folder
        what = "a folder" if path.is_dir() else "no ordinary file"
        raise DgmpError(f"{path}: cannot be written: it is {what}")
    for folder in path.absolute().parents:
        if folder.exists():
            if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
                why = "may not be written to" if folder.is_dir() else "is no folder"
                raise DgmpError(f"{path}: cannot be written: {folder} {why}")
            return


def write_json(path: AnyPath, format: Format, values: Mapping[str, Any]) -> None:
    """Write a JSON file of a format, whole or not at all."""
    text = json.dumps(format.stamp(values), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(path, text + "\n")


def read_json(path: AnyPath, format: Format) -> dict[str, Any]:
    """The values of a JSON file of that format, its name and version among them."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DgmpError(f"{path.parent}: is no {format.what} (it has no {path.name})") from error
    except (OSError, ValueError) as error:
        raise DgmpError(f"{path}: is not JSON, or cannot be read") from error
    return format.check(found, path)


def to_plain(record: Any) -> Any:
    """A record (or a mapping, a list …) as it comes back from JSON."""
    json_codec = need("msgspec").json  # which the bare layer does without
    return json_codec.decode(json_codec.encode(record))


def from_plain(values: Any, kind: type[T], where: object) -> T:
    """The record of that type from plain values; a DgmpError names what is missing or too much."""
    codec = need("msgspec")
    try:
        record: T = codec.convert(values, kind)
    except (codec.ValidationError, ValueError) as error:
        raise DgmpError(f"{where}: is no {kind.__name__} of this dgmp: {error}") from error
    if strange := _surplus(values, to_plain(record)):
        raise DgmpError(f"{where}: is no {kind.__name__} of this dgmp: unknown entry {strange!r}")
    return record


def first_difference(ours: Any, theirs: Any, name: str = "") -> str | None:
    """Where two sets of plain values part, as ``recipe.epochs: 10 there, 12 now``."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *(key for key in theirs if key not in ours)]:
            inner = f"{name}.{key}" if name else str(key)
            if found := first_difference(ours.get(key), theirs.get(key), inner):
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        parts = (first_difference(*pair, f"{name}.{place}") for place, pair in pairs)
        return next((part for part in parts if part), None)
    if ours == theirs:
        return None
    first, second = (json.dumps(value, ensure_ascii=False)[:60] for value in (ours, theirs))
    return f"{name}: {first} there, {second} now"


def _surplus(values: Any, known: Any, name: str = "") -> str | None:
    """The first key of the values that the record did not take."""
    if not isinstance(values, dict) or not isinstance(known, dict):
        return None
    for key, value in values.items():
        inner = f"{name}.{key}" if name else str(key)
        if key not in known:
            return inner
        if found := _surplus(value, known[key], inner):
            return found
    return None
