"""What speaks for the hand of each page: the page there that it is most like, piece by piece.

A comparison reads both scans again, some 0.7 seconds for a page. So they are made only for an
export that asks for them, and only of the pages that need an eye most.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..catalogue import Catalogue
from ..engines import Engine, map_pages
from ..errors import DgmpError
from ..exports import PageEvidence
from ..records import Hand, Page, Stage
from ..storage import AnyPath
from .comparing import compare
from .opening import opened_catalogue
from .searching import search

MOST_PAGES = 1000  # of an export, some twelve minutes on one core
_PIECES = 6  # that speak for one hand, and as many against it
_NEAR = 200  # pages among which the most alike one of a hand is looked for


def page_evidence(
    catalogue: Catalogue | AnyPath | str,
    hands: Sequence[Hand],
    *,
    most: int = MOST_PAGES,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> dict[str, PageEvidence]:
    """The evidence for each page by its id, at most ``most``: those that fit their hand least.

    That of a page in a hand of several is the most alike page of the same hand; a page alone has
    one of the nearest other hand. Pages whose scans can no longer be read have the figures only.
    """
    opened = opened_catalogue(catalogue)
    whose = {id: hand.number for hand in hands for id in hand.page_ids}
    firsts = {hand.number: hand.page_ids for hand in hands}
    beside: dict[str, tuple[int, str]] = {}  # where to look, and who it is if nobody is near
    fits = {}
    for hand in hands:
        alone = len(hand.page_ids) == 1
        number = hand.nearest if alone else hand.number
        if number is not None and number in firsts:
            for id, fit in zip(hand.page_ids, hand.fits, strict=True):
                beside[id] = number, next(other for other in firsts[number] if other != id)
                fits[id] = fit
    chosen = sorted(fits, key=lambda id: fits[id])[:most]
    if len(chosen) < len(fits):
        warnings.warn(
            f"{len(chosen)} of {len(fits)} pages have evidence, those that fit their hands least",
            stacklevel=2,
        )
    progress = None if stage is None or not chosen else stage("looking for evidence", len(chosen))
    found = {}
    work = _Vouching(opened, whose, {id: beside[id] for id in chosen})
    for page, result in map_pages(opened.pages(chosen), work, engine):
        if isinstance(result, PageEvidence):
            found[page.id] = result
        if progress is not None:
            progress(1)
    return found


class _Vouching:
    """Called where pages are read; in another process it opens the catalogue again."""

    def __init__(
        self, opened: Catalogue, whose: Mapping[str, int], beside: Mapping[str, tuple[int, str]]
    ) -> None:
        self._catalogue: Catalogue | AnyPath = opened
        self._whose, self._beside = whose, beside

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_catalogue": opened_catalogue(self._catalogue).folder}

    def __call__(self, page: Page) -> PageEvidence:
        opened = self._catalogue = opened_catalogue(self._catalogue)
        number, typical = self._beside[page.id]
        near = search(opened, page.id, _NEAR)
        ids = (hit.page_id for hit in near if self._whose.get(hit.page_id) == number)
        other = next(ids, typical)
        try:
            found = compare(opened, page.id, other, pieces=_PIECES)
        except DgmpError:  # a scan is gone, or is no longer what was described
            found = compare(opened, page.id, other, pieces=0)
        pairs = tuple((pair.first, pair.second, pair.share) for pair in found.same + found.against)
        return PageEvidence(other, number, found.cosine, found.probability, pairs, found.rest)
