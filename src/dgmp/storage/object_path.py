"""An object of a store as if it were a path: ``s3://bucket/folder/scan.jpg``.

It has those methods of :class:`pathlib.Path` that are needed here, so that code on paths works on
objects. A folder is what names begin with; there is none without an object in it. An object that
was listed knows its tag (ETag): it is read only as it was then, and asks for nothing to say so.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any, cast

from ..errors import StorageError, Unreachable
from ..names import need
from .stores import PATIENCE, answering, store_of

CHANGED = "changed while it was read; describe it again"  # why a picture cannot be had now
HEAD = 65_536  # bytes that are read first: most headers of pictures are in them

Tag = Mapping[str, str | None]  # by what a store knows this version of an object


@dataclass(frozen=True, order=True)
class ObjectPath:
    """An object, or a folder of objects."""

    scheme: str
    bucket: str
    key: str  # without slashes around it; empty: the whole bucket
    listed: str = field(default="", compare=False)  # its stamp as it was listed
    patience: float = field(default=PATIENCE, compare=False)  # seconds, with a store that is gone

    @classmethod
    def of(cls, address: str) -> ObjectPath:
        """That of an address."""
        scheme, _, rest = address.partition("://")
        bucket, _, key = rest.partition("/")
        return cls(scheme.lower(), bucket, key.strip("/"))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}" + (f"/{self.key}" if self.key else "")

    def __truediv__(self, name: str) -> ObjectPath:
        return self._at(f"{self.key}/{name}".strip("/"))

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self.key.rpartition("/")[2] or self.bucket

    @property
    def stem(self) -> str:
        """The same without its ending."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """Its ending, as ``.jpg``."""
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> ObjectPath:
        """The folder it is in."""
        return self._at(self.key.rpartition("/")[0])

    def relative_to(self, other: ObjectPath) -> PurePosixPath:
        """Its name below a folder."""
        if not self.is_relative_to(other):
            raise ValueError(f"{self} is not below {other}")
        return PurePosixPath(self.key).relative_to(other.key)

    def is_relative_to(self, other: ObjectPath) -> bool:
        """Whether it lies below a folder."""
        inside = PurePosixPath(self.key).is_relative_to(other.key)
        return (self.scheme, self.bucket) == (other.scheme, other.bucket) and inside

    def resolve(self) -> ObjectPath:
        """The same without ``..``."""
        plain = normpath(f"/{self.key}").strip("/")
        return self if plain == self.key else self._at(plain)

    def absolute(self) -> ObjectPath:
        """The same."""
        return self

    def mkdir(self, parents: bool = True, exist_ok: bool = True) -> None:
        """Folders need not be made."""

    def exists(self) -> bool:
        """Whether there is an object of this name, or one below it."""
        return self.is_file() or self.is_dir()

    def is_file(self) -> bool:
        """Whether there is an object of this name."""
        return bool(self.stamp())

    def is_dir(self) -> bool:
        """Whether there is an object below this name."""
        with answering(self):
            return any(len(part) for part in self._store.list(self.key or None, chunk_size=1))

    def iterdir(self) -> Iterator[ObjectPath]:
        """What is in a folder."""
        with answering(self):
            found = self._store.list_with_delimiter(self.key or None)
        yield from (self._at(name) for name in found["common_prefixes"])
        yield from self._seen(found["objects"])

    def walk(self) -> Iterator[ObjectPath]:
        """All objects below it."""
        with answering(self):
            for part in self._store.list(self.key or None):
                yield from self._seen(part)

    def stamp(self) -> str:
        """Tag and size; empty where there is no such object."""
        if self.listed:
            return self.listed
        if not self.key:
            return ""
        try:
            with answering(self):
                return _stamp(self._store.head(self.key))
        except FileNotFoundError:
            return ""

    def open(self, mode: str = "rb") -> io.BufferedReader:
        """The object to read from its beginning; what lies behind its head is had when needed."""
        if mode != "rb":
            raise ValueError(f"mode must be 'rb', got {mode!r}: an object is written whole")
        return io.BufferedReader(_Reader(self), HEAD)

    def read_bytes(self) -> bytes:
        """The whole object."""
        return self._get()[0]

    def read_text(self, encoding: str = "utf-8") -> str:
        """The same as a text."""
        return self.read_bytes().decode(encoding)

    def read_tagged(self) -> tuple[bytes, Tag | None]:
        """The whole object with its tag; nothing and None where there is none."""
        try:
            data, meta = self._get()
        except FileNotFoundError:
            return b"", None
        return data, {"e_tag": meta["e_tag"], "version": meta["version"]}

    def write_bytes(self, data: bytes) -> None:
        """Put an object in the place of another, in one step."""
        with answering(self):
            self._store.put(self.key, data)

    def write_if(self, data: bytes, tag: Tag | None) -> Tag | None:
        """The same only if the other is still as tagged, None: if there is none.

        Gives the new tag, or None where another writer came before, or deleted it.
        """
        errors = need("obstore.exceptions")
        try:
            with answering(self):
                mode = "create" if tag is None else {k: v for k, v in tag.items() if v}
                return cast(Tag, dict(self._store.put(self.key, data, mode=mode)))
        except (errors.AlreadyExistsError, errors.PreconditionError):
            return None
        except FileNotFoundError:
            if tag is None:
                raise
            return None

    @property
    def _store(self) -> Any:
        return store_of(self.scheme, self.bucket, self.patience)

    def _at(self, key: str) -> ObjectPath:
        return ObjectPath(self.scheme, self.bucket, key)

    def _seen(self, metas: Iterable[Mapping[str, Any]]) -> Iterator[ObjectPath]:
        """What was listed, without the empty object ``folder/`` that stands for the folder."""
        for meta in metas:
            if meta["path"] != self.key:
                yield replace(self._at(meta["path"]), listed=_stamp(meta))

    def _get(self, end: int | None = None) -> tuple[bytes, Mapping[str, Any]]:
        """The object, or its beginning, and what the store knows of it."""
        options: dict[str, Any] = {}
        if self.listed:
            options["if_match"] = self.listed.rpartition(" ")[0]
        if end is not None:
            options["range"] = (0, end)
        try:
            with answering(self):
                found = self._store.get(self.key, options=options)
                return bytes(found.bytes()), found.meta
        except need("obstore.exceptions").PreconditionError as error:
            raise Unreachable(self, CHANGED) from error


AnyPath = Path | ObjectPath


class _Reader(io.RawIOBase):
    """The bytes of an object: its head at once, all of it as soon as more is asked for."""

    def __init__(self, path: ObjectPath) -> None:
        self._path, self._place = path, 0
        kept = _kept(path)
        self._data, self._size = (kept, len(kept)) if kept else _head(path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(start + offset, 0)
        return self._place

    def readinto(self, buffer: Any) -> int:
        if len(self._data) <= self._place < self._size:
            self._data = _whole(self._path)
        part = self._data[self._place : self._place + len(buffer)]
        buffer[: len(part)] = part
        self._place += len(part)
        return len(part)


def _head(path: ObjectPath) -> tuple[bytes, int]:
    """The beginning of an object, and its size; stores refuse to give a range of an empty one."""
    if path.listed.endswith(" 0"):
        return b"", 0
    try:
        data, meta = path._get(HEAD)
    except StorageError as error:
        if "range" in str(error.__cause__).lower() and path.stamp().endswith(" 0"):
            return b"", 0
        raise
    return data, int(meta["size"])


# The object that was last read whole: a page is decoded, and hashed right after that.
_last: tuple[ObjectPath, str, bytes] | None = None


def _whole(path: ObjectPath) -> bytes:
    global _last
    data = path.read_bytes()
    _last = path, path.listed, data
    return data


def _kept(path: ObjectPath) -> bytes:
    found = _last
    same = found is not None and path.listed and found[:2] == (path, path.listed)
    return found[2] if found is not None and same else b""


def _stamp(meta: Mapping[str, Any]) -> str:
    return f"{meta['e_tag'] or meta['last_modified']} {meta['size']}"
