"""Hands as a table: a row per page in CSV, an object per hand in JSON."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import CatalogueError
from ..files import Format, check_place, replacing, write_json
from ..records import Hand

FORMAT = Format("dgmp-hands", 1, "list of hands")
COLUMNS = ("page", "hand", "name", "fit", "confidence", "path")


def write_hands(hands: Sequence[Hand], paths: Mapping[str, str], file: Path | str) -> Path:
    """Write the hands; ``paths`` are those of the pages, by id."""
    file = Path(file)
    check_hand_file(file)
    if file.suffix.lower() == ".json":
        write_json(file, FORMAT, {"hands": [hand_to_json(hand) for hand in hands]})
        return file
    with replacing(file) as beside, beside.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(COLUMNS)
        for hand in hands:
            for id, fit in zip(hand.page_ids, hand.fits, strict=True):
                sure = f"{fit:.4f}", f"{hand.confidence:.4f}"
                table.writerow((id, hand.number, hand.name, *sure, paths[id]))
    return file


def check_hand_file(file: Path) -> None:
    """Refuse, before long work, a file that hands cannot be written to."""
    if file.suffix.lower() not in (".csv", ".json"):
        raise CatalogueError(f"{file}: hands are written as .csv or .json")
    check_place(file)


def hand_to_json(hand: Hand) -> dict[str, Any]:
    """A hand as JSON has it."""
    return {
        "hand": hand.number,
        "name": hand.name,
        "note": hand.note,
        "confidence": round(hand.confidence, 4),
        "decided": hand.decided,
        "nearest": hand.nearest,
        "pages": [
            {"page": id, "fit": round(fit, 4)}
            for id, fit in zip(hand.page_ids, hand.fits, strict=True)
        ],
    }
