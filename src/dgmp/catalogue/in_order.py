"""All pages of a catalogue in the order of their ids: by short vectors, or some at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError
from .checksums import CHECK, COLUMNS
from .rows import halves_of, present, refusals, stored_rows
from .table import Catalogue


def short_vectors(catalogue: Catalogue) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """The page ids in order, and a short vector of each (pages, at most 512).

    Products of short vectors come near to those of the long ones; see :mod:`.projection`. They fit
    in memory whatever the describer and the catalogue.
    """
    ids, vectors = catalogue._searcher.short_vectors()
    order = np.argsort(ids)
    return tuple(ids[order]), vectors[order]


def vectors_digest(catalogue: Catalogue) -> str:
    """A word that changes when a page comes, goes, or is described anew."""
    return _digest(_digested_rows(catalogue))


def pages_in_order(catalogue: Catalogue) -> tuple[tuple[str, ...], NDArray[np.intp], str]:
    """The ids of all pages in their order, where in the table each lies, and their digest.

    All are of one version of the table; the digest is that of :func:`vectors_digest`.
    """
    rows = _digested_rows(catalogue)
    ids = np.array(rows["page_id"].to_pylist(), dtype=object)
    places = np.argsort(ids, kind="stable")
    return tuple(ids[places].tolist()), places, _digest(rows)


def rows_at(
    catalogue: Catalogue, page_ids: Sequence[str], places: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[np.float32]]:  # (places, dim), (places,)
    """The vectors as they are stored, and the halves, of pages that lie at these places.

    A :class:`CatalogueError` says when other pages lie there by now, or one is damaged.
    """
    table = catalogue._table
    near = np.argsort(places, kind="stable")  # the table gives them in its own order
    back = np.argsort(near, kind="stable")
    with refusals(catalogue.folder):
        taken = table.take_offsets(places[near].tolist())
        rows = taken.select(present(table, *COLUMNS)).to_arrow()
        if rows["page_id"].to_pylist() != [page_ids[place] for place in near]:
            raise CatalogueError("was written to meanwhile; run it again")
        return stored_rows(rows)[back], halves_of(rows)[back]


def _digested_rows(catalogue: Catalogue) -> Any:
    """All rows as they lie in the table, with what a digest is made of."""
    return catalogue._columns(*catalogue._present("page_id", "step", CHECK))


def _digest(rows: Any) -> str:
    rows = rows.sort_by("page_id")
    digest = hashlib.sha256()
    for name in rows.schema.names:
        digest.update("\0".join(map(str, rows[name].to_pylist())).encode())
    return digest.hexdigest()
