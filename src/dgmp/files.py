"""Stored files: whole or not there, each with a versioned head, records as JSON by one codec.

A file is written beside its place and then moved into it. Every JSON file of dgmp begins with
``"format"`` and ``"version"``; a :class:`Format` writes and checks them. Records (dataclasses) are
turned to plain values and back by their type annotations.

Names of files are bytes, and need not be text: ``readable`` writes them so that every program can
read them, ``as_named`` gives the name back.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .errors import DgmpError
from .names import need
from .storage import AnyPath, ObjectPath

T = TypeVar("T")
_UNREADABLE = {"Cc", "Cs", "Zl", "Zp"}  # control characters, bytes that are no text, line ends
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # of the direction
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_LEFTOVER = re.compile(r"\.(.+)\.(\d+)\.[0-9a-f]{8}(\.old)?", re.DOTALL)
_LEFTOVER_SECONDS = 600  # without a write, of a process that is no more
_swept: set[Path] = set()  # folders, each once in a process
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
        _sweep(path.parent)
        beside.touch()
        mode = beside.stat().st_mode  # as the user wants new files to be
        yield beside
        beside.chmod(mode)  # some libraries know better
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
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        beside.mkdir()
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


def _sweep(folder: Path) -> None:
    """Remove what killed processes left in a folder; one of another machine may still write."""
    if folder in _swept:
        return
    _swept.add(folder)
    for found in folder.iterdir():
        if (left := _LEFTOVER.fullmatch(found.name)) is None or _runs(int(left[2])):
            continue
        place = folder / left[1]
        with suppress(OSError):
            if time.time() - found.lstat().st_mtime < _LEFTOVER_SECONDS:
                continue
            if left[3] and not place.exists():  # killed between taking the old folder away …
                found.rename(place)  # … and putting the new one there
            elif found.is_dir():
                shutil.rmtree(found)
            else:
                found.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def readable(name: str) -> str:
    r"""The name of a file as text that can be stored and printed.

    Control characters, and bytes that are no UTF-8, become ``\xNN``, byte by byte, and so does a
    backslash before what looks like that.
    """
    if name.isprintable() and "\\x" not in name:
        return name
    found = [
        "".join(f"\\x{byte:02x}" for byte in os.fsencode(letter))
        if unicodedata.category(letter) in _UNREADABLE
        or letter in _TURNS
        or (letter == "\\" and os.sep == "/" and _ESCAPE.match(name, place))
        else letter
        for place, letter in enumerate(name)
    ]
    return "".join(found)


def as_named(text: str) -> str:
    """The name of a file that ``readable`` made a text of."""
    if os.sep != "/" or _ESCAPE.search(text) is None:
        return text
    parts = _ESCAPE.split(text)  # text and digits in turn
    name = b"".join(
        bytes.fromhex(part) if place % 2 else os.fsencode(part) for place, part in enumerate(parts)
    )
    return os.fsdecode(name)


def write_text(path: AnyPath, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def cell_text(text: str) -> str:
    """A text for a cell of a CSV file that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def check_place(path: Path) -> None:
    """Refuse, before long work, a place where no file can come to stand."""
    if not path.name:  # an empty text, or the root
        raise DgmpError(f"{path}: cannot be written: it is a folder")
    try:
        _beside(path).exists()  # the longest name that is needed there
    except OSError as error:
        raise DgmpError(f"{path}: cannot be written: {error.strerror}") from error
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
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise DgmpError(f"{path}: is no ordinary file")
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DgmpError(f"{path.parent}: is no {format.what} (it has no {path.name})") from error
    except (OSError, ValueError, RecursionError) as error:
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
    except (codec.ValidationError, ValueError, TypeError, RecursionError) as error:
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
