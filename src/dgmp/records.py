"""The nouns that cross borders: what one room hands to another.

Each record states a convention, checks what is cheap to check when it is made, and is relied on
everywhere after that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Polygon = tuple[tuple[float, float], ...]  # (x, y) corners in pixels of the scan, as displayed

SCORES_FORMAT, SCORES_VERSION = "dgmp-scores", 1


@dataclass(frozen=True)
class Page:
    """One written page of a corpus: where its picture lies, and what is known of it.

    ``id`` is the path relative to the corpus with forward slashes, then ``#frame=2`` for a further
    picture of one file and ``#region=1`` where regions are pages of their own; both count from 0.
    Sizes and regions are in pixels of the picture as displayed, that is after EXIF rotation.
    """

    id: str
    path: Path
    writer: str | None = None
    script: str | None = None
    manuscript: str | None = None
    sheet: str | None = None  # the scan it is of: same writer and sheet, neither hit nor miss
    split: str | None = None
    frame: int = 0
    size: tuple[int, int] | None = None  # width, height
    regions: tuple[Polygon, ...] | None = None  # where the text is; None: use the whole page
    line_distance: float | None = None  # pixels between baselines, if a layout file tells

    @property
    def content_hash(self) -> str:
        """SHA-256 of the file, mixed with frame and regions where these choose a part of it.

        Read when first asked for and kept until the file changes, so that opening stays quick.
        """
        status = self.path.stat()
        digest = _file_hash(self.path, status.st_mtime_ns, status.st_size)
        if self.frame == 0 and self.regions is None:
            return digest
        return hashlib.sha256(f"{digest} {self.frame} {self.regions}".encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Descriptors:
    """One vector per page, and all that made them: same spec and pages, same vectors."""

    page_ids: tuple[str, ...]
    vectors: NDArray[np.float32]  # (pages, dim), rows of unit length
    spec: Mapping[str, Any]
    labels: tuple[str, ...] | None = None  # writers or scripts, where they are known

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
        if len(set(self.page_ids)) != len(self.page_ids):
            raise ValueError("page_ids must differ from each other")
        lengths = np.linalg.norm(self.vectors, axis=1)
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

    def to_json(self) -> str:
        """The whole record as text, with the version of its format."""
        head = {"format": SCORES_FORMAT, "version": SCORES_VERSION}
        return json.dumps(head | asdict(self), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Scores:
        """Read what :meth:`to_json` wrote."""
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ValueError(f"these scores are not JSON: {error}") from error
        if not isinstance(found, dict) or found.pop("format", None) != SCORES_FORMAT:
            raise ValueError(f'this JSON has no "format": "{SCORES_FORMAT}", it holds no scores')
        version = found.pop("version", None)
        if version != SCORES_VERSION:
            raise ValueError(
                f"these scores have format version {version}, this dgmp reads {SCORES_VERSION}"
            )
        names = {entry.name for entry in fields(cls)}
        if set(found) != names:
            odd = ", ".join(sorted(set(found) ^ names))
            raise ValueError(f"these scores lack entries or have unknown ones: {odd}")
        for name, value in found.items():
            found[name] = _tuples(value)
        return cls(**found)


@lru_cache(maxsize=65536)
def _file_hash(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _percent(*shares: float) -> tuple[float, ...]:
    return tuple(100 * share for share in shares)


def _tuples(value: Any) -> Any:
    """Lists, which JSON has, as tuples, which records have."""
    if isinstance(value, list):
        return tuple(_tuples(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _tuples(entry) for key, entry in value.items()}
    return value
