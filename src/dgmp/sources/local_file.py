"""A picture in a file of its own on this machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from ..files import as_named, readable


@dataclass(frozen=True)
class FileSource:
    """A file; its stamp is its size and the time of its last change, by which changes are seen."""

    path: Path

    @classmethod
    def at(cls, address: str) -> FileSource:
        """The file of that path."""
        return cls(Path(as_named(address)))

    @classmethod
    def found_in(cls, address: str) -> tuple[FileSource, ...]:
        """The one picture file there is."""
        return (cls(Path(address)),)

    @property
    def address(self) -> str:
        """Its absolute path, as a text that can be stored."""
        return readable(str(self.path.resolve()))

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
        """Size in bytes and time in nanoseconds; empty for a file that is not there."""
        try:
            status = self.path.stat()
        except OSError:
            return ""
        return f"{status.st_size} {status.st_mtime_ns}"

    @property
    def content_hash(self) -> str:
        """SHA-256 of the file, kept until it changes, so that each file is read once.

        Another file of the same size and time is not taken for it.
        """
        status = self.path.stat()
        return _hash(self.path, f"{self.stamp()} {status.st_ino} {status.st_ctime_ns}")


@lru_cache(maxsize=65536)
def _hash(path: Path, stamp: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
