"""What is asked of paths and objects alike: which of both a text means, and what has changed."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from .object_path import AnyPath, ObjectPath
from .stores import FIRST_PATIENCE, answering, store_of

SCHEMES = ("s3", "gs", "az")
_ADDRESS = re.compile(rf"(?:{'|'.join(SCHEMES)})://.", re.IGNORECASE)
_VERSIONS = 100  # of a table, the newest first


def is_object_address(text: object) -> bool:
    """Whether a text is the address of an object, as ``s3://bucket/folder``."""
    return isinstance(text, str) and _ADDRESS.match(text) is not None


def as_path(place: str | AnyPath) -> AnyPath:
    """A path, or the object of an address."""
    if isinstance(place, str):
        return ObjectPath.of(place) if is_object_address(place) else Path(place)
    return place


def reachable_path(place: str | AnyPath) -> AnyPath:
    """The same for what a user gives: a StorageError at once where its store cannot be used."""
    path = as_path(place)
    if isinstance(path, ObjectPath):
        _reach(path.scheme, path.bucket, path.key)
    return path


@lru_cache(maxsize=64)
def _reach(scheme: str, bucket: str, key: str) -> None:
    store = store_of(scheme, bucket, FIRST_PATIENCE)
    with answering(f"{scheme}://{bucket}"):
        next(iter(store.list(key or None, chunk_size=1)), None)


def real_name(place: str | AnyPath) -> str:
    """The one name of a file, without links, or of an object.

    Links that lead back to themselves are left as they are, where ``Path.resolve`` fails.
    """
    path = as_path(place)
    return os.path.realpath(path) if isinstance(path, Path) else str(path.resolve())


def relative(path: AnyPath, folder: AnyPath) -> PurePath:
    """The name of a file below a folder of the same kind."""
    below: Any = folder
    return path.relative_to(below)


def stamp(path: AnyPath) -> str:
    """Other than before if the file was written since; empty where there is none."""
    if isinstance(path, ObjectPath):
        return path.stamp()
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def folder_stamp(folder: AnyPath) -> tuple[tuple[str, str], ...]:
    """Other than before if a file or a table in the folder was written since."""
    if isinstance(folder, ObjectPath):
        inside = [path for path in folder.iterdir() if not path.name.startswith(".")]
        tables = [path for path in inside if path.suffix == ".lance" and not path.listed]
        newest = [v for t in tables for v in islice((t / "_versions").walk(), _VERSIONS)]
        files = [path for path in inside if path.listed]
        return tuple(sorted((path.key, path.listed) for path in (*files, *newest)))
    found = [file for file in folder.iterdir() if not file.name.startswith(".")]
    places = [*found, *folder.glob("*/_versions")]
    return tuple(sorted((str(place.relative_to(folder)), stamp(place)) for place in places))
