"""Small dictionaries that several views show: of a page, of a hand, the turning of leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....records import Hand
from ... import urls, wording
from ...store import Store

DOUBTFUL_FIT = 0.65  # ½: just near enough to be joined
ROW = 8  # thumbnails of a hand in a list


def page_card(store: Store, page_id: str, fit: float | None = None) -> dict[str, Any]:
    """A page as a small picture with what is known of it."""
    labels = store.labels().get(page_id)
    return {
        "page": page_id,
        "title": store.title(page_id),
        "folder": labels.folder if labels else "",
        "manuscript": labels.manuscript if labels else "",
        "writer": labels.writer if labels else "",
        "address": urls.page(page_id),
        "thumbnail": urls.thumbnail(page_id, store.version()),
        "fit": None if fit is None else round(fit, 4),
        "doubtful": fit is not None and fit < DOUBTFUL_FIT,
    }


def hand_card(store: Store, hand: Hand, row: int = ROW) -> dict[str, Any]:
    """A hand as a row of its pages; the first and those that fit least."""
    shown = hand.page_ids if len(hand.page_ids) <= row else _ends(hand.page_ids, row)
    fits = dict(zip(hand.page_ids, hand.fits, strict=True))
    return {
        "number": hand.number,
        "name": hand.name,
        "title": title(hand),
        "note": hand.note,
        "confidence": round(hand.confidence, 4),
        "percent": wording.percent(hand.confidence),
        "word": wording.confidence(hand.confidence, decided=hand.decided),
        "decided": hand.decided,
        "size": len(hand.page_ids),
        "counted": wording.counted(len(hand.page_ids), "page"),
        "more": len(hand.page_ids) - len(shown),
        "doubtful": sum(fit < DOUBTFUL_FIT for fit in hand.fits),
        "address": urls.hand(hand.number),
        "pages": [page_card(store, id, fits[id]) for id in shown],
    }


def hand_link(store: Store, page_id: str) -> dict[str, Any] | None:
    """The hand that a page was grouped to, to be led to."""
    number = store.number_of(page_id)
    if number is None:
        return None
    return {"number": number, "title": title(store.hand(number)), "address": urls.hand(number)}


def title(hand: Hand) -> str:
    """Its name, or its number."""
    return hand.name or f"Hand {hand.number}"


def leaves(number: int, most: int, total: int, address: Callable[[int], str]) -> dict[str, Any]:
    """Turning of leaves: which one is open, and the addresses of its neighbours."""
    last = max(-(-total // most), 1)
    number = min(number, last)
    return {
        "number": number,
        "last": last,
        "total": total,
        "first_shown": (number - 1) * most + 1 if total else 0,
        "last_shown": min(number * most, total),
        "previous": address(number - 1) if number > 1 else None,
        "next": address(number + 1) if number < last else None,
    }


def _ends(page_ids: tuple[str, ...], row: int) -> tuple[str, ...]:
    """The pages most like the others, and the two that are least."""
    return (*page_ids[: row - 2], *page_ids[-2:])
