"""Places that look like a word: one that is typed, or one that is pointed at on a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import DgmpError
from ...records import Page
from ...spotting import WordHit
from .. import urls
from ..asking import Ask, Refused
from ..store import Store
from .parts.cards import hand_link, leaves
from .parts.places import Box, box_of, cut_box, region_of

ON_A_LEAF = 24
LONGEST = 100  # characters of a word
_NAMED = 5  # pages, in a sentence
_HEIGHT = 96  # pixels of a cut-out
_MARGIN = 0.4  # around a word, of its height


def words(store: Store, ask: Ask) -> dict[str, Any]:
    """A form; and places, where ``word``, or ``page`` and its ``region``, say what to look for."""
    word, named, leaf = ask.text("word"), ask.text("page"), ask.number("leaf", 1)
    if word:
        if len(word) > LONGEST:
            raise Refused(f"a word has at most {LONGEST} letters, got {len(word)}")
        query = {"word": word, "page": "", "title": f"“{word}”", "cut_out": None, "address": None}
        return form(store, word) | _found(
            store, query, store.words.typed(word), leaf, lambda n: urls.words(word, n)
        )
    if not named:
        return form(store)
    page, box = store.page(store.meant(named)), box_of(ask.text("region"))
    if box is None:
        raise Refused("region is missing: draw a rectangle around the word on its page")
    left, top, width, height = box
    query = {
        "word": "",
        "page": page.id,
        "title": f"this place on {store.title(page.id)}",
        "cut_out": _cut_out(page, box),
        "address": urls.page(page.id, box),
    }
    hits = store.words.shown(page, (left, top, left + width, top + height))
    return form(store) | _found(
        store, query, hits, leaf, lambda n: urls.words_like(page.id, box, n)
    )


def form(store: Store, word: str = "", message: str = "") -> dict[str, Any]:
    """The form without places; with what is lacking before words can be found."""
    try:
        lacking, can_look = store.words.lacking(), store.words.can_look
        unseen = store.words.unseen()
    except DgmpError as error:  # an index that cannot be read; looking at all anew mends it not
        lacking, can_look, unseen = str(error), False, ()
    return {
        "query": None,
        "word": word,
        "message": "" if message == lacking else message,
        "lacking": lacking,
        "can_look": can_look and not store.read_only,
        "pages": store.size(),
        "unseen": _names(store, unseen),
        "changed": _names(store, ()),
        "hits": [],
        "leaf": leaves(1, ON_A_LEAF, 0, lambda n: urls.words(leaf=n)),
    }


def _found(
    store: Store, query: dict[str, Any], hits: Sequence[WordHit], number: int, address: Any
) -> dict[str, Any]:
    leaf = leaves(number, ON_A_LEAF, len(hits), address)
    first = leaf["first_shown"]
    shown = hits[first - 1 : leaf["last_shown"]] if hits else ()
    pages = store.pages(sorted({hit.page_id for hit in shown}))
    changed = store.words.changed(list(pages.values()))
    return {
        "query": query,
        "leaf": leaf,
        "changed": _names(store, changed),
        "hits": [
            _card(store, hit, pages[hit.page_id])
            | {"rank": rank, "changed": hit.page_id in changed}
            for rank, hit in enumerate(shown, first)
        ],
    }


def _card(store: Store, hit: WordHit, page: Page) -> dict[str, Any]:
    left, top, right, bottom = hit.box
    box = (left, top, right - left, bottom - top)
    return {
        "page": hit.page_id,
        "title": store.title(hit.page_id),
        "hand": hand_link(store, hit.page_id),
        "box": box,
        "likeness": round(hit.likeness, 4),
        "address": urls.page(hit.page_id, box),
        "cut_out": _cut_out(page, box),
        "more": urls.words_like(hit.page_id, box),
    }


def _cut_out(page: Page, box: Box) -> str:
    margin = _MARGIN * box[3] / max(box[2:])  # of the longer side
    return urls.cut_out(page.id, cut_box(page, region_of(box), margin), _HEIGHT)


def _names(store: Store, page_ids: Sequence[str]) -> dict[str, Any]:
    """How many pages, and the first of them."""
    return {
        "number": len(page_ids),
        "named": [store.title(id) for id in page_ids[:_NAMED]],
        "more": max(len(page_ids) - _NAMED, 0),
    }
