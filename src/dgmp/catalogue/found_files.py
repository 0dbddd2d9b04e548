"""What was found on pages by looking at them, kept beside the table of a catalogue.

``areas.json`` has where on its picture the writing of a page is, ``bands.json`` the bands of a page
that was described by band. What is there of a page that has not changed since saves reading its
picture to find it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import CatalogueError, DgmpError
from ..files import Format, from_plain, read_json, to_plain, write_json
from ..records import Polygon
from ..storage import AnyPath

BANDS_FORMAT = Format("dgmp-bands", 1, "list of bands")
BANDS_FILE = "bands.json"
AREAS_FORMAT = Format("dgmp-areas", 1, "list of written areas")
AREAS_FILE = "areas.json"


@dataclass(frozen=True)
class PageBands:
    """The bands of one page."""

    stamp: str  # of the page when it was cut, and of how
    line_distance: float  # pixels of the scan
    bounds: tuple[tuple[float, float, float, float], ...]  # left, top, right, bottom on the scan


@dataclass(frozen=True)
class PageAreas:
    """Where the writing of one picture is."""

    stamp: str  # of the picture when it was looked at, and of how
    turn: int = 0  # quarter turns clockwise that set it upright
    sides: tuple[Polygon, ...] = ()  # a page each, on the turned picture; none: all of it
    reason: str = ""  # why there is none, if there is no writing


def read_bands(folder: AnyPath) -> dict[str, PageBands]:
    """The bands of pages by their id; none where there is no such file yet."""
    return _read(folder / BANDS_FILE, BANDS_FORMAT, dict[str, PageBands])


def write_bands(bands: Mapping[str, PageBands], folder: AnyPath) -> None:
    """Write the bands of all pages."""
    write_json(folder / BANDS_FILE, BANDS_FORMAT, {"pages": to_plain(bands)})


def read_areas(folder: AnyPath) -> dict[str, PageAreas]:
    """The written areas of pages by their id; none where there is no such file yet."""
    return _read(folder / AREAS_FILE, AREAS_FORMAT, dict[str, PageAreas])


def write_areas(areas: Mapping[str, PageAreas], folder: AnyPath) -> None:
    """Write the written areas of all pages."""
    write_json(folder / AREAS_FILE, AREAS_FORMAT, {"pages": to_plain(areas)})


def _read(path: AnyPath, format: Format, kind: Any) -> Any:
    if not path.exists():
        return {}
    try:
        return from_plain(read_json(path, format).get("pages"), kind, path)
    except DgmpError as error:
        raise CatalogueError(str(error)) from error
