"""Described pages on disk: add, look up, search."""

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
    "is_catalogue",
    "renamed_spec",
    "rounded",
    "sample_rows",
    "unrounded",
]
