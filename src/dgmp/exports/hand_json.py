"""Hands as JSON: the same keys in files, on the command line and on the web."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files import Format, write_json
from ..records import Hand
from .outgoing import Outgoing

FORMAT = Format("dgmp-hands", 1, "list of hands")


def hand_to_json(hand: Hand, paths: Mapping[str, str]) -> dict[str, Any]:
    """A hand as JSON has it; ``paths`` are those of the pages, by id."""
    return {
        "hand": hand.number,
        "name": hand.name,
        "note": hand.note,
        "confidence": round(hand.confidence, 4),
        "decided": hand.decided,
        "nearest": hand.nearest,
        "pages": [
            {"page": id, "fit": round(fit, 4), "path": paths[id]}
            for id, fit in zip(hand.page_ids, hand.fits, strict=True)
        ],
    }


def write_hand_json(going: Outgoing, file: Path, place: Path) -> None:
    """An object for every hand."""
    paths = going.paths
    write_json(file, FORMAT, {"hands": [hand_to_json(hand, paths) for hand in going.hands]})
