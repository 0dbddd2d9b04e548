"""One hand: its pages, what it is called, and what a person may decide about it."""

from __future__ import annotations

import hashlib
from typing import Any

from ...records import Decision, Hand
from .. import urls
from ..asking import Ask, Refused
from ..store import Store
from .parts.cards import hand_card, leaves, page_card, title

ON_A_LEAF = 60  # pages
_OTHERS = 500  # hands to move pages to


def hand(store: Store, ask: Ask) -> dict[str, Any]:
    """The hand, its pages a leaf at a time."""
    found = store.hand(ask.path["number"])
    order = ask.text("order")
    pages = list(zip(found.page_ids, found.fits, strict=True))
    if order == "doubtful":
        pages.reverse()
    leaf = leaves(
        ask.number("leaf", 1),
        ON_A_LEAF,
        len(pages),
        lambda number: urls.hand(found.number, order=order, leaf=number),
    )
    shown = pages[leaf["first_shown"] - 1 : leaf["last_shown"]]
    store.thumbnails([id for id, _ in shown])
    typical = found.page_ids[0]
    grouped = store.grouped()
    return {
        "hand": hand_card(store, found) | {"pages": []},
        "as_seen": as_seen(found),
        "seen": store.newest(),
        "stay": urls.hand_of(typical),
        "current": grouped is not None and grouped.current,
        "order": order,
        "orders": [
            {"name": "typical first", "address": urls.hand(found.number), "chosen": not order},
            {
                "name": "doubtful first",
                "address": urls.hand(found.number, order="doubtful"),
                "chosen": order == "doubtful",
            },
        ],
        "pages": [
            page_card(store, id, fit)
            | {"compare": urls.compare(typical, id) if id != typical else None}
            for id, fit in shown
        ],
        "leaf": leaf,
        "addresses": {
            name: urls.hand(found.number, name)
            for name in ("name", "confirm", "merge", "pages", "nearest", "letterforms")
        }
        | {"search": urls.search(page=typical)},
        "others": [
            {"page": other.page_ids[0], "title": title(other)}
            for other in store.hands()[:_OTHERS]
            if other.number != found.number
        ],
    }


def name(store: Store, ask: Ask) -> dict[str, Any]:
    """Give a hand a name and a note."""
    found = _as_seen(store, ask)
    decision = Decision(
        "name", found.page_ids, person=ask.person, name=ask.text("name"), note=ask.text("note")
    )
    return _decided(store, ask, (decision,), found.page_ids[0])


def confirm(store: Store, ask: Ask) -> dict[str, Any]:
    """All pages of the hand are by one writer."""
    found = _as_seen(store, ask)
    if len(found.page_ids) < 2:
        raise Refused(f"{title(found)} has one page only: there is nothing to confirm")
    decision = Decision("same", found.page_ids, person=ask.person, note=ask.text("note"))
    return _decided(store, ask, (decision,), found.page_ids[0])


def merge(store: Store, ask: Ask) -> dict[str, Any]:
    """The hand and another one are one, or two."""
    found = _as_seen(store, ask)
    other = _other(store, ask, found)
    verdict = ask.text("verdict", "same")
    if verdict not in ("same", "different"):
        raise Refused(f"verdict must be same or different, got {verdict!r}")
    decision = Decision(
        verdict, found.page_ids, other.page_ids, person=ask.person, note=ask.text("note")
    )
    return _decided(store, ask, (decision,), found.page_ids[0])


def pages(store: Store, ask: Ask) -> dict[str, Any]:
    """Chosen pages of the hand: split off as one other hand, rejected one by one, or moved."""
    found, chosen = _as_seen(store, ask), ask.lines("page")
    if not chosen:
        raise Refused("choose pages first: no page was chosen")
    if missing := [id for id in chosen if id not in set(found.page_ids)]:
        raise Refused(f"{title(found)} has no page {missing[0]!r}")
    rest = tuple(id for id in found.page_ids if id not in set(chosen))
    if not rest:
        raise Refused(f"all pages of {title(found)} are chosen: leave those that stay")
    person, note = ask.person, ask.text("note")
    apart = Decision("different", chosen, rest, person=person, note=note)
    action = ask.needed("action")
    if action == "reject":
        decisions = [Decision("different", (id,), rest, person=person, note=note) for id in chosen]
    elif action == "split":
        together = Decision("same", chosen, person=person, note=note)
        decisions = [together, apart] if len(chosen) > 1 else [apart]
    elif action == "move":
        other = _other(store, ask, found)
        moved = Decision("same", chosen, other.page_ids, person=person, note=note)
        decisions = [apart, moved]
    else:
        raise Refused(f"action must be split, reject or move, got {action!r}")
    return _decided(store, ask, tuple(decisions), rest[0])


def as_seen(hand: Hand) -> str:
    """A digest of its pages, to know it again: numbers change when the pages are grouped anew."""
    return hashlib.sha256("\n".join(sorted(hand.page_ids)).encode()).hexdigest()[:16]


def _as_seen(store: Store, ask: Ask) -> Hand:
    """The hand as it was on the screen."""
    found = store.hand(ask.path["number"])
    if ask.needed("as_seen") != as_seen(found):
        raise Refused(
            f"{title(found)} has other pages than when it was on the screen, since the pages were "
            "grouped anew: look again, then decide"
        )
    return found


def _other(store: Store, ask: Ask, found: Hand) -> Hand:
    """Another hand, by one of its pages."""
    page_id = ask.needed("other")
    number = store.number_of(page_id)
    if number is None:
        raise Refused(f"there is no hand with a page {page_id!r}")
    if number == found.number:
        raise Refused(f"{page_id!r} is in {title(found)} already")
    return store.hand(number)


def _decided(
    store: Store, ask: Ask, decisions: tuple[Decision, ...], page_id: str
) -> dict[str, Any]:
    stored = store.decide(decisions, ask.seen)
    number = store.number_of(page_id)  # it may be another one now
    back = urls.HANDS if number is None else urls.hand(number)
    return {"decision": stored.id, "next": urls.with_done(back, stored.id)}
