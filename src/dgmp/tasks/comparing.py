"""Why two pages are thought to be by one hand or by two, and the letterforms of a hand.

What is compared are pages of a catalogue. They are read again and prepared as they were described;
the cosine, the likelihood ratio and the probability are those of the stored vectors, as in a
search. What pieces of both pages add to the cosine follows from the pixels
(:mod:`dgmp.describers.pieces`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ..catalogue import Catalogue
from ..classical import Contributions
from ..describers import (
    PieceShares,
    contributions_of,
    explain_page,
    is_explainable,
    likeness_pictures,
    on_page,
    reader,
    share_cosine,
)
from ..errors import CatalogueError
from ..hands import with_probabilities
from ..pixels import PageImage
from ..records import Descriptors, Hit, Matrix, Page, Region
from .opening import background_of, describer_of, opened_catalogue

if TYPE_CHECKING:
    from ..describers import LearnedDescriber

_ALIKE = 0.99  # the least cosine of a stored vector and the same from the pixels


@dataclass(frozen=True)
class PiecePair:
    """A piece of each of two pages, in pixels of the displayed scans."""

    first: Region
    second: Region
    share: float  # what the pair adds to the cosine


@dataclass(frozen=True)
class Comparison:
    """Two pages of a catalogue, and what makes them alike or unlike.

    The shares of all pairs and ``rest`` add up to ``cosine``.
    """

    first: Page
    second: Page
    cosine: float  # of the stored vectors
    probability: float | None = None  # of one hand, where the describer is calibrated
    likelihood_ratio: float | None = None  # of one hand against two
    enough_writing: bool = True  # False: a page has too little writing to say
    same: tuple[PiecePair, ...] = ()  # those that add most, strongest first
    against: tuple[PiecePair, ...] = ()  # those that take most, strongest first
    rest: float = 0.0  # what all other pairs of keypoints add, and ``whole`` and ``rounding``
    whole: float = 0.0  # what pages add as a whole, as their texture does
    rounding: float = 0.0  # what storing vectors in a byte per entry adds
    heat_maps: tuple[bytes, bytes] | None = None  # PNG of both prepared pages, by a network


def compare(
    catalogue: Catalogue | Path | str, first_id: str, second_id: str, *, pieces: int = 12
) -> Comparison:
    """Compare two pages of a catalogue.

    At most ``pieces`` pairs speak for one hand, and as many against it. A describer whose vectors
    are no sums over keypoints has none; those of trained networks have heat maps. With ``pieces=0``
    no page is read: there are only the figures.
    """
    if pieces < 0:
        raise ValueError(f"pieces must not be negative, got {pieces}")
    opened = opened_catalogue(catalogue)
    first, second = pages = opened.pages([first_id, second_id])
    stored = [opened.page(page.id) for page in pages]
    hit = _judged(opened, second, stored)
    found = Comparison(
        first,
        second,
        hit.cosine,
        hit.probability,
        hit.likelihood_ratio,
        hit.enough_writing,
        rest=hit.cosine,
        whole=hit.cosine,
    )
    if not pieces:
        return found
    describer = describer_of(opened)
    images = [reader(describer)(page) for page in pages]
    if describer.spec["kind"] == "learned":
        return replace(found, heat_maps=_heat_maps(cast("LearnedDescriber", describer), images))
    parts = [contributions_of(describer, image) for image in images]
    if parts[0] is None or parts[1] is None:
        return found
    vectors = [each.vectors[0] for each in stored]
    for page, part, vector in zip(pages, parts, vectors, strict=True):
        assert part is not None
        _check_unchanged(opened, page, part, vector)
    return _with_pieces(found, images, (parts[0], parts[1]), vectors, pieces)


def _judged(opened: Catalogue, page: Page, stored: Sequence[Descriptors]) -> Hit:
    """The second page as a hit of the first, with what a search says of it."""
    one, other = (each.vectors[0].astype(np.float64) for each in stored)
    hit = Hit(page.id, page.source.address, float(one @ other))
    background = background_of(opened)
    if background is None:
        return hit
    query = stored[0]
    return with_probabilities([hit], stored[1], query, query.page_ids[0], background)[0]


def _with_pieces(
    found: Comparison,
    images: Sequence[PageImage],
    parts: tuple[Contributions, Contributions],
    vectors: Sequence[Matrix],
    pieces: int,
) -> Comparison:
    shared = share_cosine(*parts, pieces)
    entries = np.zeros(len(vectors[0]), np.bool_)  # of words that both pages have keypoints of
    common = {word.start for word in parts[0].words} & {word.start for word in parts[1].words}
    for word in parts[0].words:
        if word.start in common:
            entries[word.block] = True
    one, other = (vector.astype(np.float64) for vector in vectors)
    whole = float(one[~entries] @ other[~entries])
    rounding = float(one[entries] @ other[entries]) - shared.total
    shown = float(shared.same.shares.sum() + shared.against.shares.sum())
    return replace(
        found,
        same=_pairs(shared.same, images, parts),
        against=_pairs(shared.against, images, parts),
        rest=shared.total - shown + whole + rounding,
        whole=whole,
        rounding=rounding,
    )


def _pairs(
    shares: PieceShares,
    images: Sequence[PageImage],
    parts: tuple[Contributions, Contributions],
) -> tuple[PiecePair, ...]:
    first, second = (
        on_page(image, middles, part.side)
        for image, middles, part in zip(images, (shares.first, shares.second), parts, strict=True)
    )
    pairs = zip(first, second, shares.shares.tolist(), strict=True)
    return tuple(PiecePair(*pair) for pair in pairs)


def _check_unchanged(opened: Catalogue, page: Page, part: Contributions, vector: Matrix) -> None:
    """Refuse a page whose pixels no longer give the vector that is stored."""
    total = part.total(len(vector))
    there = vector[total != 0]
    now = total[total != 0]
    if there @ now < _ALIKE * np.linalg.norm(there) * np.linalg.norm(now):
        raise CatalogueError(
            f"{opened.folder}: page {page.id!r} is not as it was described; describe its folder "
            "again to compare it"
        )


def _heat_maps(
    describer: LearnedDescriber, images: Sequence[PageImage]
) -> tuple[bytes, bytes] | None:
    """What positions add to the cosine; None for a pooling that gives them no weights."""
    if not is_explainable(describer):
        return None
    one, other = (explain_page(describer, image) for image in images)
    return likeness_pictures(one, other)
