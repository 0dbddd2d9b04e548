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
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..names import choose
from ..records import Decision, Descriptors, Floats, Hand, PageProgress, Question, Stage
from .calibration import Calibration, sigmoid
from .deciding import (
    MOST_QUESTIONS,
    Constraints,
    DecidedEvidence,
    Doubts,
    Joints,
    learn,
    learn_shift,
    recalibrated,
    with_names,
)
from .evidence import Evidence, part
from .linkage import link_pages

# What is added to the threshold, in log-odds. Fewer hands: pages are joined on less evidence.
PREFERENCES = {"fewer": -1.0, "balanced": 0.0, "more": 1.0}
# What a page shares with all pages of its kind, of what its halves share: a median of at most 0.4
# on the sources of `hands`, each unseen, and of 1 on pages in another alphabet.
UNFAMILIAR = 0.6
UNFAMILIAR_SHARE = 0.2  # of the pages: fewer are not worth a word
NEAR = 5  # other groups that a group is compared with
_BLOCK = 1024  # pages
FAR = 20.0  # log-odds: margins beyond say no more; also where there is no other hand at all


@dataclass(frozen=True)
class Grouped:
    """The hands of a collection, what to ask a person about them, and what answers taught."""

    hands: tuple[Hand, ...]
    questions: tuple[Question, ...] = ()
    shift: float = 0.0  # what log-odds are worth more in this collection


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
    return group_and_ask(descriptors, calibration, prefer=prefer, decisions=decisions).hands


def group_and_ask(
    descriptors: Descriptors,
    calibration: Calibration,
    *,
    prefer: str = "balanced",
    decisions: Sequence[Decision] = (),
    stage: Stage | None = None,
) -> Grouped:
    """As :func:`group_pages`, with the questions whose answers would be worth most."""
    shift = choose(prefer, PREFERENCES, "preference")
    order = np.argsort(np.array(descriptors.page_ids, dtype=object), kind="stable")
    if not len(order):
        return Grouped(())
    ids = [descriptors.page_ids[i] for i in order]
    evidence = Evidence.of(part(descriptors, order), calibration)
    _announce_unfamiliar(evidence)
    return group_evidence(evidence, ids, decisions, preference=shift, stage=stage)


def group_evidence(
    evidence: Evidence,
    ids: Sequence[str],
    decisions: Sequence[Decision] = (),
    *,
    preference: float = 0.0,
    questions: int = MOST_QUESTIONS,
    stage: Stage | None = None,
) -> Grouped:
    """The hands of pages whose evidence is known, in the order of their ids.

    ``preference`` is added to the threshold.
    """

    def begun(name: str) -> PageProgress | None:
        return None if stage is None else stage(name, len(ids))

    constraints = Constraints.of(decisions)
    learned = learn(evidence, ids, decisions)
    threshold = learned.threshold + preference
    decided = evidence
    if constraints:
        joints = Joints.of(evidence, threshold, begun("comparing pages"))
        decided = DecidedEvidence.over(joints, ids, constraints, learned.curve)
    groups = link_pages(decided, threshold, begun("grouping pages"))
    sizes = np.bincount(groups)
    by_size = np.argsort(-sizes, kind="stable")
    groups = np.argsort(by_size)[groups]  # renamed: the largest is 0
    found = margins(decided, groups, threshold, begun("judging hands"))
    confidences = group_confidence(
        evidence.calibration, np.bincount(groups), found.weakest, found.apart
    )
    hands = []
    for number in range(len(sizes)):
        members = np.flatnonzero(groups == number)
        members = members[np.argsort(-found.fits[members], kind="stable")]
        page_ids = tuple(ids[i] for i in members.tolist())
        confirmed = constraints.decided(page_ids)
        nearest = found.near[number, :1]
        hands.append(
            Hand(
                number + 1,
                page_ids,
                tuple(sigmoid(found.fits[members]).tolist()) if len(members) > 1 else (1.0,),
                1.0 if confirmed else float(confidences[number]),
                int(nearest[0]) + 1 if len(nearest) and nearest[0] >= 0 else None,
                decided=confirmed,
            )
        )
    shift = learn_shift(evidence, ids, decisions, groups)
    plain = replace(evidence, calibration=recalibrated(evidence.calibration, shift))
    doubts = Doubts(decided, plain, ids, groups, found.near, found.means, learned.curve)
    asked = doubts.questions(decisions, constraints, questions)
    return Grouped(with_names(hands, decisions), asked, shift)


def _announce_unfamiliar(evidence: Evidence) -> None:
    strange = int((evidence.placed.strangeness > UNFAMILIAR).sum())
    if strange >= UNFAMILIAR_SHARE * len(evidence):
        warnings.warn(
            f"{strange} of {len(evidence)} pages are of a kind of writing unlike those that the "
            "describer was calibrated on, such as another alphabet: probabilities and confidences "
            "are less certain there",
            stacklevel=4,
        )


@dataclass(frozen=True, eq=False)
class Margins:
    """How far pages and groups are from falling apart or together, in log-odds."""

    fits: Floats  # (pages,): mean log-odds with the rest of their group above the threshold
    weakest: Floats  # (groups,): the least of these
    near: NDArray[np.intp]  # (groups, NEAR): the other groups most like one, −1: there are no more
    means: NDArray[np.float32]  # (groups, NEAR): mean log-odds with them
    apart: Floats  # (groups,): how far the nearest is below the threshold


def margins(
    evidence: Evidence,
    groups: NDArray[np.intp],
    threshold: float,
    progress: PageProgress | None = None,
) -> Margins:
    """The margins of groups; what a person said to be by two hands is never near."""
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
    # No evidence is so low: it was said to be by two hands.
    near[near_means < -2 * FAR] = -1
    best = near_means.max(axis=1, initial=-np.inf)
    apart = np.clip(threshold - best, -FAR, FAR).astype(np.float64)
    return Margins(fits, weakest, near, near_means, apart)


def group_confidence(
    calibration: Calibration, sizes: NDArray[np.intp], weakest: Floats, apart: Floats
) -> Floats:
    """The probability that each group is right, from its margins."""
    bias, inside, outside = calibration.confidence
    single_bias, single_outside = calibration.single_confidence
    several = bias + inside * weakest + outside * apart
    single = single_bias + single_outside * apart
    return sigmoid(np.where(sizes > 1, several, single))
