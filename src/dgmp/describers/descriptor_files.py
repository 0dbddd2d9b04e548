"""Descriptors on disk: one .npz file with ids, vectors, labels and the spec that made them.

Where the cosines of the halves of pages are known, they stand in an array of their own.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DgmpError
from ..files import Format, replacing
from ..records import Descriptors

FORMAT = Format("dgmp-descriptors", 1, "file of descriptors")


def save_descriptors(descriptors: Descriptors, path: Path | str) -> Path:
    """Write the descriptors; the file is whole or not there."""
    head = FORMAT.stamp(
        {
            "page_ids": descriptors.page_ids,
            "labels": descriptors.labels,
            "spec": dict(descriptors.spec),
        }
    )
    text = json.dumps(head, ensure_ascii=False).encode()
    arrays: dict[str, NDArray[Any]] = {
        "head": np.frombuffer(text, np.uint8),
        "vectors": descriptors.vectors,
    }
    if descriptors.halves is not None:
        arrays["halves"] = descriptors.halves
    with replacing(Path(path)) as beside, beside.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    return Path(path)


def load_descriptors(path: Path | str) -> Descriptors:
    """Read what :func:`save_descriptors` wrote."""
    path = Path(path)
    try:
        with np.load(path) as stored:
            head, vectors = json.loads(stored["head"].tobytes()), stored["vectors"]
            halves = stored["halves"] if "halves" in stored.files else None
    except FileNotFoundError as error:
        raise DgmpError(f"{path}: there is no such file") from error
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        zlib.error,
        zipfile.BadZipFile,
    ) as error:
        raise DgmpError(f"{path}: is no file of descriptors, or is cut off") from error
    FORMAT.check(head, path)
    try:
        labels = None if head["labels"] is None else tuple(head["labels"])
        return Descriptors(tuple(head["page_ids"]), vectors, head["spec"], labels, halves)
    except (KeyError, TypeError, ValueError) as error:
        raise DgmpError(f"{path}: is damaged: {error}") from error
