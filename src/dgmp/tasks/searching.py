"""The pages of a catalogue that are most like one page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..catalogue import Catalogue
from ..corpora import picture_and_side
from ..describers import page_and_halves, reader
from ..errors import CatalogueError
from ..hands import with_probabilities
from ..records import Descriptors, Hit, Page
from ..sources import is_address
from ..storage import AnyPath, as_path
from .opening import background_of, describer_of, one_page, opened_catalogue, page_missing
from .readying import distance_beside, find_on

_ORDERED = 100  # pages, at least, that are put in the order of likeness


def search(
    catalogue: Catalogue | AnyPath | str, page: Page | AnyPath | str, n: int = 10
) -> tuple[Hit, ...]:
    """The ``n`` pages most like a page of the catalogue or any picture, the most alike first.

    ``page`` is an id of the catalogue, a file, or the address of a IIIF manifest; of one with
    several pictures the first is taken, of a photographed opening the page that ``#side=0`` or
    ``#side=1`` after its name says. A ``Page`` is described as it is, in its regions only if it
    has some. Where the describer is calibrated, each hit has the likelihood ratio and the
    probability of the same hand, unless one of both pages has too little writing to say.
    """
    opened = opened_catalogue(catalogue)
    if isinstance(page, Page):
        known, query = opened.find(page.id), described(page, opened)[1]
    elif (known := opened.find(str(page))) is not None:
        _check_side(known, str(page))
        query = opened.page(known)
    elif is_address(page) or as_path(page).exists():
        query = described(one_page(page), opened)[1]
    elif as_path((asked := picture_and_side(str(page)))[0]).exists():
        query = described(one_page(asked[0]), opened, asked[1])[1]
    else:
        raise page_missing(opened, str(page))
    background = background_of(opened)
    if background is None:
        return opened.search(query.vectors[0], n, leave_out=known).hits
    if not background.page_ids:
        return ()
    # Products with the query less what its kind shares order pages nearly as likenesses do.
    own = background.place(query, [known]).vectors[0]
    found = opened.search(own / np.linalg.norm(own), max(n + 50, _ORDERED), leave_out=known)
    ids = tuple(hit.page_id for hit in found.hits)
    asked = opened.as_stored(query.vectors)[0].astype(np.float64)
    cosines = found.vectors.astype(np.float64) @ asked
    hits = [replace(hit, cosine=float(c)) for hit, c in zip(found.hits, cosines, strict=True)]
    pages = Descriptors(ids, found.vectors, opened.head.spec, halves=found.halves)
    judged = with_probabilities(hits, pages, query, known, background)
    return tuple(sorted(judged, key=_falling)[:n])


def _falling(hit: Hit) -> tuple[float, str]:
    assert hit.likeness is not None  # as there is a background
    return -hit.likeness, hit.page_id


def _check_side(known: str, asked: str) -> None:
    """Refuse the name of a photograph with two pages, of which the first would be taken."""
    picture, side = picture_and_side(known)
    if side is not None and picture_and_side(asked)[1] is None:
        left, right = (f"{picture}#side={number}" for number in (0, 1))
        raise CatalogueError(f"{asked}: shows two pages; give one of them, {left!r} or {right!r}")


def described(
    page: Page, catalogue: Catalogue, side: int | None = None
) -> tuple[Page, Descriptors]:
    """A page as it is here, whether it is in the catalogue or not, and as it was found.

    ``side`` as in :func:`find_on`.
    """
    describer = describer_of(catalogue)
    page, cut_out = (page, False) if catalogue.find(page.id) is not None else find_on(page, side)
    distance = distance_beside(catalogue, page, describer.preparation, alone=cut_out)
    if distance is not None:
        page = replace(page, line_distance=distance)
    vector, halves = page_and_halves(describer, reader(describer)(page))
    cosines = np.array([halves], np.float32)
    return page, Descriptors((page.id,), vector[None], catalogue.head.spec, halves=cosines)
