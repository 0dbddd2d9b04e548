"""Described pages on disk: add, look up, search."""

from .found_files import (
    PageAreas,
    PageBands,
    read_areas,
    read_bands,
    write_areas,
    write_bands,
)
from .head import Head, is_catalogue, renamed_spec
from .rounding import rounded, unrounded
from .search import Nearest, sample_rows
from .table import Catalogue, Changes, Entry

__all__ = [
    "Catalogue",
    "Changes",
    "Entry",
    "Head",
    "Nearest",
    "PageAreas",
    "PageBands",
    "is_catalogue",
    "read_areas",
    "read_bands",
    "renamed_spec",
    "rounded",
    "sample_rows",
    "unrounded",
    "write_areas",
    "write_bands",
]
