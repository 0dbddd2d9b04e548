"""Calibration of a describer on pages by known writers.

Collections are drawn from the pages: some writers of one fold with one to six pages each, or with
one each, and of each scan one page at most: two crops of a scan agree in more than the hand. On the
pairs of all collections the densities of likenesses are fitted (``densities.py``). The collections
are then grouped at many thresholds; the one with the best mean measure is kept. The confidence of
groups is fitted on how often groups were right, the probability of pairs on how often these were.

The describer must not have seen the pages: one that was fitted on them sets them further apart than
any others. Where pages are scarce, fit it anew without each fold, describe the fold by it, and give
the folds; pages of different folds are never compared. Folds that are whole sources, each another
kind of writing, show best what happens on the pages of others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..evaluation import bcubed
from ..names import need
from ..records import Descriptors, Floats
from .background import Background
from .calibration import Calibration
from .densities import START, Pairs, fit_densities
from .evidence import Evidence, part
from .linkage import average_tree, cut_tree
from .margins import margins

MOST_PAGES = (1, 2, 4, 6)  # by one writer in a drawn collection, in turn
THRESHOLDS = np.arange(-5.0, 2.05, 0.1)  # of mean log-odds
NEAREST = 5  # pages of each whose probabilities are fitted: those that a search lists first
_RIDGE = 1e-3  # keeps curves finite where groups are right without exception


def fit_calibration(
    descriptors: Descriptors,
    writers: Sequence[Hashable],
    scans: Sequence[Hashable | None],
    *,
    folds: Sequence[Hashable] | None = None,
    collections: int = 200,
    seed: int = 0,
) -> Calibration:
    """What likenesses of a describer say about hands, from pages that it has not seen.

    The descriptors need the halves of pages. A scan is named within its writer; None: a scan of its
    own.
    """
    pages = len(descriptors.page_ids)
    folds = [0] * pages if folds is None else folds
    for name, given in (("writers", writers), ("scans", scans), ("folds", folds)):
        if len(given) != pages:
            raise ValueError(f"{pages} page_ids, but {len(given)} {name}")
    if descriptors.halves is None:
        raise ValueError("descriptors must have the halves of pages")
    known = _codes(writers)
    drawings = _draw(known, scans, _codes(folds), collections, np.random.default_rng(seed))
    collected = [_Collection(descriptors, rows, known[rows]) for rows in drawings]
    mixed = [each for each in collected if 0 < each.same.mean() < 1]
    if not mixed:
        raise ValueError("writers must have pages on two scans or more, none has")
    found = START
    for _ in range(2):  # what is found out about a collection depends on the densities
        pairs = [each.pairs(found) for each in mixed]
        _check_apart(pairs)
        found = fit_densities(pairs, found)
    return _fit_groups(collected, found)


@dataclass(frozen=True, eq=False)
class _Collection:
    """Some pages; their vectors are copied when they are asked for, as thousands are drawn."""

    everything: Descriptors
    rows: NDArray[np.intp]
    writers: NDArray[np.intp]  # of these

    @property
    def descriptors(self) -> Descriptors:
        return part(self.everything, self.rows)

    @property
    def same(self) -> NDArray[np.bool_]:
        rows, columns = np.triu_indices(len(self.writers), 1)
        return np.asarray(self.writers[rows] == self.writers[columns])

    def pairs(self, calibration: Calibration) -> Pairs:
        descriptors = self.descriptors
        background = Background.of(descriptors, len(self.writers), calibration)
        placed = background.place(descriptors)
        rows, columns = np.triu_indices(len(self.writers), 1)
        likeness = (placed.vectors @ placed.vectors.T)[rows, columns].astype(np.float64)
        reliability = placed.reliability[rows] * placed.reliability[columns]
        return Pairs(likeness, reliability.astype(np.float64), self.same, background.spread)


def _check_apart(collections: Sequence[Pairs]) -> None:
    same = np.concatenate([pairs.likeness[pairs.same] for pairs in collections])
    other = np.concatenate([pairs.likeness[~pairs.same] for pairs in collections])
    if np.median(same) <= np.median(other):
        raise ValueError("descriptors do not tell the writers apart: same-hand cosines are lower")


def _codes(names: Sequence[Hashable]) -> NDArray[np.intp]:
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names], dtype=np.intp)


def _draw(
    writers: NDArray[np.intp],
    scans: Sequence[Hashable | None],
    folds: NDArray[np.intp],
    number: int,
    generator: np.random.Generator,
) -> list[NDArray[np.intp]]:
    """Rows of the pages of each drawn collection."""
    in_fold = [np.unique(writers[folds == fold]) for fold in np.unique(folds)]
    in_fold = [names for names in in_fold if len(names) >= 3]
    if not in_fold:
        raise ValueError("writers must be at least 3 in some fold")
    drawn = []
    for turn in range(number):
        names = in_fold[turn % len(in_fold)]
        fold = folds[np.flatnonzero(writers == names[0])[0]]
        chosen = generator.choice(names, generator.integers(3, len(names) + 1), replace=False)
        rows: list[int] = []
        for writer in chosen:
            own = np.flatnonzero((writers == writer) & (folds == fold))
            generator.shuffle(own)
            once = {_scan(scans, i): i for i in own.tolist()}
            most = MOST_PAGES[turn // len(in_fold) % len(MOST_PAGES)]
            rows += list(once.values())[: generator.integers(1, most + 1)]
        drawn.append(np.array(sorted(rows), dtype=np.intp))
    return drawn


def _scan(scans: Sequence[Hashable | None], page: int) -> Hashable:
    """The key of a page's scan; a page without one is its own."""
    return page if scans[page] is None else ("scan", scans[page])


def _fit_groups(collected: Sequence[_Collection], calibration: Calibration) -> Calibration:
    scores = np.zeros(len(THRESHOLDS))
    trees, pairs_of = [], []
    for collection in collected:
        evidence = Evidence.of(collection.descriptors, calibration)
        tree, top = average_tree(evidence, np.arange(len(collection.writers)))
        joined = np.searchsorted(np.sort(tree[:, 2]), top - THRESHOLDS, side="right")
        by_joints = {}  # the same joints, the same groups
        for count, threshold in zip(joined.tolist(), THRESHOLDS, strict=True):
            if count not in by_joints:
                groups = cut_tree(tree, top - threshold)
                by_joints[count] = groups_and_number(collection.writers, groups)
        scores += [by_joints[count] for count in joined.tolist()]
        trees.append((tree, top))
        pairs_of.append(nearest_pairs(collection.writers, evidence))
    threshold = float(THRESHOLDS[int(scores.argmax())])
    insides, aparts, sizes, right = [], [], [], []
    for collection, (tree, top) in zip(collected, trees, strict=True):
        groups = cut_tree(tree, top - threshold)
        # Found out once more: kept, it would take as much memory as the vectors of all drawings.
        found = margins(Evidence.of(collection.descriptors, calibration), groups, threshold)
        insides.append(found.weakest)
        aparts.append(found.apart)
        sizes.append(np.bincount(groups))
        right.append(_exact(collection.writers, groups))
    inside, apart = np.concatenate(insides), np.concatenate(aparts)
    several, exact = np.concatenate(sizes) > 1, np.concatenate(right)
    joint = _logistic(np.stack([inside, apart], axis=1)[several], exact[several])
    odds, same = (np.concatenate(values) for values in zip(*pairs_of, strict=True))
    pairs = _logistic(odds[:, None], same)
    single = _logistic(apart[~several, None], exact[~several])
    return replace(
        calibration,
        threshold=threshold,
        confidence=(joint[0], joint[1], joint[2]),
        single_confidence=(single[0], single[1]),
        pair_odds=(pairs[0], pairs[1]),
    )


def nearest_pairs(
    writers: NDArray[np.intp], evidence: Evidence
) -> tuple[Floats, NDArray[np.bool_]]:
    """Log-odds of every page with the five nearest others, and whether they are by one hand."""
    rows = np.arange(len(writers))
    odds = evidence.between(rows, rows).astype(np.float64)
    np.fill_diagonal(odds, -np.inf)
    nearest = np.argsort(-odds, axis=1, kind="stable")[:, : min(NEAREST, len(writers) - 1)]
    found = np.take_along_axis(odds, nearest, axis=1)
    return found.ravel(), (writers[nearest] == writers[:, None]).ravel()


def groups_and_number(writers: NDArray[np.intp], groups: NDArray[np.intp]) -> float:
    """B-cubed F, less half the error in the number of groups: B-cubed alone splits hands."""
    error = len(np.unique(groups)) / len(np.unique(writers)) - 1
    return float(bcubed(writers, groups).f - abs(error) / 2)


def _exact(writers: NDArray[np.intp], groups: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which groups hold all pages of one writer and no others."""
    number = int(groups.max()) + 1
    table = np.zeros((number, int(writers.max()) + 1), dtype=int)
    np.add.at(table, (groups, writers), 1)
    return ((table > 0).sum(axis=1) == 1) & (
        table.sum(axis=0)[table.argmax(axis=1)] == table.sum(axis=1)
    )


def _logistic(features: Floats, outcomes: NDArray[np.bool_]) -> tuple[float, ...]:
    """Bias and slopes, none below 0, of the most likely logistic curve."""
    optimize = need("scipy.optimize")
    design = np.column_stack([np.ones(len(features)), features])
    signs = np.where(outcomes, 1.0, -1.0)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        margin = signs * (design @ parameters)
        slope = -signs * np.exp(-np.logaddexp(0, margin)) / len(signs)
        value = np.logaddexp(0, -margin).mean() + _RIDGE / 2 * parameters @ parameters
        return value, design.T @ slope + _RIDGE * parameters

    if not len(signs):
        return (0.0,) * design.shape[1]
    start = np.zeros(design.shape[1])
    bounds = [(None, None)] + [(0, None)] * (len(start) - 1)
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return tuple(float(value) for value in found.x)
