"""The pages of a catalogue in the order of their ids, some at a time, whatever its size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rows import halves_of, present, refusals, stored_rows
from .table import Catalogue


def pages_in_order(catalogue: Catalogue) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The ids of all pages in their order, and where in the table each lies."""
    ids = np.array(catalogue._columns("page_id")["page_id"].to_pylist(), dtype=object)
    places = np.argsort(ids, kind="stable")
    return tuple(ids[places].tolist()), places


def rows_at(
    catalogue: Catalogue, places: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[np.float32]]:  # (places, dim), (places,)
    """The vectors as they are stored, and the halves, of the pages that lie at these places."""
    table = catalogue._table
    near = np.argsort(places, kind="stable")  # the table gives them in its own order
    with refusals(catalogue.folder):
        taken = table.take_offsets(places[near].tolist())
        rows = taken.select(present(table, "vector", "halves")).to_arrow()
    back = np.argsort(near, kind="stable")
    return stored_rows(rows)[back], halves_of(rows)[back]
