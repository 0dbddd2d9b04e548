"""A picture in a file of its own, on this machine or in object storage."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from ..files import as_named, readable
from ..storage import AnyPath, as_path, real_name, stamp


@dataclass(frozen=True)
class FileSource:
    """A file; its stamp, size and time of its last change or tag, is by what changes are seen."""

    path: AnyPath

    @classmethod
    def at(cls, address: str) -> FileSource:
        """The file of that path."""
        return cls(as_path(as_named(address)))

    @classmethod
    def found_in(cls, address: str | AnyPath) -> tuple[FileSource, ...]:
        """The one picture file there is."""
        return (cls(as_path(address)),)

    @property
    def address(self) -> str:
        """Its absolute path as a text that can be stored, or its address."""
        return readable(real_name(self.path))

    @property
    def part(self) -> str:
        """Nothing: all of the file."""
        return ""

    @property
    def size(self) -> tuple[int, int] | None:
        """Not known before the header is read."""
        return None

    def open(self) -> BinaryIO:
        """The file, open for reading."""
        return self.path.open("rb")

    def stamp(self) -> str:
        """Size in bytes and time in nanoseconds, or tag; empty for a file that is not there."""
        return stamp(self.path)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the file, kept until it changes, so that each file is read once.

        Another file of the same size and time is not taken for it.
        """
        known = self.stamp()
        if isinstance(self.path, Path):
            status = self.path.stat()
            known = f"{known} {status.st_ino} {status.st_ctime_ns}"
        return _hash(self.path, known)


@lru_cache(maxsize=65536)
def _hash(path: AnyPath, stamp: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
