"""One process at a time writes to a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import CatalogueError

LOCK = ".lock"


@contextmanager
def locked(folder: Path, name: str = LOCK, *, wait: bool = False) -> Iterator[None]:
    """Hold a lock in the folder of a catalogue, which dies with its process.

    Where another process holds it, ``wait`` for its end, else refuse.
    """
    try:
        import fcntl
    except ImportError:  # Windows has none; there, two commands at once are up to the user
        yield
        return
    try:
        file = (folder / name).open("w")
    except OSError as error:
        raise CatalogueError(f"{folder}: cannot be written to: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CatalogueError(
                f"{folder}: another process is describing into it; wait for its end"
            ) from error
        except OSError as error:
            raise CatalogueError(f"{folder}: cannot be locked: {error.strerror}") from error
        yield
