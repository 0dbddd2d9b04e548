"""All hands, those that need an eye first."""

from __future__ import annotations

from typing import Any

from ...records import Hand
from .. import urls, wording
from ..asking import Ask
from ..store import Labels, Store
from .parts.cards import hand_card, leaves, title

ON_A_LEAF = 20  # hands
_LISTED = 500  # folders and manuscripts to choose from
LEVELS = {
    "": "any confidence",
    "doubtful": "doubtful (under 60 %)",
    "likely": "likely (60 to 90 %)",
    "sure": "sure (90 % and more)",
    "confirmed": "confirmed by a person",
}
ORDERS = {"": "what needs an eye first", "size": "most pages first", "name": "by name"}


def hands(store: Store, ask: Ask) -> dict[str, Any]:
    """The hands that pass the filters, a leaf of them."""
    grouped = store.grouped()
    chosen = {name: ask.text(name) for name in ("folder", "manuscript", "confidence", "text")}
    order = ask.text("order")
    found = [hand for hand in store.hands() if _passes(store, hand, chosen)]
    found.sort(key={"size": _size, "name": _name}.get(order, attention))
    leaf = leaves(
        ask.number("leaf", 1),
        ON_A_LEAF,
        len(found),
        lambda number: urls.hands(**chosen, order=order, leaf=number),
    )
    shown = found[leaf["first_shown"] - 1 : leaf["last_shown"]] if found else []
    cards = [hand_card(store, hand) for hand in shown]
    store.thumbnails([page["page"] for card in cards for page in card["pages"]])
    doubtful = sum(not h.decided and h.confidence < 0.6 for h in store.hands())
    return {
        "grouped": grouped is not None,
        "current": grouped is not None and grouped.current,
        "when": grouped.time if grouped else "",
        "summary": _summary(store, doubtful),
        "pages": store.size(),
        "total": len(store.hands()),
        "doubtful": doubtful,
        "chosen": chosen | {"order": order},
        "filtered": any(chosen.values()),
        "folders": _choices(store, "folder"),
        "manuscripts": _choices(store, "manuscript"),
        "levels": LEVELS,
        "orders": ORDERS,
        "hands": cards,
        "leaf": leaf,
    }


def attention(hand: Hand) -> tuple[bool, float, int]:
    """The order of the list: pages that are expected to be wrong, decided hands last."""
    return hand.decided, -(1 - hand.confidence) * len(hand.page_ids), hand.number


def _size(hand: Hand) -> tuple[int, int]:
    return -len(hand.page_ids), hand.number


def _name(hand: Hand) -> tuple[bool, str, int]:
    return not hand.name, title(hand).casefold(), hand.number


def _passes(store: Store, hand: Hand, chosen: dict[str, str]) -> bool:
    level = wording.confidence(hand.confidence, decided=hand.decided)
    if chosen["confidence"] and chosen["confidence"] != level:
        return False
    text = chosen["text"].casefold()
    if not (text or chosen["folder"] or chosen["manuscript"]):
        return True
    labels = store.labels()
    known = [(id, labels[id]) for id in hand.page_ids if id in labels]
    if chosen["folder"] and not any(_below(label.folder, chosen["folder"]) for _, label in known):
        return False
    if chosen["manuscript"] and not any(
        label.manuscript == chosen["manuscript"] for _, label in known
    ):
        return False
    return text in title(hand).casefold() + hand.note.casefold() or any(
        text in id.casefold() or text in label.writer.casefold() for id, label in known
    )


def _below(folder: str, above: str) -> bool:
    return folder == above or folder.startswith(f"{above}/")


def _choices(store: Store, what: str) -> list[str]:
    def value(labels: Labels) -> str:
        return labels.folder if what == "folder" else labels.manuscript

    found = {value(labels) for labels in store.labels().values()} - {""}
    return sorted(found)[:_LISTED]


def _summary(store: Store, doubtful: int) -> str:
    hands = store.hands()
    decided = sum(hand.decided for hand in hands)
    parts = [
        wording.counted(len(hands), "hand"),
        f"in {wording.counted(store.size(), 'page')}",
    ]
    return f"{' '.join(parts)}; {doubtful} doubtful, {decided} confirmed"
