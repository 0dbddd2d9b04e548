"""Hands along books as a table: a row per band, the changes of hand marked."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from ..errors import CatalogueError
from ..files import Format, cell_text, check_place, replacing, write_json
from .sequence import BandHand, BookHands, HandChange

FORMAT = Format("dgmp-book-hands", 1, "list of bands with their hands")
COLUMNS = (
    "book",
    "page",
    "band",
    "top",
    "bottom",
    "hand",
    "fit",
    "confidence",
    "doubtful",
    "change",
)


def write_sequence(found: BookHands, file: Path | str) -> Path:
    """Write a row for every band as .csv, or bands and changes as .json."""
    file = Path(file)
    check_sequence_file(file)
    rows = [band_to_json(band) for band in found.bands]
    if file.suffix.lower() == ".json":
        changes = [change_to_json(change) for change in found.changes]
        write_json(file, FORMAT, {"bands": rows, "changes": changes})
        return file
    with replacing(file) as beside, beside.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow([_cell(row[name]) for name in COLUMNS])
    return file


def check_sequence_file(file: Path) -> None:
    """Refuse, before long work, a file that hands along books cannot be written to."""
    if file.suffix.lower() not in (".csv", ".json"):
        raise CatalogueError(f"{file}: hands along books are written as .csv or .json")
    check_place(file)


def band_to_json(band: BandHand) -> dict[str, Any]:
    """A band as JSON has it; pixels are those of the scan."""
    _, top, _, bottom = band.bounds or (None, None, None, None)
    return {
        "book": band.book,
        "page": band.page,
        "band": band.band,
        "top": None if top is None else round(top),
        "bottom": None if bottom is None else round(bottom),
        "hand": band.hand,
        "fit": round(band.fit, 4),
        "confidence": round(band.confidence, 4),
        "doubtful": band.doubtful,
        "change": band.change,
    }


def change_to_json(change: HandChange) -> dict[str, Any]:
    """A change of hand as JSON has it."""
    before, after = change.before, change.after
    return {
        "book": after.book,
        "after_page": before.page,
        "after_band": before.band,
        "page": after.page,
        "band": after.band,
        "top": None if after.bounds is None else round(after.bounds[1]),
        "from_hand": before.hand,
        "to_hand": after.hand,
        "sure": round(change.sure, 4),
    }


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, str):
        return cell_text(value)
    return f"{value:.4f}" if isinstance(value, float) else value
