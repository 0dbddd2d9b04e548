"""One page: its scan, what is known of it, and what it is most like."""

from __future__ import annotations

from typing import Any

from .. import urls
from ..asking import Ask
from ..keys import page_id
from ..store import Store
from .parts.cards import hand_link, page_card
from .parts.places import area_of, box_of

_LIKE = 8


def page(store: Store, ask: Ask) -> dict[str, Any]:
    """The page with the pages most like it; ``box`` marks a place on it."""
    found = store.page(page_id(ask.path["key"]))
    hits = store.search(found.id, _LIKE)
    store.thumbnails([hit.page_id for hit in hits])
    return {
        "page": page_card(store, found.id),
        "size": list(found.size) if found.size else None,
        "script": found.script or "",
        "image": urls.image(found.id),
        "box": box_of(ask.text("box")),
        "area": area_of(found),
        "hand": hand_link(store, found.id),
        "words": store.words.indexed,
        "search": urls.search(page=found.id),
        "like": [
            page_card(store, hit.page_id)
            | {
                "probability": hit.probability,
                "compare": urls.compare(found.id, hit.page_id),
            }
            for hit in hits
        ],
    }
