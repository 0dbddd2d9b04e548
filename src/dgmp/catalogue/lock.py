"""One process at a time writes to a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import CatalogueError

LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a catalogue, which dies with its process."""
    try:
        import fcntl
    except ImportError:  # Windows has none; there, two commands at once are up to the user
        yield
        return
    try:
        file = (folder / LOCK).open("w")
    except OSError as error:
        raise CatalogueError(f"{folder}: cannot be written to: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CatalogueError(
                f"{folder}: another process is describing into it; wait for its end"
            ) from error
        except OSError as error:
            raise CatalogueError(f"{folder}: cannot be locked: {error.strerror}") from error
        yield
