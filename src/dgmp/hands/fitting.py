"""Calibration of a describer on pages by known writers.

Collections are drawn from the pages, some writers of one fold with one to six pages each, and of
each scan one page at most: two crops of a scan agree in more than the hand. On the pairs of all
collections a logistic curve is fitted, whose offset is the share of one-hand pairs in the
collection of each pair, so that what remains is evidence and not the prior of the drawing. The
collections are then grouped at many thresholds; the one with the best mean measure is kept, then in
the same way that from which a page alone joins a group. The confidence of groups is fitted on how
often groups were right.

The describer must not have seen the pages: one that was fitted on them sets them further apart than
any others. Where pages are scarce, fit it anew without each fold, describe the fold by it, and give
the folds; pages of different folds are never compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..evaluation import bcubed
from ..names import need
from ..records import Descriptors, Floats
from .calibration import Background, Calibration, stretched
from .evidence import Evidence
from .grouping import margins
from .linkage import average_tree, cut_tree, join_lone_pages

MOST_PAGES = 6  # by one writer in a drawn collection
THRESHOLDS = np.arange(-6.0, 6.05, 0.1)  # of mean log-odds
LONE_STEPS = np.arange(0.0, -4.1, -0.25)  # from there, for a page alone
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
    """What cosines of a describer say about hands, from pages that it has not seen.

    A scan is named within its writer; None: a scan of its own.
    """
    pages = len(descriptors.page_ids)
    folds = [0] * pages if folds is None else folds
    for name, given in (("writers", writers), ("scans", scans), ("folds", folds)):
        if len(given) != pages:
            raise ValueError(f"{pages} page_ids, but {len(given)} {name}")
    known = _codes(writers)
    drawings = _draw(known, scans, _codes(folds), collections, np.random.default_rng(seed))
    collected = [_Collection(_part(descriptors, rows), known[rows]) for rows in drawings]
    location, spread = _typical(collected)
    weight, bias = _fit_pairs(collected, location, spread)
    found = Calibration(location, spread, weight, bias, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0))
    return _fit_groups(collected, found)


@dataclass(frozen=True, eq=False)
class _Collection:
    descriptors: Descriptors
    writers: NDArray[np.intp]

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.triu_indices(len(self.writers), 1)


def _codes(names: Sequence[Hashable]) -> NDArray[np.intp]:
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names], dtype=np.intp)


def _part(descriptors: Descriptors, rows: NDArray[np.intp]) -> Descriptors:
    ids = tuple(descriptors.page_ids[i] for i in rows)
    return Descriptors(ids, descriptors.vectors[rows], descriptors.spec)


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
            rows += list(once.values())[: generator.integers(1, MOST_PAGES + 1)]
        drawn.append(np.array(sorted(rows), dtype=np.intp))
    both = [rows for rows in drawn if 0 < _same(writers[rows]).mean() < 1]
    if not both:
        raise ValueError("writers must have pages on two scans or more, none has")
    return both


def _scan(scans: Sequence[Hashable | None], page: int) -> Hashable:
    """The key of a page's scan; a page without one is its own."""
    return page if scans[page] is None else ("scan", scans[page])


def _same(writers: NDArray[np.intp]) -> NDArray[np.bool_]:
    rows, columns = np.triu_indices(len(writers), 1)
    return writers[rows] == writers[columns]


def _typical(collected: Sequence[_Collection]) -> tuple[float, float]:
    """Median and lower spread of the stretched cosines of a page to pages by other writers."""
    middles, spreads = [], []
    for collection in collected:
        cosines = collection.descriptors.vectors @ collection.descriptors.vectors.T
        for row, writer in zip(stretched(cosines), collection.writers, strict=True):
            low, middle = np.quantile(row[collection.writers != writer], (0.16, 0.5))
            middles.append(middle)
            spreads.append(middle - low)
    return float(np.median(middles)), float(np.median(spreads))


def _fit_pairs(
    collected: Sequence[_Collection], location: float, spread: float
) -> tuple[float, float]:
    scores, same, offsets = [], [], []
    plain = Calibration(location, spread, 1.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0))
    for collection in collected:
        vectors, ids = collection.descriptors.vectors, collection.descriptors.page_ids
        background = Background.of(vectors, vectors, location, spread, ids, ids)
        rows, columns = collection.pairs
        cosines = np.einsum("pd,pd->p", vectors[rows], vectors[columns])
        scores.append(plain.evidence(cosines, background[rows], background[columns]))
        same.append(_same(collection.writers))
        share = same[-1].mean()
        offsets.append(np.full(len(rows), np.log(share / (1 - share))))
    features = np.concatenate(scores)[:, None]
    bias, weight = _logistic(features, np.concatenate(same), np.concatenate(offsets))
    if weight <= 0:
        raise ValueError("descriptors do not tell the writers apart: same-hand cosines are lower")
    return weight, bias


def _fit_groups(collected: Sequence[_Collection], calibration: Calibration) -> Calibration:
    scores = np.zeros(len(THRESHOLDS))
    groupings = []
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
        groupings.append((collection.writers, evidence, tree, top))
    threshold = float(THRESHOLDS[int(scores.argmax())])
    cut = [
        (writers, evidence, cut_tree(tree, top - threshold))
        for writers, evidence, tree, top in groupings
    ]
    lone_threshold = _best_lone_threshold(cut, threshold)
    insides, aparts, sizes, right = [], [], [], []
    for writers, evidence, linked in cut:
        groups = join_lone_pages(evidence, linked, lone_threshold)
        _, weakest, _, apart = margins(evidence, groups, threshold)
        insides.append(weakest)
        aparts.append(apart)
        sizes.append(np.bincount(groups))
        right.append(_exact(writers, groups))
    inside, apart = np.concatenate(insides), np.concatenate(aparts)
    several, exact = np.concatenate(sizes) > 1, np.concatenate(right)
    joint = _logistic(np.stack([inside, apart], axis=1)[several], exact[several])
    single = _logistic(apart[~several, None], exact[~several])
    return replace(
        calibration,
        threshold=threshold,
        lone_threshold=lone_threshold,
        confidence=(joint[0], joint[1], joint[2]),
        single_confidence=(single[0], single[1]),
    )


def groups_and_number(writers: NDArray[np.intp], groups: NDArray[np.intp]) -> float:
    """B-cubed F, less the error of the number of groups: B-cubed alone leaves hands in two."""
    error = len(np.unique(groups)) / len(np.unique(writers)) - 1
    return float(bcubed(writers, groups).f - abs(error))


def _best_lone_threshold(
    cut: Sequence[tuple[NDArray[np.intp], Evidence, NDArray[np.intp]]],
    threshold: float,
) -> float:
    """The threshold, at most that of groups, from which pages alone had better join a group."""
    tried = threshold + LONE_STEPS
    scores = np.zeros(len(tried))
    for writers, evidence, groups in cut:
        joined = [join_lone_pages(evidence, groups, float(lone)) for lone in tried]
        scores += [groups_and_number(writers, found) for found in joined]
    return float(tried[int(scores.argmax())])


def _exact(writers: NDArray[np.intp], groups: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which groups hold all pages of one writer and no others."""
    number = int(groups.max()) + 1
    table = np.zeros((number, int(writers.max()) + 1), dtype=int)
    np.add.at(table, (groups, writers), 1)
    return ((table > 0).sum(axis=1) == 1) & (
        table.sum(axis=0)[table.argmax(axis=1)] == table.sum(axis=1)
    )


def _logistic(
    features: Floats, outcomes: NDArray[np.bool_], offsets: Floats | float = 0.0
) -> tuple[float, ...]:
    """Bias and slopes, none below 0, of the most likely logistic curve."""
    optimize = need("scipy.optimize")
    design = np.column_stack([np.ones(len(features)), features])
    signs = np.where(outcomes, 1.0, -1.0)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        margin = signs * (design @ parameters + offsets)
        slope = -signs * np.exp(-np.logaddexp(0, margin)) / len(signs)
        value = np.logaddexp(0, -margin).mean() + _RIDGE / 2 * parameters @ parameters
        return value, design.T @ slope + _RIDGE * parameters

    if not len(signs):
        return (0.0,) * design.shape[1]
    start = np.zeros(design.shape[1])
    bounds = [(None, None)] + [(0, None)] * (len(start) - 1)
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return tuple(float(value) for value in found.x)
