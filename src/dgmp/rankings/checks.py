"""The arrays and labels that this room works on, and what it checks of its arguments."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Labels = Sequence[Hashable] | NDArray[Any]
Places = NDArray[np.intp]  # in a list of pages, or ranks


def checked_ids(ids: Labels | None, count: int, name: str = "ids") -> tuple[str, ...]:
    """The ids as text; without any, the places themselves, so written that they sort as numbers."""
    if ids is None:
        return tuple(f"{place:09d}" for place in range(count))
    if len(ids) != count:
        raise ValueError(f"{count} vectors, but {len(ids)} {name}")
    texts = tuple(str(entry) for entry in ids)
    if len(set(texts)) != count:
        seen: set[str] = set()
        twice = next(text for text in texts if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise ValueError(f"{name} must differ from each other, {twice!r} comes twice")
    return texts


def checked_labels(
    labels: Labels | Mapping[str, Hashable], ids: Sequence[str], name: str = "labels"
) -> tuple[str, ...]:
    """One label per id, as text. A mapping is looked up by id."""
    if isinstance(labels, Mapping):
        missing = [page for page in ids if page not in labels]
        if missing:
            raise ValueError(f"{name} has no entry for {missing[0]!r} ({len(missing)} are missing)")
        labels = [labels[page] for page in ids]
    if len(labels) != len(ids):
        raise ValueError(f"{len(ids)} pages, but {len(labels)} {name}")
    for page, label in zip(ids, labels, strict=True):
        if label is None or label != label:  # NaN, as tables read from CSV have it
            raise ValueError(f"{name} must name every page, that of {page!r} is {label}")
    return tuple(str(label) for label in labels)


def checked_vectors(vectors: ArrayLike, name: str = "vectors") -> NDArray[Any]:
    """A matrix of real numbers with at least one row and one column."""
    matrix = np.asarray(vectors)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be (pages, dim), got shape {matrix.shape}")
    if not matrix.size:
        raise ValueError(f"{name} must not be empty, got shape {matrix.shape}")
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, got {matrix.dtype}")
    return matrix


def checked_ks(ks: Sequence[int]) -> tuple[int, ...]:
    """Ranks to report, each once, rising."""
    if not len(ks) or any(k != int(k) or k < 1 for k in ks):
        raise ValueError(f"ks must be ranks from 1 up, got {tuple(ks)}")
    return tuple(sorted({int(k) for k in ks}))


def by_id(ids: Sequence[str]) -> Places:
    """The places of the ids in alphabetical order."""
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.intp)
