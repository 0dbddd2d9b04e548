"""A sheet of the pieces of writing that a hand is known by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import urls
from ..asking import Ask
from ..store import Store
from .parts.cards import title
from .parts.places import cut_box

_HEIGHT = 96  # pixels


def letterforms(store: Store, ask: Ask) -> dict[str, Any]:
    """The most typical and the most distinctive pieces, each with its place."""
    found = store.hand(ask.path["number"])
    sheet = store.letterforms(found)
    return {
        "number": found.number,
        "title": title(found),
        "address": urls.hand(found.number),
        "typical": _pieces(store, sheet.typical),
        "distinctive": _pieces(store, sheet.distinctive),
    }


def _pieces(store: Store, pieces: Sequence[Any]) -> list[dict[str, Any]]:
    shown = []
    for piece in pieces:
        box = cut_box(store.page(piece.page_id), piece.region)
        shown.append(
            {
                "page": piece.page_id,
                "value": round(float(piece.value), 5),
                "cut_out": urls.cut_out(piece.page_id, box, _HEIGHT),
                "address": urls.page(piece.page_id, box),
            }
        )
    return shown
