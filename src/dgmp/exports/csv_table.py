"""Hands as a table in a text file: a row per page."""

from __future__ import annotations

import csv
from pathlib import Path

from .outgoing import Outgoing

COLUMNS = ("page", "hand", "name", "fit", "confidence", "decided", "nearest", "path")


def write_csv(going: Outgoing, file: Path, place: Path) -> None:
    """A row for every page, hand after hand, the page most like the others first."""
    paths = going.paths
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(COLUMNS)
        for hand, id, fit in going.rows():
            sure = f"{fit:.4f}", f"{hand.confidence:.4f}", "yes" if hand.decided else ""
            row = _text(id), hand.number, _text(hand.name), *sure, hand.nearest, _text(paths[id])
            table.writerow(row)


def _text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
