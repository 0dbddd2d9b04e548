"""Hands as a table in a text file: a row per page."""

from __future__ import annotations

import csv
from pathlib import Path

from ..files import cell_text
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
            row = (
                cell_text(id),
                hand.number,
                cell_text(hand.name),
                *sure,
                hand.nearest,
                cell_text(paths[id]),
            )
            table.writerow(row)
