"""The nouns that cross borders: what one room hands to another.

Each record states a convention, checks what is cheap to check when it is made, and is relied on
everywhere after that.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

Polygon = tuple[tuple[float, float], ...]  # (x, y) corners in pixels
Grey = NDArray[np.uint8]  # (height, width), 0 black, 255 white
Matrix = NDArray[np.float32]
Floats = NDArray[np.float64]
Rectangles = NDArray[np.int32]  # (n, 4): left, top, right, bottom; where there are thousands
PageProgress = Callable[[int], None]  # called with the number of pages done since its last call
_PART = re.compile(r"(?:#(?:page|frame|side|region|band)=\d+)+\Z|#canvas=.*", re.DOTALL)
Stage = Callable[[str, int], PageProgress]  # a part of the work begins: its name, its pages


class Source(Protocol):
    """Where the picture of a page comes from: a file, a page of a PDF, an address."""

    @property
    def address(self) -> str:
        """By what a catalogue finds it again: a path or a URL."""

    @property
    def part(self) -> str:
        """What a page's id has after the name of the file, as ``#page=7``; empty: all of it."""

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of a single picture, if known without opening it; None: it is not."""

    def open(self) -> BinaryIO:
        """The encoded picture (JPEG, PNG, TIFF …) from its beginning."""

    def stamp(self) -> str:
        """Cheap to ask for, and other than before if the picture may have changed; empty: gone."""

    @property
    def content_hash(self) -> str:
        """SHA-256 of the encoded picture."""


@dataclass(frozen=True)
class Region:
    """A part of a page and what it is; a rectangle is a polygon with four corners."""

    corners: Polygon
    kind: str = "text"
    value: float | None = None  # what was measured there, if anything was

    @classmethod
    def rectangle(
        cls,
        left: float,
        top: float,
        right: float,
        bottom: float,
        kind: str = "text",
        value: float | None = None,
    ) -> Region:
        """The rectangle between two corners."""
        return cls(((left, top), (right, top), (right, bottom), (left, bottom)), kind, value)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the smallest rectangle around it."""
        xs, ys = zip(*self.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True)
class Page:
    """One written page of a corpus: where its picture comes from, and what is known of it.

    ``id`` is the path relative to the corpus with forward slashes, then ``#frame=2`` for a further
    picture of one file, ``#side=1`` for the right page of an opening, and ``#region=1`` or
    ``#band=1`` where text regions or bands of lines are pages of their own; all count from 0.
    Sizes and regions are in pixels of the picture as displayed, that is after EXIF rotation and
    after the quarter turns that set a picture upright whose file does not say how it lies.
    """

    id: str
    source: Source
    writer: str | None = None
    script: str | None = None
    manuscript: str | None = None
    scan: str | None = None  # the picture it is on: same writer and scan, neither hit nor miss
    split: str | None = None
    frame: int = 0
    turn: int = 0  # quarter turns clockwise that set the picture upright
    size: tuple[int, int] | None = None  # width, height
    regions: tuple[Region, ...] | None = None  # where the text is; None: use the whole page
    line_distance: float | None = None  # pixels between baselines, by a layout file or the page
    dpi: float | None = None  # of the scan, if its file has a believable tag
    century: str | None = None  # two digits

    @property
    def content_hash(self) -> str:
        """SHA-256 of the picture, mixed with what chooses a part of it or its scale."""
        return self._mixed(self.source.content_hash)

    def stamp(self) -> str:
        """That of the source, mixed alike; empty where the source is gone."""
        stamp = self.source.stamp()
        return self._mixed(stamp) if stamp else ""

    def _mixed(self, word: str) -> str:
        plain = self.frame == 0 and self.turn == 0 and self.regions is None
        if plain and self.line_distance is None:
            return word
        corners = None if self.regions is None else tuple(r.corners for r in self.regions)
        distance = "" if self.line_distance is None else f" {self.line_distance}"
        turned = f" turned {self.turn}" if self.turn else ""
        mixed = f"{word} {self.frame} {corners}{distance}{turned}"
        return hashlib.sha256(mixed.encode()).hexdigest()


def file_and_part(name: str) -> tuple[str, str]:
    """The id of a page, or the address of a source, as its file and what of it is meant.

    The part is such as ``#frame=2#side=1``, empty for all of the file. Folders and files may have a
    ``#`` in their own names.
    """
    found = _PART.search(name)
    return (name, "") if found is None else (name[: found.start()], found[0])


@dataclass(frozen=True, eq=False)
class Descriptors:
    """One vector per page, and all that made them: same spec and pages, same vectors."""

    page_ids: tuple[str, ...]
    vectors: NDArray[np.float32]  # (pages, dim), rows of unit length
    spec: Mapping[str, Any]
    labels: tuple[str, ...] | None = None  # writers or scripts, where they are known
    halves: NDArray[np.float32] | None = None  # (pages,), the cosine of a page's halves, or NaN

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.page_ids):
            raise ValueError(
                f"{len(self.page_ids)} page_ids need vectors of shape ({len(self.page_ids)}, dim), "
                f"got {self.vectors.shape}"
            )
        if self.vectors.dtype != np.float32:
            raise ValueError(f"vectors must be float32, got {self.vectors.dtype}")
        if self.labels is not None and len(self.labels) != len(self.page_ids):
            raise ValueError(f"{len(self.page_ids)} page_ids, but {len(self.labels)} labels")
        if self.halves is not None and self.halves.shape != (len(self.page_ids),):
            raise ValueError(
                f"{len(self.page_ids)} page_ids, but halves of shape {self.halves.shape}"
            )
        if len(set(self.page_ids)) != len(self.page_ids):
            raise ValueError("page_ids must differ from each other")
        # Without a second array of their size: a large catalogue has gigabytes of vectors.
        lengths = np.sqrt(np.einsum("pd,pd->p", self.vectors, self.vectors))
        wrong = np.flatnonzero(~(np.abs(lengths - 1) < 1e-3))  # so written, NaN is wrong too
        if len(wrong):
            raise ValueError(
                f"vectors must be rows of unit length; that of {self.page_ids[wrong[0]]!r} has "
                f"length {lengths[wrong[0]]:g}"
            )


@dataclass(frozen=True, eq=False)
class Ranking:
    """The pages of a gallery in order for each query, nearest first.

    A query is left out of its own gallery, by its id. Row q of ``order`` holds places in
    ``gallery_ids``; a row that ends early (its query is in the gallery, that of others is not) is
    filled with −1. ``similarities`` stand in the same order and fall along each row.
    """

    query_ids: tuple[str, ...]
    gallery_ids: tuple[str, ...]
    order: NDArray[np.integer[Any]]  # (queries, gallery)
    similarities: NDArray[np.floating[Any]]  # (queries, gallery)
    reranked: str | None = None  # by what, if the gallery has been looked at to improve the order

    def __post_init__(self) -> None:
        if self.order.ndim != 2 or len(self.order) != len(self.query_ids):
            raise ValueError(
                f"{len(self.query_ids)} queries need an order of that many rows, "
                f"got shape {self.order.shape}"
            )
        if self.similarities.shape != self.order.shape:
            raise ValueError(
                f"similarities must have the shape of order, {self.order.shape}, "
                f"got {self.similarities.shape}"
            )
        for name, ids in (("query_ids", self.query_ids), ("gallery_ids", self.gallery_ids)):
            if len(set(ids)) != len(ids):
                raise ValueError(f"{name} must differ from each other")
        if self.order.size and not -1 <= self.order.min() <= self.order.max() < len(
            self.gallery_ids
        ):
            raise ValueError(f"order must hold places below {len(self.gallery_ids)}, or −1")


@dataclass(frozen=True)
class Scores:
    """What was measured, how it is defined, how sure it is, and whether the gallery was used.

    Values lie between 0 and 1. Single queries (pages, for a classification) stay in the record, so
    that two saved Scores can be compared pair by pair.
    """

    task: str  # "retrieval" or "classification"
    values: Mapping[str, float]
    definitions: Mapping[str, str]
    queries: int
    skipped: int = 0  # queries without a relevant page in the gallery
    reranking: str | None = None
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # 95 %
    notes: tuple[str, ...] = ()
    curve: tuple[float, ...] = ()  # mean precision at rank 1, 2, …
    classes: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()  # rows: true class, columns: predicted
    item_ids: tuple[str, ...] = ()
    item_labels: tuple[str, ...] = ()
    item_clusters: tuple[str, ...] = ()  # what is drawn together in a resample
    item_values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        if name not in self.values:
            raise KeyError(f"no measure called {name!r}; there are {', '.join(self.values)}")
        return self.values[name]

    @property
    def map(self) -> float:
        """Mean average precision."""
        return self["map"]

    @property
    def accuracy(self) -> float:
        """The share of pages whose most probable class is right."""
        return self["accuracy"]

    def top(self, k: int, *, hard: bool = False) -> float:
        """Soft top-k: a relevant page among the first k. Hard: all of the first k are relevant."""
        return self[f"top_{k}_hard" if hard and k > 1 else f"top_{k}"]

    def table(self) -> str:
        """Values in percent with their intervals, and the definition of each."""
        what = {"retrieval": "queries", "classification": "pages"}.get(self.task, "items")
        skipped = f", {self.skipped} skipped without a relevant page" if self.skipped else ""
        rows = [("measure", "percent", "95 % interval", "definition")]
        for name, value in self.values.items():
            low_high = self.intervals.get(name)
            interval = "–" if low_high is None else "{:.2f} – {:.2f}".format(*_percent(*low_high))
            rows.append((name, f"{100 * value:.2f}", interval, self.definitions.get(name, "")))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2]), row[3]]
            ).rstrip()
            for row in rows
        ]
        head = f"{self.task}: {self.queries} {what}{skipped}"
        used = f"re-ranking: {self.reranking or 'none'}"
        return "\n".join([head, used, *lines, *(f"note: {note}" for note in self.notes)])

    def __str__(self) -> str:
        return self.table()


@dataclass(frozen=True)
class Hand:
    """Pages that the program believes to be by one writer."""

    number: int  # from 1, the hands with most pages first
    page_ids: tuple[str, ...]  # the page most like the others first
    fits: tuple[float, ...]  # ½ where the others are just near enough to be joined; 1 if alone
    confidence: float
    nearest: int | None  # the number of the hand most like this one
    name: str = ""  # given by a person
    note: str = ""
    decided: bool = False  # a person said of all its pages that they are by one hand


VERDICTS = ("same", "different", "unsure", "name", "undo")


@dataclass(frozen=True)
class Decision:
    """What a person decided about hands.

    ``same``: all pages of ``first`` and ``second`` are by one hand. ``different``: no page of
    ``first`` is by the hand of any page of ``second``. ``unsure``: looked at, but cannot be said.
    ``name``: the hand of the pages ``first`` has this name and note. ``undo`` takes back the
    decision whose id is ``replaces``.
    """

    verdict: str
    first: tuple[str, ...]  # page ids
    second: tuple[str, ...] = ()
    person: str = ""
    note: str = ""
    name: str = ""  # with the verdict ``name``; empty: the hand has none any longer
    id: str = ""  # given when it is stored: unique, later ones sort after earlier ones
    time: str = ""  # ISO 8601 in UTC, given when it is stored
    replaces: str = ""
    action: str = ""  # given where several are stored at once: the id of the first of them

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, got {self.verdict!r}")
        if bool(self.replaces) != (self.verdict == "undo"):
            raise ValueError("replaces must name a decision with the verdict undo, and only there")
        if self.name and self.verdict != "name":
            raise ValueError(f"name goes with the verdict name, got {self.verdict!r}")
        if self.verdict != "undo" and not self.first:
            raise ValueError(f"{self.verdict!r} needs pages in first")
        if self.verdict == "name" and self.second:
            raise ValueError("a name is given to the hand of first, without second")
        if self.verdict in ("different", "unsure") and not self.second:
            raise ValueError(f"{self.verdict!r} needs pages in second")
        if self.verdict == "different" and (both := set(self.first) & set(self.second)):
            raise ValueError(f"page {min(both)!r} cannot differ from itself")
        if self.verdict == "same" and len({*self.first, *self.second}) < 2:
            raise ValueError("'same' needs two pages or more")

    @property
    def pages(self) -> frozenset[str]:
        """The ids of all pages it is about."""
        return frozenset(self.first + self.second)


@dataclass(frozen=True)
class Contradiction:
    """Decisions in force that cannot all be true; grouping passes over the oldest that must go."""

    decisions: tuple[Decision, ...]  # oldest first
    pages: tuple[str, str]  # that are by one hand and by two according to them
    passed_over: Decision  # one of them


@dataclass(frozen=True)
class Question:
    """A pair of pages of which a person should say whether they are by one hand."""

    first: str  # page ids
    second: str
    probability: float  # of one hand
    likelihood_ratio: float
    worth: float  # pairs of pages that the answer is expected to put right
    hands: tuple[int, int]  # the numbers of their hands; the same number: one is doubted there


@dataclass(frozen=True)
class StoredHands:
    """The hands of a catalogue as they were last grouped."""

    hands: tuple[Hand, ...]
    prefer: str
    time: str  # ISO 8601 in UTC
    questions: tuple[Question, ...] = ()  # those whose answers are worth most first
    shift: float = 0.0  # what log-odds are worth more in this collection, by confirmed pairs
    current: bool = True  # False: pages or decisions have changed since


@dataclass(frozen=True)
class Hit:
    """A page that a search found."""

    page_id: str
    path: str  # of the scan, or its address
    cosine: float
    probability: float | None = None  # of the same hand, where the describer is calibrated
    writer: str | None = None
    likelihood_ratio: float | None = None  # of the same hand against another; above 1 speaks for it
    enough_writing: bool = True  # False: a page has too little writing to say
    likeness: float | None = None  # that orders pages, where the describer is calibrated


def _percent(*shares: float) -> tuple[float, ...]:
    return tuple(100 * share for share in shares)
