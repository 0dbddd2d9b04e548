"""Hands along books: who wrote which band, and where the hand changes.

The grouping of bands into hands does not know that they follow one another. Here they are put into
reading order, which says two things more. A change of hand lies where two bands that follow one
another are of different hands. And a single band of another hand between two bands of one hand is
more often an outlier (an initial, a heading, a stain) than a scribe who wrote five lines: if it
also fits its hand poorly it is marked as doubtful and makes no change. No band is given another
hand.

How firmly a band belongs to its hand is its fit; where the band is a hand alone, which has no fit,
the confidence of that hand. How sure a change is, is the lesser of how firm the bands on either
side of it are, on average over as many of one hand as follow there, ``REACH`` at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..corpora import whole_and_part
from ..records import Hand

POOR_FIT = 0.8  # a guess: too few such bands so far to choose it, benchmarks/results/books.md
REACH = 3  # bands

Bounds = tuple[float, float, float, float]  # left, top, right, bottom in pixels of the scan


@dataclass(frozen=True)
class BandHand:
    """A band of a book and the hand that it was given."""

    book: str  # the folder of the page; empty: the corpus itself
    page: str  # id of the whole page
    band: int  # from 0, in reading order
    hand: int
    fit: float  # as in Hand
    confidence: float  # of the hand
    firmness: float  # the fit, or the confidence of a hand of one band
    bounds: Bounds | None = None  # on the scan
    doubtful: bool = False
    change: bool = False  # the hand differs from that of the band before in this book


@dataclass(frozen=True)
class HandChange:
    """A place in a book where the hand changes."""

    before: BandHand
    after: BandHand
    sure: float  # between 0 and 1


@dataclass(frozen=True)
class BookHands:
    """The bands of all books in reading order, and the changes of hand between them."""

    hands: tuple[Hand, ...]
    bands: tuple[BandHand, ...]
    changes: tuple[HandChange, ...]

    def books(self) -> dict[str, tuple[BandHand, ...]]:
        """The bands of each book."""
        return {
            book: tuple(bands) for book, bands in groupby(self.bands, key=lambda band: band.book)
        }


def follow_hands(hands: Sequence[Hand], places: Mapping[str, Bounds] | None = None) -> BookHands:
    """Put the bands of hands into reading order and find the changes of hand.

    ``places`` are the bounds of bands on their scans, by their ids.
    """
    known = places or {}
    found = []
    for hand in hands:
        for id, fit in zip(hand.page_ids, hand.fits, strict=True):
            page, number = whole_and_part(id)
            book = page.rpartition("/")[0]
            firm = fit if len(hand.page_ids) > 1 else hand.confidence
            found.append(
                BandHand(
                    book,
                    page,
                    number or 0,
                    hand.number,
                    fit,
                    hand.confidence,
                    firm,
                    known.get(id),
                )
            )
    found.sort(key=lambda band: (natural_order(band.book), natural_order(band.page), band.band))
    bands: list[BandHand] = []
    changes: list[HandChange] = []
    for _, group in groupby(found, key=lambda band: band.book):
        marked = _mark_doubtful(list(group))
        places_of_change = _changes(marked)
        changes += places_of_change
        changed = {(change.after.page, change.after.band) for change in places_of_change}
        bands += [replace(band, change=(band.page, band.band) in changed) for band in marked]
    return BookHands(tuple(hands), tuple(bands), tuple(changes))


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key to sort names as people do: f2 before f10."""
    parts = re.findall(r"(\d+)|(\D+)", name)
    # Numbers stand before words; the name itself decides between 2 and 02.
    key = tuple((0, int(number), "") if number else (1, 0, word) for number, word in parts)
    return (*key, (2, 0, name))


def _mark_doubtful(bands: Sequence[BandHand]) -> list[BandHand]:
    marked = list(bands)
    for place in range(1, len(bands) - 1):
        before, band, after = bands[place - 1 : place + 2]
        alone = before.hand == after.hand != band.hand
        if alone and band.firmness < POOR_FIT:
            marked[place] = replace(band, doubtful=True)
    return marked


def _changes(bands: Sequence[BandHand]) -> list[HandChange]:
    sure = [band for band in bands if not band.doubtful]
    return [
        HandChange(
            sure[place - 1],
            sure[place],
            min(_firmness(reversed(sure[:place])), _firmness(sure[place:])),
        )
        for place in range(1, len(sure))
        if sure[place - 1].hand != sure[place].hand
    ]


def _firmness(bands: Iterable[BandHand]) -> float:
    """The mean over the first bands as long as they are of one hand."""
    _, run = next(groupby(bands, key=lambda band: band.hand))
    firm = [band.firmness for _, band in zip(range(REACH), run, strict=False)]
    return sum(firm) / len(firm)
