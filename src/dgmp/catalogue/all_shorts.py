"""All pages by short vectors: what fits in memory whatever the describer and the catalogue."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from .rows import present
from .table import Catalogue


def short_vectors(catalogue: Catalogue) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """The page ids in order, and a short vector of each (pages, at most 512).

    Products of short vectors come near to those of the long ones; see :mod:`.projection`.
    """
    ids, vectors = catalogue._searcher.short_vectors()
    order = np.argsort(ids)
    return tuple(ids[order]), vectors[order]


def vectors_digest(catalogue: Catalogue) -> str:
    """A word that changes when a page comes, goes, or is described anew."""
    names = present(catalogue._table, "page_id", "step")
    rows = catalogue._columns(*names).sort_by("page_id")
    digest = hashlib.sha256()
    for name in names:
        digest.update("\0".join(map(str, rows[name].to_pylist())).encode())
    return digest.hexdigest()
