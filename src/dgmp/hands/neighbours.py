"""The pages nearest to each page, where a collection is too large to compare all with all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .calibration import LEAST_EVIDENCE

_PRODUCTS = 2**26  # that are in memory at once


@dataclass(frozen=True, eq=False)
class Neighbours:
    """For each page the pages with the highest evidence of one hand, those first."""

    pages: NDArray[np.int32]  # (pages, some), −1: there are no more
    evidence: NDArray[np.float32]  # (pages, some): of one hand against two, without a prior
    shorts: NDArray[np.float16]  # (pages, short): their products rise with evidence, about

    def edges(self, least: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The pairs that have so much evidence, some of them twice."""
        first, place = np.nonzero((self.evidence >= least) & (self.pages >= 0))
        return first, self.pages[first, place].astype(np.intp)

    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
        """All pairs, each once, and their evidence."""
        first, place = np.nonzero(self.pages >= 0)
        second = self.pages[first, place].astype(np.intp)
        low, high = np.minimum(first, second), np.maximum(first, second)
        _, once = np.unique(low * len(self.pages) + high, return_index=True)
        return low[once], high[once], self.evidence[first[once], place[once]]


def near_groups(
    neighbours: Neighbours,
    groups: NDArray[np.intp],  # (pages,)
    members: Sequence[NDArray[np.intp]],
    n: int,
) -> NDArray[np.intp]:  # (groups, n), −1: there are no more
    """The groups that may be most like each group, by the pairs of neighbours across.

    A large group may have no neighbours but its own pages: mean short vectors propose for it.
    """
    first, second, evidence = neighbours.pairs()
    across = groups[first] != groups[second]
    first, second, evidence = first[across], second[across], evidence[across]
    ours = np.concatenate([groups[first], groups[second]])
    theirs = np.concatenate([groups[second], groups[first]])
    keys, place = np.unique(ours * len(members) + theirs, return_inverse=True)
    # Pairs that are no neighbours have the least evidence there is.
    sums = np.bincount(place, np.tile(evidence - LEAST_EVIDENCE, 2), minlength=len(keys))
    ours, theirs = keys // len(members), keys % len(members)
    sizes = np.bincount(groups)
    order = np.lexsort((theirs, -sums / (sizes[ours] * sizes[theirs]), ours))
    ours, theirs = ours[order], theirs[order]
    rank = np.arange(len(ours)) - np.searchsorted(ours, ours)
    found = np.full((len(members), n), -1, dtype=np.intp)
    found[ours[rank < n], rank[rank < n]] = theirs[rank < n]
    large = np.flatnonzero(sizes > neighbours.pages.shape[1] // 2)
    if len(large) and len(members) > 1:
        kept = min(n, len(members) - 1)
        found[large, :kept] = _by_means(neighbours.shorts, members, large, kept)
        found[large, kept:] = -1
    return found


def _by_means(
    shorts: NDArray[np.float16],
    members: Sequence[NDArray[np.intp]],
    large: NDArray[np.intp],
    n: int,
) -> NDArray[np.intp]:  # (large, n)
    means = np.empty((len(members), shorts.shape[1]), np.float32)
    for group, own in enumerate(members):
        means[group] = shorts[own].mean(axis=0, dtype=np.float32)
    found = np.empty((len(large), n), np.intp)
    step = max(1, _PRODUCTS // len(members))
    for start in range(0, len(large), step):
        part = large[start : start + step]
        products = means[part] @ means.T
        products[np.arange(len(part)), part] = -np.inf
        found[start : start + step] = np.argpartition(-products, n - 1, axis=1)[:, :n]
    return found
