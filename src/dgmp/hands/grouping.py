"""Pages into hands, their number unknown.

Pages are joined by average linkage of calibrated log-odds (``linkage.py``) as long as these stay
above a threshold that did best on collections drawn from known writers. It is below zero: the mean
over the pairs of two groups says more than a single pair. A page that nothing reaches stays alone.
What comes out depends on the pages and the describer only, not on the order of the pages.

Every hand has a confidence, the probability that it is right: that its pages are by one hand and
that the collection has no other page by it. It is a logistic curve of two margins, how far the page
that fits least is above the threshold and how far the nearest other hand is below, fitted on the
same drawn collections. A page alone has the second margin only. A hand of which a person said that
all its pages are by one has confidence 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..names import choose
from ..records import Decision, Descriptors, Floats, Hand
from .calibration import Calibration, sigmoid
from .deciding import Constraints, DecidedEvidence, with_names
from .evidence import Evidence, part
from .linkage import link_pages

# What is added to the threshold, in log-odds. Fewer hands: pages are joined on less evidence.
PREFERENCES = {"fewer": -1.0, "balanced": 0.0, "more": 1.0}
# What a page shares with all pages of its kind, of what its halves share: a median of at most 0.4
# on the sources of `hands`, each unseen, and of 1 on pages in another alphabet.
UNFAMILIAR = 0.6
UNFAMILIAR_SHARE = 0.2  # of the pages: fewer are not worth a word
_BLOCK = 1024  # pages
FAR = 20.0  # log-odds: margins beyond say no more; also where there is no other hand at all


def group_pages(
    descriptors: Descriptors,
    calibration: Calibration,
    *,
    prefer: str = "balanced",
    decisions: Sequence[Decision] = (),
) -> tuple[Hand, ...]:
    """The hands of a collection, those with most pages first.

    ``prefer`` is one of ``PREFERENCES``: where the evidence leaves it open, ``fewer`` hands or
    ``more``. ``decisions`` in force, oldest first, are obeyed.
    """
    threshold = calibration.threshold + choose(prefer, PREFERENCES, "preference")
    order = np.argsort(np.array(descriptors.page_ids, dtype=object), kind="stable")
    if not len(order):
        return ()
    ids = [descriptors.page_ids[i] for i in order]
    evidence = Evidence.of(part(descriptors, order), calibration)
    _announce_unfamiliar(evidence)
    constraints = Constraints.of(decisions)
    if constraints:
        evidence = DecidedEvidence.over(evidence, ids, constraints)
    groups = link_pages(evidence, threshold)
    sizes = np.bincount(groups)
    by_size = np.argsort(-sizes, kind="stable")
    groups = np.argsort(by_size)[groups]  # renamed: the largest is 0
    fits, weakest, nearest, apart = margins(evidence, groups, threshold)
    confidences = group_confidence(calibration, np.bincount(groups), weakest, apart)
    hands = []
    for number in range(len(sizes)):
        members = np.flatnonzero(groups == number)
        members = members[np.argsort(-fits[members], kind="stable")]
        page_ids = tuple(ids[i] for i in members)
        decided = constraints.decided(page_ids)
        hands.append(
            Hand(
                number + 1,
                page_ids,
                tuple(sigmoid(fits[members]).tolist()) if len(members) > 1 else (1.0,),
                1.0 if decided else float(confidences[number]),
                int(nearest[number]) + 1 if nearest[number] >= 0 else None,
                decided=decided,
            )
        )
    return with_names(hands, decisions)


def _announce_unfamiliar(evidence: Evidence) -> None:
    strange = int((evidence.placed.strangeness > UNFAMILIAR).sum())
    if strange >= UNFAMILIAR_SHARE * len(evidence):
        warnings.warn(
            f"{strange} of {len(evidence)} pages are of a kind of writing unlike those that the "
            "describer was calibrated on, such as another alphabet: probabilities and confidences "
            "are less certain there",
            stacklevel=3,
        )


def margins(
    evidence: Evidence, groups: NDArray[np.intp], threshold: float
) -> tuple[Floats, Floats, NDArray[np.intp], Floats]:
    """How far pages and groups are from falling apart or together, in log-odds.

    For pages: the mean log-odds with the rest of their group above the threshold. For groups: the
    least of these; the nearest other group that nobody said to be by another hand, −1 where there
    is none; how far that one is below.
    """
    sizes = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(sizes)
    starts = ends - sizes
    fits = np.full(len(groups), FAR)
    weakest, apart = np.full(len(sizes), FAR), np.full(len(sizes), FAR)
    nearest = np.full(len(sizes), -1, dtype=np.intp)
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
        if len(sizes) > 1:
            means = np.add.reduceat(sums, starts[own] - starts[first], axis=0)
            means /= sizes[own, None] * sizes[None, :]
            means[np.arange(len(own)), own] = -np.inf
            best = means.max(axis=1)
            # No evidence is so low: what is has been said to be by two hands.
            nearest[own] = np.where(best > -2 * FAR, means.argmax(axis=1), -1)
            apart[own] = np.clip(threshold - best, -FAR, FAR)
        first = last
    return fits, weakest, nearest, apart


def group_confidence(
    calibration: Calibration, sizes: NDArray[np.intp], weakest: Floats, apart: Floats
) -> Floats:
    """The probability that each group is right, from its margins."""
    bias, inside, outside = calibration.confidence
    single_bias, single_outside = calibration.single_confidence
    several = bias + inside * weakest + outside * apart
    single = single_bias + single_outside * apart
    return sigmoid(np.where(sizes > 1, several, single))
