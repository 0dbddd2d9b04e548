"""Hands as a table: a row per page in CSV, an object per hand in JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import CatalogueError
from ..files import replacing
from .grouping import Hand

FORMAT, VERSION = "dgmp-hands", 1
COLUMNS = ("page", "hand", "fit", "confidence", "path")


def write_hands(hands: Sequence[Hand], paths: Mapping[str, str], file: Path | str) -> Path:
    """Write the hands; ``paths`` are those of the pages, by id."""
    file = Path(file)
    if file.suffix.lower() not in (".csv", ".json"):
        raise CatalogueError(f"{file}: hands are written as .csv or .json")
    with replacing(file) as beside, beside.open("w", encoding="utf-8", newline="") as stream:
        if file.suffix.lower() == ".json":
            plain = {"format": FORMAT, "version": VERSION, "hands": [h.as_dict() for h in hands]}
            json.dump(plain, stream, ensure_ascii=False, indent=1)
            stream.write("\n")
        else:
            table = csv.writer(stream)
            table.writerow(COLUMNS)
            for hand in hands:
                for id, fit in zip(hand.page_ids, hand.fits, strict=True):
                    row = (id, hand.number, f"{fit:.4f}", f"{hand.confidence:.4f}", paths[id])
                    table.writerow(row)
    return file
