"""The hands most like one, which may be the same."""

from __future__ import annotations

from typing import Any

from .. import urls, wording
from ..asking import Ask
from ..store import Store
from .cards import hand_card, title
from .hand import as_seen

_LOOKED_AT = 3  # pages of the hand, the most typical
_HITS = 40  # of each
_SHOWN = 5
_ROW = 5  # thumbnails


def nearest(store: Store, ask: Ask) -> dict[str, Any]:
    """Other hands by the pages that are most like the typical pages of this one."""
    found = store.hand(ask.path["number"])
    own, numbers = set(found.page_ids), store.numbers()
    best: dict[int, tuple[float, str, str]] = {}
    for page_id in found.page_ids[:_LOOKED_AT]:
        for hit in store.search(page_id, _HITS):
            number = numbers.get(hit.page_id)
            if hit.page_id in own or number is None:
                continue
            likeness = hit.cosine if hit.probability is None else hit.probability
            best[number] = max(best.get(number, (-1.0, "", "")), (likeness, page_id, hit.page_id))
    order = sorted(best, key=lambda number: -best[number][0])
    if found.nearest is not None:
        order = [found.nearest, *(n for n in order if n != found.nearest)]
    cards = []
    for number in order[:_SHOWN]:
        other = store.hand(number)
        found_by = best.get(number)  # None: only the grouping says that it is near
        own_page, its_page = found_by[1:] if found_by else (found.page_ids[0], other.page_ids[0])
        cards.append(
            hand_card(store, other, _ROW)
            | {
                "page": other.page_ids[0],
                "likeness": found_by[0] if found_by else None,
                "sentence": f"at best {wording.percent(found_by[0])} for a pair of pages"
                if found_by
                else "",
                "compare": urls.compare(own_page, its_page),
            }
        )
    return {
        "number": found.number,
        "title": title(found),
        "address": urls.hand(found.number),
        "merge": urls.hand(found.number, "merge"),
        "as_seen": as_seen(found),
        "seen": store.newest(),
        "nearest": cards,
    }
