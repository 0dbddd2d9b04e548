"""The pages of a catalogue in the order of their ids, some at a time, whatever its size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError
from .all_shorts import digest_of, digested_rows
from .checksums import COLUMNS
from .rows import halves_of, present, refusals, stored_rows
from .table import Catalogue


def pages_in_order(catalogue: Catalogue) -> tuple[tuple[str, ...], NDArray[np.intp], str]:
    """The ids of all pages in their order, where in the table each lies, and their digest.

    All are of one version of the table; the digest is that of :func:`vectors_digest`.
    """
    rows = digested_rows(catalogue)
    ids = np.array(rows["page_id"].to_pylist(), dtype=object)
    places = np.argsort(ids, kind="stable")
    return tuple(ids[places].tolist()), places, digest_of(rows)


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
