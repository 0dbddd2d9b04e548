"""What was fitted, on disk: describer.json with all settings, arrays.npz with all numbers.

A fitted object is a tree of frozen dataclasses with arrays at some leaves. The tree is written as
JSON, each dataclass with its name, each array as a reference into the one .npz file. The JSON also
holds a SHA-256 of the arrays, so that the two files cannot be mixed up.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DgmpError
from ..files import Format, read_json, replacing, write_json

FORMAT = Format("dgmp-describer", 3, "describer", older=(2,))
HEAD, ARRAYS = "describer.json", "arrays.npz"

Arrays = dict[str, NDArray[Any]]


def config_of(fitted: Any) -> dict[str, Any]:
    """All settings of a fitted object as JSON has them; of arrays only their names."""
    return _plain(fitted, "", {})


def fingerprint(fitted: Any) -> str:
    """SHA-256 of all arrays with their names, shapes and types."""
    arrays: Arrays = {}
    _plain(fitted, "", arrays)
    return _digest(arrays)


def save_fitted(fitted: Any, folder: Path | str, kind: str) -> Path:
    """Write a fitted object into a folder; each of its two files is whole or not there."""
    folder = Path(folder)
    arrays: Arrays = {}
    config = _plain(fitted, "", arrays)
    with replacing(folder / ARRAYS) as beside, beside.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    head = {"kind": kind, "arrays": _digest(arrays), "config": config}
    write_json(folder / HEAD, FORMAT, head)
    return folder


def load_fitted(folder: Path | str, classes: Mapping[str, type]) -> Any:
    """Read what :func:`save_fitted` wrote; ``classes`` are the dataclasses it may hold."""
    folder = Path(folder)
    head = read_head(folder)
    path = folder / ARRAYS
    try:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except FileNotFoundError as error:
        raise DgmpError(f"{path}: there is no such file") from error
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise DgmpError(f"{path}: holds no arrays, or is cut off") from error
    if _digest(arrays) != head.get("arrays"):
        raise DgmpError(f"{path}: does not belong to the {HEAD} beside it")
    try:
        return _built(head["config"], arrays, classes)
    except (KeyError, TypeError, ValueError) as error:
        raise DgmpError(f"{folder / HEAD}: does not describe what was fitted: {error}") from error


def read_head(folder: Path | str) -> dict[str, Any]:
    """The JSON of a fitted object, its format and version checked."""
    return read_json(Path(folder) / HEAD, FORMAT)


def _plain(value: Any, name: str, arrays: Arrays) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        entries = {
            entry.name: _plain(getattr(value, entry.name), f"{name}.{entry.name}", arrays)
            for entry in fields(value)
        }
        return {"class": type(value).__name__, **entries}
    if isinstance(value, np.ndarray):
        arrays[name[1:]] = value
        return {"array": name[1:]}
    if isinstance(value, (tuple, list)):
        return [_plain(entry, f"{name}.{n}", arrays) for n, entry in enumerate(value)]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{name[1:]}: {type(value).__name__} cannot be saved")


def _built(value: Any, arrays: Arrays, classes: Mapping[str, type]) -> Any:
    if isinstance(value, list):
        return tuple(_built(entry, arrays, classes) for entry in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    entries = {key: _built(entry, arrays, classes) for key, entry in value.items()}
    return classes[entries.pop("class")](**entries)


def _digest(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for line in _lines(arrays):
        digest.update(line)
    return digest.hexdigest()


def _lines(arrays: Arrays) -> Iterator[bytes]:
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        yield f"{name} {array.shape} {array.dtype.str}\n".encode()
        yield array.tobytes()
