"""All pages by short vectors: what fits in memory whatever the describer and the catalogue."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checksums import CHECK
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
    return digest_of(digested_rows(catalogue))


def digested_rows(catalogue: Catalogue) -> Any:
    """All rows as they lie in the table, with what a digest is made of."""
    return catalogue._columns(*catalogue._present("page_id", "step", CHECK))


def digest_of(rows: Any) -> str:
    """See :func:`vectors_digest`."""
    rows = rows.sort_by("page_id")
    digest = hashlib.sha256()
    for name in rows.schema.names:
        digest.update("\0".join(map(str, rows[name].to_pylist())).encode())
    return digest.hexdigest()
