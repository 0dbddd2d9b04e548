"""One process at a time writes to a catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import CatalogueError
from ..storage import AnyPath, ObjectPath, leased

LOCK = ".lock"


@contextmanager
def locked(folder: AnyPath, name: str = LOCK, *, wait: bool = False) -> Iterator[None]:
    """Hold a lock in the folder of a catalogue, which dies with its process.

    Where another process holds it, ``wait`` for its end, else refuse. In object storage a process
    that was killed holds it for some seconds more, and nobody waits for one that lives.
    """
    busy = f"{folder}: another process is describing into it; wait for its end"
    if isinstance(folder, ObjectPath):
        try:
            with leased(folder / name):
                yield
        except BlockingIOError as error:
            raise CatalogueError(busy) from error
        return
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
            raise CatalogueError(busy) from error
        except OSError as error:
            raise CatalogueError(f"{folder}: cannot be locked: {error.strerror}") from error
        yield
