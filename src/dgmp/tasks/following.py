"""Where the hand changes in books that were described by band."""

from __future__ import annotations

from pathlib import Path

from ..catalogue import Catalogue, read_bands
from ..errors import CatalogueError
from ..files import check_place
from ..hands import (
    BookHands,
    Bounds,
    check_sequence_file,
    draw_strip,
    follow_hands,
    write_sequence,
)
from ..plotting import picture_kind
from .grouping import group
from .opening import opened_catalogue


def follow(
    catalogue: Catalogue | Path | str,
    *,
    out: Path | str | None = None,
    sheet: Path | str | None = None,
    prefer: str = "balanced",
) -> BookHands:
    """The hands of all bands of a catalogue in reading order, and where they change.

    A folder is a book. ``out`` is a table with a row per band, .csv or .json; ``sheet`` a picture
    with a strip for each book; ``prefer`` as in :func:`group`.
    """
    if out is not None:
        check_sequence_file(Path(out))
    if sheet is not None:
        picture_kind(Path(sheet))
        check_place(Path(sheet))
    opened = opened_catalogue(catalogue)
    check_part(opened, "band")
    found = follow_hands(group(opened, prefer=prefer), _places(opened))
    if out is not None:
        write_sequence(found, out)
    if sheet is not None:
        draw_strip(found, sheet)
    return found


def check_part(catalogue: Catalogue, by: str) -> None:
    """Refuse a catalogue that was described by other parts of pages."""
    if catalogue.head.by != by:
        raise CatalogueError(
            f"{catalogue.folder}: was described by {catalogue.head.by}, not by {by}; dgmp describe "
            f"FOLDER --by {by} --catalogue DIR, with a DIR of its own, makes one that is"
        )


def _places(catalogue: Catalogue) -> dict[str, Bounds]:
    return {
        f"{page}#band={number}": bounds
        for page, bands in read_bands(catalogue.folder).items()
        for number, bounds in enumerate(bands.bounds)
    }
