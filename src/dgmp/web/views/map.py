"""All pages in two dimensions: those alike lie together, and hands have colours."""

from __future__ import annotations

from typing import Any

from ...records import Decision
from .. import urls
from ..asking import Ask, Refused
from ..store import Store
from .parts.cards import title


def map(store: Store, ask: Ask) -> dict[str, Any]:
    """Position and hand of every page, the pages in the order of their ids."""
    found, numbers = store.map(), store.numbers()
    return {
        "made": found is not None,
        "current": found is not None and found.current,
        "total": len(found.page_ids) if found else 0,
        "seen": store.newest(),
        "page_ids": list(found.page_ids) if found else [],
        "x": [round(x, 4) for x in found.positions[:, 0].tolist()] if found else [],
        "y": [round(y, 4) for y in found.positions[:, 1].tolist()] if found else [],
        "hands": [numbers.get(id, 0) for id in found.page_ids] if found else [],
        # With KEY for the key of a page: twenty thousand addresses would be long.
        "thumbnails": urls.thumbnail_of("KEY", store.version()),
        "pages": urls.page_of("KEY"),
        "names": {str(hand.number): title(hand) for hand in store.hands() if hand.name},
    }


def select(store: Store, ask: Ask) -> dict[str, Any]:
    """What a person says of the pages in a lasso: one hand, perhaps with a name."""
    pages, name = ask.lines("page"), ask.text("name")
    unknown = [id for id in pages if id not in store.labels()]
    if unknown:
        raise Refused(f"{store.folder.name}: holds no page {unknown[0]!r}")
    if ask.text("action") == "compare":
        if len(pages) < 2:
            raise Refused("choose two pages to compare")
        return {"next": urls.compare(pages[0], pages[1])}
    if not pages or (len(pages) < 2 and not name):
        raise Refused("choose two pages or more, or one page and a name")
    person, note = ask.person, ask.text("note")
    decisions = [Decision("same", pages, person=person, note=note)] if len(pages) > 1 else []
    if name:
        decisions.append(Decision("name", pages, person=person, note=note, name=name))
    stored = store.decide(decisions, ask.seen)
    return {"decision": stored.id, "next": urls.with_done(urls.MAP, stored.id)}
