"""Which pages of a gallery are relevant to a query, and which are not ranked at all.

A page is relevant when it has the query's label. Left out are the query itself, found by its id,
and pages of the query's label on the query's own scan: they are neither hit nor miss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rankings import Places, checked_labels


@dataclass(frozen=True)
class LabelledPages:
    """Ids, labels and, where they are named, scans of the queries or of the gallery."""

    ids: Sequence[str]
    labels: Sequence[str]
    scans: Sequence[str] | None = None

    def sorted_by(self, order: Places) -> LabelledPages:
        """The same pages in another order."""

        def picked(entries: Sequence[str]) -> list[str]:
            return [entries[place] for place in order]

        scans = None if self.scans is None else picked(self.scans)
        return LabelledPages(picked(self.ids), picked(self.labels), scans)


@dataclass(frozen=True)
class Relevance:
    """Relevant and left-out places of the gallery for each query, both numbered by place."""

    queries: LabelledPages
    gallery: LabelledPages

    def __post_init__(self) -> None:
        if len(set(self.gallery.labels) | set(self.queries.labels)) < 2:
            raise ValueError(
                f"all pages have the one label {self.queries.labels[0]!r}: "
                "every ranking would be perfect"
            )

    def of(self, query: int) -> tuple[Places, Places]:
        """The places of the relevant pages, and of those that are left out."""
        own = self._place.get(self.queries.ids[query], -1)
        same = self._members.get(self.queries.labels[query], np.zeros(0, dtype=np.intp))
        ignored = same == own
        if self._scans is not None and self.queries.scans is not None:
            ignored |= self._scans[same] == self.queries.scans[query]
        left_out = same[ignored]
        if own >= 0 and own not in left_out:  # its label may differ between queries and gallery
            left_out = np.append(left_out, own)
        return same[~ignored], left_out

    def check_complete(self, query: int, listed: NDArray[Any]) -> None:
        """Raise unless the places listed for a query are the whole gallery but the query."""
        name = self.queries.ids[query]
        own = self._place.get(name, -1)
        if own >= 0 and (listed == own).any():
            raise ValueError(f"query {name!r} must be left out of its own ranking")
        due = len(self.gallery.ids) - (own >= 0)
        times = np.bincount(listed, minlength=len(self.gallery.ids))
        if len(listed) != due or times.max() > 1:
            raise ValueError(
                f"the ranking of query {name!r} must list all {due} other pages of the gallery "
                f"once, it has {np.count_nonzero(times)}; a shortened ranking has no mean average "
                "precision"
            )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.gallery.ids)}

    @cached_property
    def _members(self) -> dict[str, Places]:
        members: dict[str, list[int]] = {}
        for place, label in enumerate(self.gallery.labels):
            members.setdefault(label, []).append(place)
        return {label: np.array(places, dtype=np.intp) for label, places in members.items()}

    @cached_property
    def _scans(self) -> NDArray[Any] | None:
        return None if self.gallery.scans is None else np.array(self.gallery.scans, dtype=object)


Scans = tuple[str, ...] | None


def checked_scans(
    same_scan: Any, query_ids: Sequence[str], gallery_ids: Sequence[str], *, own_gallery: bool
) -> tuple[Scans, Scans]:
    """The scan of each query and of each gallery page."""
    if same_scan is None:
        return None, None
    if own_gallery or isinstance(same_scan, Mapping):
        same_scan = (same_scan, same_scan)
    if not isinstance(same_scan, tuple) or len(same_scan) != 2:
        raise ValueError("with a gallery, same_scan must be a pair: (of queries, of gallery)")
    return (
        checked_labels(same_scan[0], query_ids, "same_scan"),
        checked_labels(same_scan[1], gallery_ids, "same_scan"),
    )
