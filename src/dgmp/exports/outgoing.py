"""Hands on their way out, with what formats need of their pages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from urllib.parse import quote

from ..files import as_named
from ..records import Hand, Page, Region, file_and_part

_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class PageEvidence:
    """What speaks for the hand of a page: the page there that it is most like.

    Of a page alone it is the most alike page of the nearest other hand. The shares of all pieces
    and ``rest`` add up to ``cosine``.
    """

    page_id: str  # of the other page
    hand: int  # its number
    cosine: float
    probability: float | None  # of one hand; None: too little writing to say, or not calibrated
    pieces: tuple[tuple[Region, Region, float], ...]  # on both scans, and what a pair adds
    rest: float  # what is in no pair of pieces


def _no_evidence() -> Mapping[str, PageEvidence]:
    return {}


@dataclass(frozen=True, eq=False)
class Outgoing:
    """The hands of a catalogue and their pages."""

    title: str  # of the collection
    hands: Sequence[Hand]
    pages: Mapping[str, Page]
    thumbnails: Callable[[Sequence[str]], Mapping[str, bytes]]  # ids to small JPEG pictures
    evidence: Callable[[], Mapping[str, PageEvidence]] = _no_evidence  # by page id; takes a while

    @cached_property  # a file asks the disk for its path
    def paths(self) -> dict[str, str]:
        """Where the scan of each page lies, by page id."""
        return {id: page.source.address for id, page in self.pages.items()}

    def rows(self) -> Iterator[tuple[Hand, str, float]]:
        """Every page once: its hand, its id, its fit."""
        for hand in self.hands:
            for id, fit in zip(hand.page_ids, hand.fits, strict=True):
                yield hand, id, fit


def hand_title(hand: Hand) -> str:
    """How a hand is called where there is room for one line."""
    return f"{hand.name} (hand {hand.number})" if hand.name else f"hand {hand.number}"


def relative_address(address: str, folder: Path) -> str:
    """A file as a URI relative to a folder; an address of the web as it is."""
    if "://" in address:
        return address
    path, part = file_and_part(address)
    try:
        relative = os.path.relpath(as_named(path), folder.absolute())
    except ValueError:  # on another drive
        return PurePath(path).as_uri() + part
    return quote(os.fsencode(PurePath(relative).as_posix())) + part


def clean(text: str) -> str:
    """A text without the characters that XML and spreadsheets refuse."""
    return _NOT_IN_XML.sub("\ufffd", text)
