"""What was fetched, on disk: whole or not there, bounded in bytes, the longest unused goes first.

The folder is ``DGMP_CACHE``, else ``dgmp`` in the user's cache folder (``XDG_CACHE_HOME`` or
``~/.cache``); ``DGMP_CACHE_GB`` bounds it. Everything in it can be fetched again, so it may be
deleted at any time. Several processes may use it at once: each looks at the whole after every
``_LOOK_EVERY`` bytes it wrote, so that the bound is overrun by at most that much per process.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from ..errors import DgmpError

GIGABYTES = 10.0  # some 7000 pages of 3200 pixels
_LOOK_EVERY = 1 << 26  # bytes
_PAGE = 1_500_000  # bytes of a page of 3200 pixels
_ABANDONED = 86400.0  # seconds: older parts are of processes that were killed
_written: dict[Path, int] = {}  # bytes by this process since it last looked at the whole


@dataclass(frozen=True)
class AnswerCache:
    """Answers by their address."""

    folder: Path
    most_bytes: int

    @classmethod
    def of_user(cls) -> AnswerCache:
        """As the environment says."""
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(os.environ.get("DGMP_CACHE") or Path(base) / "dgmp")
        said = os.environ.get("DGMP_CACHE_GB") or GIGABYTES
        try:
            most = int(float(said) * 1e9)
        except (ValueError, OverflowError) as error:
            raise DgmpError(f"DGMP_CACHE_GB must be a number such as 10, got {said!r}") from error
        return cls(folder, most)

    @property
    def pages(self) -> int:
        """How many pages may be gone through several times and are fetched once; at least one."""
        return max(self.most_bytes // (2 * _PAGE), 1)

    def find(self, address: str, max_age: float | None = None) -> Path | None:
        """The file with that answer, if there is one and it is not older than that, in seconds."""
        path = self._place(address)
        try:
            status = path.stat()
            if max_age is not None and time.time() - status.st_mtime > max_age:
                return None
            os.utime(path, ns=(time.time_ns(), status.st_mtime_ns))  # used now, fetched then
        except OSError:
            return None
        return path

    @contextmanager
    def writing(self, address: str) -> Iterator[IO[bytes]]:
        """A file to write an answer to; at the end it is there, after an exception it is not."""
        path = self._place(address)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False)  # noqa: SIM115
        except OSError as error:
            raise DgmpError(f"{self.folder}: cannot be written: {error.strerror}") from error
        try:
            with part:
                yield part
                part.flush()
                os.fsync(part.fileno())
                size = part.tell()
            Path(part.name).replace(path)
        except OSError as error:  # a full disk; what the network refuses is no OSError here
            raise DgmpError(f"{self.folder}: cannot be written: {error.strerror}") from error
        finally:
            with suppress(OSError):
                Path(part.name).unlink()
        _written[self.folder] = _written.get(self.folder, self.most_bytes) + size
        if _written[self.folder] > min(_LOOK_EVERY, self.most_bytes):
            _written[self.folder] = 0
            self._trim(path)

    def _place(self, address: str) -> Path:
        name = hashlib.sha256(address.encode()).hexdigest()
        return self.folder / "answers" / name[:2] / name

    def _trim(self, newest: Path) -> None:
        """Delete what was not used for longest, down to nine tenths of the bound."""
        found = []
        for path in self.folder.glob("answers/??/*"):
            with suppress(OSError):
                status = path.stat()
                if path.suffix != ".part":
                    found.append((status.st_atime_ns, str(path), status.st_size))
                elif time.time() - status.st_mtime > _ABANDONED:
                    path.unlink()
        total = sum(size for _, _, size in found)
        if total <= self.most_bytes:
            return
        for _, path_name, size in sorted(found):
            if total <= 0.9 * self.most_bytes:
                return
            if path_name != str(newest):
                with suppress(OSError):
                    Path(path_name).unlink()
                total -= size
