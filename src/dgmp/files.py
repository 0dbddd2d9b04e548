"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import DgmpError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; at the end it takes the place of ``path`` in one step.

    Whatever happens before that, a kill or a full disk, leaves ``path`` as it was. What the system
    refuses is told as a :class:`DgmpError` that names the file.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
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
