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
from ..hands import with_probabilities
from ..records import Descriptors, Hand, Hit, Page, Stage
from ..storage import AnyPath
from .comparing import compare
from .opening import background_of, opened_catalogue

MOST_PAGES = 1000  # of an export, some twelve minutes on one core
_PIECES = 6  # that speak for one hand, and as many against it
_NEAR = 200  # pages among which those of a hand are looked for
_JUDGED = 10  # of these, as likenesses take a millisecond or more each, cosines next to nothing


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
        other = self._most_alike(opened, page.id)
        try:
            found = compare(opened, page.id, other, pieces=_PIECES)
        except DgmpError:  # a scan is gone, or is no longer what was described
            found = compare(opened, page.id, other, pieces=0)
        pairs = tuple((pair.first, pair.second, pair.share) for pair in found.same + found.against)
        number = self._beside[page.id][0]
        return PageEvidence(other, number, found.cosine, found.probability, pairs, found.rest)

    def _most_alike(self, opened: Catalogue, page_id: str) -> str:
        """Of the nearest pages of the hand by cosine, the first in a search."""
        number, typical = self._beside[page_id]
        query, background = opened.page(page_id), background_of(opened)
        near = opened.search(query.vectors[0], _NEAR, leave_out=page_id)
        whose = [self._whose.get(hit.page_id) for hit in near.hits]
        rows = [row for row, hand in enumerate(whose) if hand == number][:_JUDGED]
        if not rows:
            return typical
        hits = tuple(near.hits[row] for row in rows)
        if background is not None:
            ids = tuple(hit.page_id for hit in hits)
            pages = Descriptors(ids, near.vectors[rows], opened.head.spec, halves=near.halves[rows])
            hits = with_probabilities(hits, pages, query, page_id, background)
        return max(hits, key=_alike).page_id


def _alike(hit: Hit) -> float:
    return hit.cosine if hit.likeness is None else hit.likeness
