"""Why two pages are thought to be by one hand or by two, and the letterforms of a hand.

What is compared are pages of a catalogue, or a page from elsewhere with one of them. Pages of the
catalogue are read again and prepared as they were described; the cosine, the likelihood ratio and
the probability are those of the stored vectors, as in a search. What pieces of both pages
add to the cosine follows from the pixels (:mod:`dgmp.describers.pieces`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, cast

import numpy as np

from ..catalogue import Catalogue
from ..classical import Contributions
from ..describers import (
    PieceShares,
    contributions_of,
    on_page,
    piece_vectors,
    reader,
    share_cosine,
    strongest_pieces,
    unlike_first,
)
from ..errors import CatalogueError, DgmpError
from ..files import check_place
from ..hands import with_probabilities
from ..pixels import THUMBNAIL, Cell, PageImage, cut_outs, draw_rows
from ..records import Descriptors, Hit, Matrix, Page, Region
from ..storage import AnyPath
from .opening import background_of, describer_of, opened_catalogue
from .searching import described

if TYPE_CHECKING:
    from ..describers import LearnedDescriber

_LOOKED_AT = 12  # pages of a hand, at a fifth of a second each
_KNOWN = 100  # pages of a hand whose vectors are read
_BESIDE = 20  # pages of other hands that distinctive pieces are to set it apart from
_ALIKE = 0.99  # the least cosine of a stored vector and the same from the pixels


@dataclass(frozen=True)
class PiecePair:
    """A piece of each of two pages, in pixels of the displayed scans."""

    first: Region
    second: Region
    share: float  # what the pair adds to the cosine


@dataclass(frozen=True)
class Comparison:
    """Two pages, and what makes them alike or unlike.

    The shares of all pairs and ``rest`` add up to ``cosine``.
    """

    first: Page
    second: Page
    cosine: float  # of the vectors, stored ones where there are
    probability: float | None = None  # of one hand, where the describer is calibrated
    likelihood_ratio: float | None = None  # of one hand against two
    enough_writing: bool = True  # False: a page has too little writing to say
    likeness: float | None = None  # that orders pages, where the describer is calibrated
    same: tuple[PiecePair, ...] = ()  # those that add most, strongest first
    against: tuple[PiecePair, ...] = ()  # those that take most, strongest first
    rest: float = 0.0  # what all other pairs of keypoints add, and ``whole`` and ``rounding``
    whole: float = 0.0  # what pages add as a whole, as their texture does
    rounding: float = 0.0  # what storing vectors in a byte per entry adds
    heat_maps: tuple[bytes, bytes] | None = None  # PNG of both prepared pages, by a network

    def judged_as(self, other: Comparison) -> Comparison:
        """The same evidence, worth what another comparison of the pages says."""
        return replace(
            self,
            probability=other.probability,
            likelihood_ratio=other.likelihood_ratio,
            enough_writing=other.enough_writing,
            likeness=other.likeness,
        )


@dataclass(frozen=True)
class Piece:
    """A piece of a page, in pixels of the displayed scan."""

    page_id: str
    region: Region
    value: float  # what it adds to the mean cosine of its page with others of its hand


@dataclass(frozen=True)
class Letterforms:
    """Pieces of the pages of a hand, strongest first."""

    typical: tuple[Piece, ...]  # what its pages have in common
    distinctive: tuple[Piece, ...]  # what they have in common, and the most similar pages have not


def compare(
    catalogue: Catalogue | AnyPath | str,
    first: Page | str,
    second: str,
    *,
    pieces: int = 12,
    sheet: Path | str | None = None,
) -> Comparison:
    """Compare two pages of a catalogue, and draw the pieces as PNG or JPEG into ``sheet``.

    A page is also found by the path of its file. A ``Page`` is described as it is, as in a search;
    the comparison has it as it was found on its picture.
    At most ``pieces`` pairs speak for one hand, and as many against it. A describer whose vectors
    are no sums over keypoints has none; those of trained networks have heat maps. With ``pieces=0``
    no page of the catalogue is read: there are only the figures.
    """
    if pieces < 0:
        raise ValueError(f"pieces must not be negative, got {pieces}")
    opened = opened_catalogue(catalogue)
    if sheet is not None:
        check_place(Path(sheet))
    if isinstance(first, Page):
        known = opened.find(first.id)
        page, query = described(first, opened)
    else:
        page, query = _stored(opened, first)
        known = page.id
    other, gallery = _stored(opened, second)
    hit = _judged(opened, other, gallery, query, known)
    found = Comparison(
        page,
        other,
        hit.cosine,
        hit.probability,
        hit.likelihood_ratio,
        hit.enough_writing,
        hit.likeness,
        rest=hit.cosine,
        whole=hit.cosine,
    )
    if pieces:
        found = _with_evidence(opened, found, (query.vectors[0], gallery.vectors[0]), pieces)
    if sheet is not None:
        _draw_pieces(found, Path(sheet))
    return found


def _with_evidence(
    opened: Catalogue, found: Comparison, vectors: Sequence[Matrix], pieces: int
) -> Comparison:
    """With pieces or heat maps, where the describer has either."""
    pages = (found.first, found.second)
    describer = describer_of(opened)
    images = [reader(describer)(page) for page in pages]
    if describer.spec["kind"] == "learned":
        return replace(found, heat_maps=_heat_maps(cast("LearnedDescriber", describer), images))
    parts = [contributions_of(describer, image) for image in images]
    if parts[0] is None or parts[1] is None:
        return found
    for page, part, vector in zip(pages, parts, vectors, strict=True):
        assert part is not None
        _check_unchanged(opened, page, part, vector)
    return _with_pieces(found, images, (parts[0], parts[1]), vectors, pieces)


def letterforms(
    catalogue: Catalogue | AnyPath | str, page_ids: Sequence[str], *, n: int = 24
) -> Letterforms:
    """At most ``n`` typical and ``n`` distinctive pieces of the pages of a hand.

    Of more than ``_LOOKED_AT`` pages some are looked at, evenly chosen. Both are empty where
    vectors are no sums over keypoints. The value of a distinctive piece is what it adds to
    cosines within the hand, less what it adds to those with the ``_BESIDE`` pages most like it.
    """
    if not page_ids or n < 1:
        raise ValueError(f"there must be pages and n must be positive, got {len(page_ids)}, {n}")
    opened = opened_catalogue(catalogue)
    describer = describer_of(opened)
    pages = opened.pages(_evenly(page_ids, _LOOKED_AT))
    known = dict.fromkeys([*_evenly(page_ids, _KNOWN), *(page.id for page in pages)])
    vectors = {id: opened.page(id).vectors[0] for id in known}
    total = np.sum(list(vectors.values()), axis=0)
    near = opened.search(total / np.linalg.norm(total), len(page_ids) + _BESIDE)
    others = [row for row, hit in enumerate(near.hits) if hit.page_id not in set(page_ids)]
    typical, distinctive = _Sheet(-(-3 * n // len(pages))), _Sheet(-(-3 * n // len(pages)))
    for page in pages:
        image = reader(describer)(page)
        part = contributions_of(describer, image)
        if part is None:
            break
        own = vectors[page.id]
        _check_unchanged(opened, page, part, own)
        hand = (total - own) / (len(vectors) - 1) if len(vectors) > 1 else own
        typical.add(image, part, hand)
        if others:
            distinctive.add(image, part, hand - near.vectors[others].mean(axis=0))
    return Letterforms(typical.best(n), distinctive.best(n))


@dataclass(frozen=True)
class _Sheet:
    """Pieces of several pages, and what each adds to the vector of its page."""

    each: int  # pieces of a page
    pieces: list[tuple[Piece, Matrix]] = field(default_factory=list)

    def add(self, image: PageImage, part: Contributions, vector: Matrix) -> None:
        """Those of a page that add most to its product with a vector."""
        middles, sums = strongest_pieces(part, part.to(vector), self.each)
        regions = on_page(image, middles, part.side)
        shares = piece_vectors(part, middles, len(vector))
        for region, value, share in zip(regions, sums.tolist(), shares, strict=True):
            self.pieces.append((Piece(image.page.id, region, value), share))

    def best(self, n: int) -> tuple[Piece, ...]:
        """The strongest pieces, at first one of those that look alike."""
        if not self.pieces:
            return ()
        falling = sorted(self.pieces, key=lambda each: -each[0].value)
        order = unlike_first(np.stack([share for _, share in falling]))
        return tuple(falling[place][0] for place in sorted(order[:n]))


def _evenly(page_ids: Sequence[str], most: int) -> list[str]:
    chosen = np.unique(np.linspace(0, len(page_ids) - 1, most).astype(int))
    return [page_ids[i] for i in chosen]


def _stored(opened: Catalogue, page_id: str) -> tuple[Page, Descriptors]:
    """A page of the catalogue, by its id or its file, and its vector."""
    (page,) = opened.pages([opened.find(str(page_id)) or str(page_id)])
    return page, opened.page(page.id)


def _judged(
    opened: Catalogue, page: Page, vectors: Descriptors, query: Descriptors, query_id: str | None
) -> Hit:
    """The second page as a hit of the first, with what a search says of it."""
    one, other = (each.vectors[0].astype(np.float64) for each in (query, vectors))
    hit = Hit(page.id, page.source.address, float(one @ other))
    background = background_of(opened)
    if background is None:
        return hit
    return with_probabilities([hit], vectors, query, query_id, background)[0]


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
    total = part.sums(np.ones((1, len(part.positions)), np.float32), len(vector))[0]
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
    from ..describers import explain_page, is_explainable, likeness_pictures  # these need torch

    if not is_explainable(describer):
        return None
    one, other = (explain_page(describer, image) for image in images)
    return likeness_pictures(one, other)


def _draw_pieces(found: Comparison, sheet: Path) -> None:
    """Rows of four cut-outs: a pair that speaks for one hand, one that speaks against it."""
    if not found.same and not found.against:
        raise DgmpError(
            f"{sheet}: is not drawn; the describer has no pieces to show of these pages"
        )
    last = f"{found.first.id} and {found.second.id}: cosine {found.cosine:.4f}"
    draw_rows(piece_rows(found), sheet, last)


def piece_rows(found: Comparison) -> list[tuple[str, list[Cell]]]:
    """Below each cut-out: what its pair speaks for, its share, and the file of its page."""
    columns: list[list[Cell]] = []
    for word, pairs in (("for", found.same), ("against", found.against)):
        for page, side in ((found.first, "first"), (found.second, "second")):
            cut = cut_outs(page, [getattr(pair, side) for pair in pairs], height=THUMBNAIL[1])
            file = PurePosixPath(page.id).name
            texts = [f"{word} {pair.share:+.4f}  {file}" for pair in pairs]
            columns.append(list(zip(texts, cut, strict=True)))
    rows = zip_longest(*columns, fillvalue=("", None))
    return [(str(number), list(cells)) for number, cells in enumerate(rows, start=1)]
