"""Described pages on disk: add, look up, search."""

from .band_files import PageBands, read_bands, write_bands
from .head import Head, is_catalogue, renamed_spec
from .rounding import rounded, unrounded
from .search import Nearest, sample_rows
from .short_vectors import short_vectors, vectors_digest
from .table import Catalogue, Changes, Entry

__all__ = [
    "Catalogue",
    "Changes",
    "Entry",
    "Head",
    "Nearest",
    "PageBands",
    "is_catalogue",
    "read_bands",
    "renamed_spec",
    "rounded",
    "sample_rows",
    "short_vectors",
    "unrounded",
    "vectors_digest",
    "write_bands",
]
