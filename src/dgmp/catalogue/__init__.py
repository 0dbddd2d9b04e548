"""Described pages on disk: add, look up, search."""

from .decision_log import (
    add_decisions,
    add_stored_decisions,
    in_force,
    read_decision_file,
    read_decisions,
    taken_back,
    write_decision_file,
)
from .found_files import (
    PageAreas,
    PageBands,
    read_areas,
    read_bands,
    write_areas,
    write_bands,
)
from .hand_store import made_from, read_hands, read_shift, write_stored_hands
from .head import Head, is_catalogue, renamed_spec
from .in_order import pages_in_order, rows_at, short_vectors, vectors_digest
from .lock import locked
from .projection import (
    SAMPLED,
    SHORT,
    Projection,
    fit_projection,
    load_projection,
    save_projection,
)
from .rounding import rounded, unrounded
from .rows import Changes, Entry
from .search import Nearest, sample_rows
from .table import Catalogue

__all__ = [
    "SAMPLED",
    "SHORT",
    "Catalogue",
    "Changes",
    "Entry",
    "Head",
    "Nearest",
    "PageAreas",
    "PageBands",
    "Projection",
    "add_decisions",
    "add_stored_decisions",
    "fit_projection",
    "in_force",
    "is_catalogue",
    "load_projection",
    "locked",
    "made_from",
    "pages_in_order",
    "read_areas",
    "read_bands",
    "read_decision_file",
    "read_decisions",
    "read_hands",
    "read_shift",
    "renamed_spec",
    "rounded",
    "rows_at",
    "sample_rows",
    "save_projection",
    "short_vectors",
    "taken_back",
    "unrounded",
    "vectors_digest",
    "write_areas",
    "write_bands",
    "write_decision_file",
    "write_stored_hands",
]
