"""Hands as pictures: a contact sheet with a row of small pages for each hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..pixels import draw_rows
from ..records import Hand

COLUMNS = 6
ROWS = 60


def shown_pages(hands: Sequence[Hand], *, rows: int = ROWS) -> list[str]:
    """The ids of the pages that a sheet has room for, those most like the others of their hand."""
    return [id for hand in hands[:rows] for id in hand.page_ids[:COLUMNS]]


def draw_hands(
    hands: Sequence[Hand], thumbnails: Mapping[str, bytes], path: Path | str, *, rows: int = ROWS
) -> Path:
    """Save a picture of the hands, PNG or JPEG; a last line counts those that did not fit."""
    shown = [
        (_title(hand), [(id, thumbnails.get(id)) for id in hand.page_ids[:COLUMNS]])
        for hand in hands[:rows]
    ]
    left_out = len(hands) - len(shown)
    return draw_rows(shown, Path(path), f"and {left_out} more hands" if left_out else "")


def _title(hand: Hand) -> str:
    pages = "1 page" if len(hand.page_ids) == 1 else f"{len(hand.page_ids)} pages"
    name = f", {hand.name}" if hand.name else ""
    return f"hand {hand.number}{name}: {pages}, confidence {hand.confidence:.0%}"
