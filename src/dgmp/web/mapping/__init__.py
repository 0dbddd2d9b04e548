"""All pages in two dimensions: laid out, stored, and found again."""

from .map_layout import PageMap, make_map, stored_map

__all__ = ["PageMap", "make_map", "stored_map"]
