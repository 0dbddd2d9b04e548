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

from ..catalogue import Catalogue
from ..engines import Engine
from ..names import choose
from ..records import Decision, Descriptors, Hand, PageProgress, Question, Stage
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
from .linkage import join_groups, link_pages, members_of
from .many import evidence_of_many
from .margins import group_confidence, margins

# What is added to the threshold, in log-odds. Fewer hands: pages are joined on less evidence.
PREFERENCES = {"fewer": -1.0, "balanced": 0.0, "more": 1.0}
# What a page shares with all pages of its kind, of what its halves share: a median of at most 0.4
# on the sources of `hands`, each unseen, and of 0.9 on pages in another alphabet.
UNFAMILIAR = 0.6
UNFAMILIAR_SHARE = 0.2  # of the pages: fewer are not worth a word
_JOININGS = 3  # times that groups of a very large collection are looked at again


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


def group_many(
    catalogue: Catalogue,
    calibration: Calibration,
    *,
    prefer: str = "balanced",
    decisions: Sequence[Decision] = (),
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Grouped:
    """As :func:`group_and_ask`, of a catalogue whose vectors are too many for memory.

    Pages are compared with their neighbours only, see :mod:`.many`.
    """
    shift = choose(prefer, PREFERENCES, "preference")
    with evidence_of_many(catalogue, calibration, engine=engine, stage=stage) as (evidence, ids):
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
    groups = _by_size(link_pages(decided, threshold, begun("grouping pages")))
    found = margins(decided, groups, threshold, begun("judging hands"))
    for _ in range(_JOININGS if decided.neighbours is not None else 0):
        close = found.pairs_above(threshold)
        joined = _by_size(join_groups(decided, groups, close, threshold))
        if len(np.unique(joined)) == len(np.unique(groups)):
            break
        groups = joined
        found = margins(decided, groups, threshold)
    confidences = group_confidence(
        evidence.calibration, np.bincount(groups), found.weakest, found.apart
    )
    hands = []
    for number, members in enumerate(members_of(groups)):
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


def _by_size(groups: NDArray[np.intp]) -> NDArray[np.intp]:  # (pages,)
    """The same groups, the largest being 0."""
    by_size = np.argsort(-np.bincount(groups), kind="stable")
    return np.argsort(by_size)[groups]


def _announce_unfamiliar(evidence: Evidence) -> None:
    strange = int((evidence.placed.strangeness > UNFAMILIAR).sum())
    if strange >= UNFAMILIAR_SHARE * len(evidence):
        warnings.warn(
            f"{strange} of {len(evidence)} pages are of a kind of writing unlike those that the "
            "describer was calibrated on, such as another alphabet: probabilities and confidences "
            "are less certain there",
            stacklevel=4,
        )
