"""Two pages side by side, with what speaks for one hand and what against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import DgmpError
from ...records import Decision, Page
from .. import urls, wording
from ..asking import Ask, Refused
from ..store import Store
from ..uploads import ZOOMED
from .parts.cards import hand_link, page_card
from .parts.places import Box, area_of, box_of, cut_box, restricted

_HEIGHT = 88  # pixels of a cut-out
VERDICTS = ("same", "different", "unsure")


def compare(store: Store, ask: Ask) -> dict[str, Any]:
    """The pages ``first`` and ``second``.

    Instead of ``first`` an ``upload`` can be named; ``region`` is a rectangle of either.
    """
    first, second = first_of(store, ask), ask.needed("second")
    return compared(store, first, second, ask.text("upload"), ask.text("region"))


def first_of(store: Store, ask: Ask) -> Page | str:
    """The page that another is compared with: one of the catalogue, or one to be described."""
    upload, box = ask.text("upload"), box_of(ask.text("region"))
    if upload:
        return restricted(store.uploads.page(upload), box)
    first = ask.needed("first")
    return restricted(store.page(first), box) if box else first


def decide(store: Store, ask: Ask) -> dict[str, Any]:
    """One hand, two hands, or nobody can say; on to the next question if this was one."""
    first, second, verdict = ask.needed("first"), ask.needed("second"), ask.needed("verdict")
    if verdict not in VERDICTS:
        raise Refused(f"verdict must be one of {', '.join(VERDICTS)}, got {verdict!r}")
    _check_pair(store, first, second)
    decision = Decision(verdict, (first,), (second,), person=ask.person, note=ask.text("note"))
    stored = store.decide((decision,), ask.seen)
    back = urls.compare(first, second)
    if ask.text("answered"):  # it was a question of the review
        answered, skip = ask.number("answered", 0, least=0), ask.number("skip", 0, least=0)
        back = urls.review(answered + 1, skip)
    return {"decision": stored.id, "next": urls.with_done(back, stored.id)}


def compared(
    store: Store, asked: Page | str, second: str, upload: str = "", region: str = ""
) -> dict[str, Any]:
    """All that the view of two pages needs; ``asked`` is the first one.

    Only two pages of the catalogue can be decided about: not an upload, nor a region.
    """
    first = asked if isinstance(asked, str) else None if upload else asked.id
    if first is not None:
        _check_pair(store, first, second)
    decidable, lacking = isinstance(asked, str), ""
    try:
        found = store.compare(asked, second)
    except DgmpError as error:  # a scan is gone, or is no longer what was described
        found, lacking = store.figures(asked, second), str(error)
    chosen = {"upload": upload, "region": region}
    return {
        "first": _upload_side(found.first, upload, region)
        if first is None
        else _side(store, first, region),
        "second": _side(store, second),
        "swap": urls.compare(second, first) if first is not None and decidable else None,
        "cosine": round(found.cosine, 5),
        "probability": found.probability,
        "likelihood_ratio": found.likelihood_ratio,
        "enough_writing": found.enough_writing,
        "sentence": wording.same_hand(
            found.probability, found.likelihood_ratio, enough=found.enough_writing
        ),
        "same": _pairs(found, found.same, upload),
        "against": _pairs(found, found.against, upload),
        "rest": round(found.rest, 5),
        "lacking": lacking,
        "heat_maps": [urls.heat_map(side, first, second, **chosen) for side in (0, 1)]
        if found.heat_maps
        else None,
        "decidable": decidable,
        "decided": _decided(store, first, second) if first is not None and decidable else [],
        "seen": store.newest(),
        "question": None,
    }


def _check_pair(store: Store, first: str, second: str) -> None:
    store.page(first), store.page(second)
    if first == second:
        raise Refused(f"a page cannot be compared with itself: {first!r}")


def _side(store: Store, page_id: str, region: str = "") -> dict[str, Any]:
    page = store.page(page_id)
    return page_card(store, page_id) | {
        "size": list(page.size) if page.size else None,
        "image": urls.image(page_id),
        "picture": f"{urls.image(page_id)}/full/!1200,1600/0/default.jpg",
        "hand": hand_link(store, page_id),
        "region": region,
        "area": box_of(region) or area_of(page),
    }


def _upload_side(page: Page, upload: str, region: str) -> dict[str, Any]:
    """An upload as it was found; there is one picture of it to zoom into."""
    assert page.size is not None  # an upload is measured when it comes
    return {
        "page": page.id,
        "title": page.id,
        "manuscript": "",
        "address": urls.search(upload=upload, region=region),
        "size": list(page.size),
        "image": None,
        "picture": urls.upload_part(upload, (0, 0, *page.size), ZOOMED, page.turn),
        "hand": None,
        "region": region,
        "area": area_of(page),
    }


def _pairs(found: Any, pairs: Sequence[Any], upload: str) -> list[dict[str, Any]]:
    shown = []
    most = max((abs(pair.share) for pair in pairs), default=1.0) or 1.0
    for pair in pairs:
        sides = {}
        for side, page, region, upload_id in (
            ("first", found.first, pair.first, upload),
            ("second", found.second, pair.second, ""),
        ):
            left, top, right, bottom = map(round, region.bounds)
            sides[side] = {
                "box": [left, top, right - left, bottom - top],
                "cut_out": _cut_out(page, cut_box(page, region), upload_id),
            }
        share = float(pair.share)
        strength = round(10 * abs(share) / most)  # in tenths, for a bar
        shown.append(sides | {"share": round(share, 6), "strength": strength})
    return shown


def _cut_out(page: Page, box: Box, upload: str) -> str:
    if upload:
        return urls.upload_part(upload, box, _HEIGHT, page.turn)
    return urls.cut_out(page.id, box, _HEIGHT)


def _decided(store: Store, first: str, second: str) -> list[dict[str, Any]]:
    """Decisions in force that name both pages, newest first."""
    in_force, both = store.in_force(), {first, second}
    return [
        {
            "id": decision.id,
            "verdict": decision.verdict,
            "sentence": wording.decided(decision),
            "person": decision.person,
            "time": decision.time,
            "note": decision.note,
            "undo": urls.undo(decision.id),
        }
        for decision in reversed(store.history())
        if decision.id in in_force
        and decision.verdict in VERDICTS
        and both <= {*decision.first, *decision.second}
    ]
