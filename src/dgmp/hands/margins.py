"""How far hands are from falling apart or together: what their confidence rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..records import Floats, PageProgress
from .calibration import Calibration, sigmoid
from .evidence import Edges, Evidence
from .linkage import members_of
from .neighbours import Neighbours, near_groups

NEAR = 5  # other groups that a group is compared with
TRIED = 8  # of a very large collection, those that neighbours propose
_BLOCK = 1024  # pages
FAR = 20.0  # log-odds: margins beyond say no more; also where there is no other hand at all


@dataclass(frozen=True, eq=False)
class Margins:
    """How far pages and groups are from falling apart or together, in log-odds."""

    fits: Floats  # (pages,): mean log-odds with the rest of their group above the threshold
    weakest: Floats  # (groups,): the least of these
    near: NDArray[np.intp]  # (groups, NEAR): the other groups most like one, −1: there are no more
    means: NDArray[np.float32]  # (groups, NEAR): mean log-odds with them
    apart: Floats  # (groups,): how far the nearest is below the threshold

    def pairs_above(self, threshold: float) -> Edges:
        """Groups that are near to each other and whose mean log-odds reach a threshold."""
        group, place = np.nonzero((self.means >= threshold) & (self.near >= 0))
        return group, self.near[group, place]


def margins(
    evidence: Evidence,
    groups: NDArray[np.intp],
    threshold: float,
    progress: PageProgress | None = None,
) -> Margins:
    """The margins of groups; what a person said to be by two hands is never near."""
    if evidence.neighbours is not None:
        return _among_neighbours(evidence, evidence.neighbours, groups, threshold, progress)
    sizes = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(sizes)
    starts = ends - sizes
    fits = np.full(len(groups), FAR)
    weakest = np.full(len(sizes), FAR)
    near = np.full((len(sizes), min(NEAR, len(sizes) - 1)), -1, dtype=np.intp)
    near_means = np.full(near.shape, -np.inf, np.float32)
    first = 0
    while first < len(sizes):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + _BLOCK, side="right")))
        rows = order[starts[first] : ends[last - 1]]
        own = np.arange(first, last)
        odds = evidence.between(rows, order)
        odds[np.arange(len(rows)), np.arange(starts[first], ends[last - 1])] = 0  # with itself
        sums = np.add.reduceat(odds, starts, axis=1)  # (rows, groups)
        within = sums[np.arange(len(rows)), groups[rows]] / np.maximum(sizes[groups[rows]] - 1, 1)
        several = sizes[groups[rows]] > 1
        fits[rows[several]] = np.clip(within[several] - threshold, -FAR, FAR)
        weakest[own] = np.minimum.reduceat(fits[rows], starts[own] - starts[first])
        means = np.add.reduceat(sums, starts[own] - starts[first], axis=0)
        means /= sizes[own, None] * sizes[None, :]
        means[np.arange(len(own)), own] = -np.inf
        nearest = np.argsort(-means, axis=1, kind="stable")[:, : near.shape[1]]
        near[own], near_means[own] = nearest, np.take_along_axis(means, nearest, axis=1)
        if progress is not None:
            progress(len(rows))
        first = last
    return _margins(fits, weakest, near, near_means, threshold)


def _margins(
    fits: Floats,
    weakest: Floats,
    near: NDArray[np.intp],
    means: NDArray[np.float32],
    threshold: float,
) -> Margins:
    # No evidence is so low: it was said to be by two hands.
    near[means < -2 * FAR] = -1
    best = means.max(axis=1, initial=-np.inf)
    apart = np.clip(threshold - best, -FAR, FAR).astype(np.float64)
    return Margins(fits, weakest, near, means, apart)


def _among_neighbours(
    evidence: Evidence,
    neighbours: Neighbours,
    groups: NDArray[np.intp],
    threshold: float,
    progress: PageProgress | None,
) -> Margins:
    """The same, of other groups those that neighbours belong to."""
    members = members_of(groups)
    tried = near_groups(neighbours, groups, members, TRIED)
    fits = np.full(len(groups), FAR)
    weakest = np.full(len(members), FAR)
    near = np.full((len(members), min(NEAR, len(members) - 1)), -1, dtype=np.intp)
    near_means = np.full(near.shape, -np.inf, np.float32)
    for group, own in enumerate(members):
        if len(own) > 1:
            fits[own] = np.clip(_with_rest(evidence, own) - threshold, -FAR, FAR)
            weakest[group] = fits[own].min()
        others = tried[group, tried[group] >= 0]
        if len(others):
            means = _means(evidence, own, [members[other] for other in others])
            best = np.argsort(-means, kind="stable")[: near.shape[1]]
            near[group, : len(best)], near_means[group, : len(best)] = others[best], means[best]
        if progress is not None:
            progress(len(own))
    return _margins(fits, weakest, near, near_means, threshold)


def _with_rest(evidence: Evidence, own: NDArray[np.intp]) -> Floats:  # (own,)
    """The mean log-odds of each page with the others."""
    sums = np.zeros(len(own))
    for start in range(0, len(own), _BLOCK):
        odds = evidence.between(own[start : start + _BLOCK], own)
        np.fill_diagonal(odds[:, start:], 0)  # with itself
        sums[start : start + _BLOCK] = odds.sum(axis=1)
    return sums / (len(own) - 1)


def _means(
    evidence: Evidence, own: NDArray[np.intp], others: list[NDArray[np.intp]]
) -> NDArray[np.float32]:  # (others,)
    """The mean log-odds of a group with some."""
    sizes = np.array([len(other) for other in others])
    if sizes.sum() > _BLOCK and len(others) > 1:  # one after another
        return np.concatenate([_means(evidence, own, [other]) for other in others])
    sums = np.zeros(len(others))
    for start in range(0, len(own), _BLOCK):
        odds = evidence.between(own[start : start + _BLOCK], np.concatenate(others))
        sums += np.add.reduceat(odds.sum(axis=0), np.cumsum(sizes) - sizes)
    return (sums / (sizes * len(own))).astype(np.float32)


def group_confidence(
    calibration: Calibration, sizes: NDArray[np.intp], weakest: Floats, apart: Floats
) -> Floats:
    """The probability that each group is right, from its margins."""
    bias, inside, outside = calibration.confidence
    single_bias, single_outside = calibration.single_confidence
    several = bias + inside * weakest + outside * apart
    single = single_bias + single_outside * apart
    return sigmoid(np.where(sizes > 1, several, single))
