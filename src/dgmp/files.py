"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

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


def read_head(path: Path, what: str, format: str, version: int) -> dict[str, Any]:
    """The JSON object of a file that says its format and version; ``what`` names such a thing."""
    path = Path(path)
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DgmpError(f"{path.parent}: is no {what} (it has no {path.name})") from error
    except (OSError, ValueError) as error:
        raise DgmpError(f"{path}: is not JSON, or cannot be read") from error
    if not isinstance(head, dict) or head.get("format") != format:
        raise DgmpError(f'{path}: has no "format": "{format}", it is no {what}')
    if head.get("version") != version:
        raise DgmpError(
            f"{path}: has format version {head.get('version')}, this dgmp reads {version}"
        )
    return head
