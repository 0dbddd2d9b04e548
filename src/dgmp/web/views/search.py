"""Pages most like a page of the catalogue, or a picture from elsewhere, or a region of it."""

from __future__ import annotations

from typing import Any

from ...records import Hit
from .. import urls, wording
from ..asking import Ask, Refused
from ..store import Store
from .parts.cards import hand_link, page_card
from .parts.places import box_of, restricted

_HITS = 20
_SUGGESTED = 200  # page names for the field


def search(store: Store, ask: Ask) -> dict[str, Any]:
    """A form, and the ranking where ``page`` or ``upload`` says what to look for."""
    named, upload, box = ask.text("page"), ask.text("upload"), box_of(ask.text("region"))
    found = form(store) | {"region": list(box) if box else None}
    if not named and not upload:
        return found
    page = store.uploads.page(upload) if upload else store.page(store.meant(named))
    hits = (
        store.search(restricted(page, box), _HITS)
        if box or upload
        else store.search(page.id, _HITS)
    )
    store.thumbnails([hit.page_id for hit in hits])
    return found | {
        "query": {
            "page": "" if upload else page.id,
            "upload": upload,
            "title": "the uploaded picture" if upload else page.id,
            "size": list(page.size) if page.size else None,
            "picture": urls.upload(upload)
            if upload
            else f"{urls.image(page.id)}/full/!1000,1400/0/default.jpg",
            "whole": urls.search(page=None if upload else page.id, upload=upload),
        },
        "hits": [
            page_card(store, hit.page_id)
            | {
                "rank": rank,
                "cosine": round(hit.cosine, 5),
                "likeness": hit.likeness,
                "alike": wording.alike(hit.cosine, hit.likeness),
                "probability": hit.probability,
                "percent": "" if hit.probability is None else wording.percent(hit.probability),
                "sentence": _sentence(hit),
                "hand": hand_link(store, hit.page_id),
                "compare": urls.compare(
                    None if upload else page.id,
                    hit.page_id,
                    upload=upload,
                    region=ask.text("region"),
                ),
            }
            for rank, hit in enumerate(hits, 1)
        ],
    }


def form(store: Store, named: str = "", message: str = "") -> dict[str, Any]:
    """The form without a ranking; with a message where what was asked for cannot be searched."""
    return {
        "query": None,
        "named": named,
        "message": message,
        "region": None,
        "hits": [],
        "some_pages": list(store.labels())[:_SUGGESTED],
        "pages": store.size(),
    }


def upload(store: Store, ask: Ask) -> dict[str, Any]:
    """Keep a picture for a while, then search with it."""
    taken = ask.form.get("picture")
    if taken is None or isinstance(taken, str):
        raise Refused("choose a picture first: no file came with the form")
    return {"next": urls.search(upload=store.uploads.keep(taken.file), region=ask.text("region"))}


def _sentence(hit: Hit) -> str:
    if hit.enough_writing and hit.likelihood_ratio is not None:
        return wording.likeness(hit.likelihood_ratio)
    return wording.same_hand(hit.probability, None, enough=hit.enough_writing)
