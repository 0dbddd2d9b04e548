"""Where the bands of pages lie: bands.json, beside the table of a catalogue described by band.

What is there of a page that has not changed since saves reading its picture to find them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import CatalogueError, DgmpError
from ..files import Format, from_plain, read_json, to_plain, write_json

FORMAT = Format("dgmp-bands", 1, "list of bands")
FILE = "bands.json"


@dataclass(frozen=True)
class PageBands:
    """The bands of one page."""

    stamp: str  # of the page when it was cut, and of how
    line_distance: float  # pixels of the scan
    bounds: tuple[tuple[float, float, float, float], ...]  # left, top, right, bottom on the scan


def read_bands(folder: Path) -> dict[str, PageBands]:
    """The bands of pages by their id; none where there is no such file yet."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        stored = read_json(path, FORMAT)
        return from_plain(stored.get("pages"), dict[str, PageBands], path)
    except DgmpError as error:
        raise CatalogueError(str(error)) from error


def write_bands(bands: Mapping[str, PageBands], folder: Path) -> None:
    """Write the bands of all pages."""
    write_json(folder / FILE, FORMAT, {"pages": to_plain(bands)})
