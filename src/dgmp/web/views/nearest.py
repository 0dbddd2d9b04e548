"""The hands most like one, which may be the same."""

from __future__ import annotations

from typing import Any

from .. import urls, wording
from ..asking import Ask
from ..store import Store
from .hand import as_seen
from .parts.cards import hand_card, title

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
    if found.nearest is not None and found.nearest not in best:  # only the grouping found it
        own_page, its_page = found.page_ids[0], store.hand(found.nearest).page_ids[0]
        figures = store.figures(own_page, its_page)
        likeness = figures.cosine if figures.probability is None else figures.probability
        best[found.nearest] = (likeness, own_page, its_page)
    apart = _set_apart(store, own)
    order = sorted(best, key=lambda number: (number in apart, -best[number][0]))
    cards = []
    for number in order[:_SHOWN]:
        other = store.hand(number)
        likeness, own_page, its_page = best[number]
        sentence = f"at best {wording.percent(likeness)} for a pair of pages"
        cards.append(
            hand_card(store, other, _ROW)
            | {
                "page": other.page_ids[0],
                "likeness": likeness,
                "apart": number in apart,
                "sentence": f"you said: two hands; {sentence}" if number in apart else sentence,
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


def _set_apart(store: Store, own: set[str]) -> set[int]:
    """The hands with pages that were decided to be by another hand than some of these pages."""
    in_force, numbers = store.in_force(), store.numbers()
    decided = [d for d in store.history() if d.id in in_force and d.verdict == "different"]
    sides = [side for d in decided for side in ((d.first, d.second), (d.second, d.first))]
    return {
        numbers[id] for ours, theirs in sides if own & {*ours} for id in theirs if id in numbers
    }
