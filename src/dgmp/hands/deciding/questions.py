"""The questions whose answers are worth most: uncertain ones, about many pairs of pages.

Linkage joins two groups L and R if their mean log-odds s reach the threshold. They are by one hand
with a probability p(s), a curve that bends at the threshold and that answers move
(:mod:`.recalibration`). Where they are joined wrongly, or wrongly kept apart, the |L|·|R| pairs of
pages across are wrong. So an answer puts (1 − p)·|L|·|R| or p·|L|·|R| pairs right on average, its
*worth*. Asked are

- for every hand and those nearest to it, whether they are one, and
- for every joint in the tree of a hand, whether its two sides are one.

A person cannot compare groups, but two pages: of either side the one most like the rest of it,
which the answer says most about (:mod:`.decided_evidence`). What was decided, what follows from
decisions and what somebody was unsure about is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...records import Decision, Question
from ..evidence import Evidence
from ..linkage import members_of
from .constraints import Constraints
from .joints import Pages, Tree
from .recalibration import JointCurve

MOST_QUESTIONS = 500  # of one grouping
_SHOWN = 3  # pages of each side that are tried where a pair cannot be asked about


def open_questions(
    questions: Sequence[Question], decisions: Sequence[Decision]
) -> tuple[Question, ...]:
    """Those of some questions that are still to be asked after decisions in force."""
    open = _Open(decisions, Constraints.of(decisions))
    return tuple(question for question in questions if open(question.first, question.second))


class _Open:
    """Whether a pair of pages may be asked about."""

    def __init__(self, decisions: Sequence[Decision], constraints: Constraints) -> None:
        self.constraints = constraints
        self.unsure = {
            frozenset((one, other))
            for decision in decisions
            if decision.verdict == "unsure"
            for one in decision.first
            for other in decision.second
        }

    def __call__(self, one: str, other: str) -> bool:
        return frozenset((one, other)) not in self.unsure and (
            self.constraints.said(one, other) is None
        )


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Two sides of which it is in doubt whether they are by one hand."""

    worth: float
    first: Pages
    second: Pages


@dataclass(frozen=True, eq=False)
class Doubts:
    """A grouping as it is to be asked about."""

    evidence: Evidence  # with decisions
    plain: Evidence  # without
    page_ids: Sequence[str]
    groups: NDArray[np.intp]  # (pages,), from 0
    near: NDArray[np.intp]  # (groups, some): the nearest other groups, −1 where there are no more
    means: NDArray[np.float32]  # (groups, some): the mean log-odds with them
    curve: JointCurve

    def questions(
        self, decisions: Sequence[Decision], constraints: Constraints, n: int
    ) -> tuple[Question, ...]:
        """The n questions worth most, those first."""
        open = _Open(decisions, constraints)
        found = []
        for candidate in sorted(self.candidates(), key=lambda c: -c.worth):
            pairs = ((a, b) for a, b in self._shown(candidate))
            pair = next((p for p in pairs if open(*(self.page_ids[i] for i in p))), None)
            if pair is not None:
                found.append(self._question(candidate, *pair))
            if len(found) == n:
                break
        return tuple(found)

    def candidates(self) -> list[_Candidate]:
        """What could be asked, in the order of the hands."""
        members = members_of(self.groups)
        return [c for own in members for c in self._joints(own)] + [
            self._candidate(members[group], members[other], float(mean), joined=False)
            for group, (others, means) in enumerate(zip(self.near, self.means, strict=True))
            for other, mean in zip(others.tolist(), means, strict=True)
            if other >= 0 and not (other < group and group in self.near[other])
        ]

    def _joints(self, members: Pages) -> list[_Candidate]:
        """The joints in the tree of a group."""
        tree = Tree.of(self.evidence, members)
        return [
            self._candidate(tree.pages[one], tree.pages[other], mean, joined=True)
            for one, other, mean in tree.joints
        ]

    def _candidate(self, first: Pages, second: Pages, mean: float, *, joined: bool) -> _Candidate:
        pairs = len(first) * len(second)
        one_hand = float(self.curve.probability(np.array(mean), np.array(pairs)))
        return _Candidate((1 - one_hand if joined else one_hand) * pairs, first, second)

    def _shown(self, candidate: _Candidate) -> list[tuple[int, int]]:
        """Pairs of pages that stand for the two sides, the best first."""
        ours, theirs = self._typical(candidate.first), self._typical(candidate.second)
        places = sorted(
            ((i, j) for i in range(len(ours)) for j in range(len(theirs))),
            key=lambda place: (sum(place), place),
        )
        return [(ours[i], theirs[j]) for i, j in places]

    def _typical(self, pages: Pages) -> list[int]:
        odds = self.plain.between(pages, pages).astype(np.float64)
        np.fill_diagonal(odds, 0)
        return [int(i) for i in pages[np.argsort(-odds.sum(axis=1), kind="stable")[:_SHOWN]]]

    def _question(self, candidate: _Candidate, one: int, other: int) -> Question:
        odds = float(self.plain.between(np.array([one]), np.array([other]))[0, 0])
        return Question(
            self.page_ids[one],
            self.page_ids[other],
            float(self.plain.calibration.probability(np.array(odds))),
            float(np.exp(odds - self.plain.prior)),
            candidate.worth,
            (int(self.groups[one]) + 1, int(self.groups[other]) + 1),
        )
