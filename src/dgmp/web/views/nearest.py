"""The hands most like one, which may be the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...records import Hand
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
    best = _best_pairs(store, found)
    apart = _set_apart(store, set(found.page_ids))
    order = sorted(best, key=lambda number: (number in apart, -_rising(best[number])[0]))
    cards = []
    for number in order[:_SHOWN]:
        other, pair = store.hand(number), best[number]
        sentence = _sentence(pair)
        cards.append(
            hand_card(store, other, _ROW)
            | {
                "page": other.page_ids[0],
                "cosine": round(pair.cosine, 5),
                "likeness": pair.likeness,
                "probability": pair.probability,
                "apart": number in apart,
                "sentence": f"you said: two hands; {sentence}" if number in apart else sentence,
                "compare": urls.compare(pair.own, pair.other),
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


@dataclass(frozen=True)
class _Pair:
    """A page of the hand and one of another hand."""

    own: str
    other: str
    cosine: float
    likeness: float | None
    probability: float | None


def _best_pairs(store: Store, hand: Hand) -> dict[int, _Pair]:
    """Of each other hand that is near, by its number, the most alike pair of pages."""
    own, numbers = set(hand.page_ids), store.numbers()
    best: dict[int, _Pair] = {}
    for page_id in hand.page_ids[:_LOOKED_AT]:
        for hit in store.search(page_id, _HITS):
            number = numbers.get(hit.page_id)
            if hit.page_id in own or number is None:
                continue
            pair = _Pair(page_id, hit.page_id, hit.cosine, hit.likeness, hit.probability)
            best[number] = max(best.get(number, pair), pair, key=_rising)
    if hand.nearest is not None and hand.nearest not in best:  # only the grouping found it
        own_page, its_page = hand.page_ids[0], store.hand(hand.nearest).page_ids[0]
        figures = store.figures(own_page, its_page)
        best[hand.nearest] = _Pair(
            own_page, its_page, figures.cosine, figures.likeness, figures.probability
        )
    return best


def _rising(pair: _Pair) -> tuple[float, str, str]:
    """By likeness; where the describer is not calibrated no pair has one, and by cosine."""
    return pair.cosine if pair.likeness is None else pair.likeness, pair.own, pair.other


def _sentence(pair: _Pair) -> str:
    said = [wording.alike(pair.cosine, pair.likeness)]
    if pair.probability is not None:
        said.append(f"{wording.percent(pair.probability)} one hand")
    elif pair.likeness is not None:
        said.append("too little writing to say")
    return f"most alike pair of pages: {', '.join(said)}"


def _set_apart(store: Store, own: set[str]) -> set[int]:
    """The hands with pages that were decided to be by another hand than some of these pages."""
    in_force, numbers = store.in_force(), store.numbers()
    decided = [d for d in store.history() if d.id in in_force and d.verdict == "different"]
    sides = [side for d in decided for side in ((d.first, d.second), (d.second, d.first))]
    return {
        numbers[id] for ours, theirs in sides if own & {*ours} for id in theirs if id in numbers
    }
