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
