"""Described pages on disk: add, search, group into hands."""

from .calibration import Calibration
from .files import write_hands
from .fitting import fit_calibration
from .grouping import Hand, group_pages
from .search import Hit
from .sheet import draw_hands, shown_pages
from .table import Catalogue, Changes, Entry, Head, file_stamp, is_catalogue

__all__ = [
    "Calibration",
    "Catalogue",
    "Changes",
    "Entry",
    "Hand",
    "Head",
    "Hit",
    "draw_hands",
    "file_stamp",
    "fit_calibration",
    "group_pages",
    "is_catalogue",
    "shown_pages",
    "write_hands",
]
