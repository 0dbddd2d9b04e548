"""Evidence that obeys decisions, and learns from them about pages that nobody spoke of.

Average linkage needs nothing but the log-odds of pairs, so a decision is one of them: pages that a
person said to be by one hand have log-odds above all others and are joined first, after which their
node has the mean evidence of its pages; two pages that are by two hands have log-odds so low that
no mean over groups of any size with them in it reaches a threshold. So no group ever breaks a
decision, and everything that is exact about linkage stays exact.

A person who says that a and b are by one hand says it of the pages like them as well. Let p(x, a)
be the probability that a page x is by the hand of a, by where the two come together in the tree of
their group (:mod:`.recalibration`). If a and b are by one hand, x and y are so with a probability
of at least p(x, a)·p(y, b). If they are by two hands, x cannot be by both, which leaves
p'(x, a) = p(x, a)·(1 − p(x, b)) / (1 − p(x, a)·p(x, b)), and x and y are by one hand with a
probability of at most 1 − p'(x, a)·p'(y, b). Where that is beyond ½, log-odds of x and y are
brought to it. Where both apply, x and y are by two hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...records import Floats, PageProgress
from ..evidence import Edges, Evidence
from .constraints import Constraints
from .joints import Joints, Pages
from .recalibration import JointCurve

TOGETHER = 20.0  # log-odds above any evidence
APART = -1e12  # a mean over 20 000² pairs with one such is below any evidence
_SURE = 1 - 1e-4  # probability: only decisions are surer
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Like:
    """The pages in the groups of some that were decided, and how probably they are by the hand."""

    pages: Pages  # those decided, then others
    probabilities: Floats
    decided: int

    @classmethod
    def of(cls, decided: Pages, probabilities: Floats) -> Like:  # (pages of the collection,)
        """Those decided, and all that are more probably by that hand than not."""
        others = np.setdiff1d(np.flatnonzero(probabilities > 0.5), decided)
        pages = np.concatenate([decided, others])
        return cls(pages, probabilities[pages], len(decided))


@dataclass(frozen=True, eq=False)
class Rule:
    """Pages that are by one hand (``one`` is ``other``) or, on either side, by two."""

    one: Like
    other: Like

    @property
    def together(self) -> bool:
        """Whether it is about one hand."""
        return self.one is self.other


@dataclass(frozen=True, eq=False)
class DecidedEvidence(Evidence):
    """Log-odds between the pages of a collection as evidence and decisions give them."""

    plain: Evidence  # without decisions
    curve: JointCurve
    rules: tuple[Rule, ...]
    about: Mapping[int, Sequence[int]]  # the rules that have to do with a page

    @classmethod
    def over(
        cls, joints: Joints, page_ids: Sequence[str], constraints: Constraints, curve: JointCurve
    ) -> DecidedEvidence:
        """Of the pages of some evidence, in their order."""
        inside: dict[int, list[int]] = {}
        for place, id in enumerate(page_ids):
            if id in constraints.node_of:
                inside.setdefault(constraints.node_of[id], []).append(place)

        def pages(nodes: Iterable[int]) -> Pages:
            found = [place for node in nodes for place in inside.get(node, ())]
            return np.array(sorted(found), dtype=np.intp)

        rules = []
        for own in (pages([node]) for node in inside):
            if len(own) > 1:
                like = Like.of(own, _probabilities(own, joints, curve))
                rules.append(Rule(like, like))
        for one, other in ((pages(side) for side in both) for both in constraints.sides):
            ours, theirs = (_probabilities(side, joints, curve) for side in (one, other))
            never = np.maximum(1 - ours * theirs, _TINY)  # a later decision may have one on both
            rules.append(
                Rule(
                    Like.of(one, ours * (1 - theirs) / never),
                    Like.of(other, theirs * (1 - ours) / never),
                )
            )
        about: dict[int, list[int]] = {}
        for number, rule in enumerate(rules):
            sides = (rule.one,) if rule.together else (rule.one, rule.other)
            for page in {p for side in sides for p in side.pages.tolist()}:
                about.setdefault(page, []).append(number)
        plain = joints.evidence
        parts = (plain.calibration, plain.placed, plain.spread, plain.prior)
        return cls(*parts, plain, curve, tuple(rules), about, neighbours=plain.neighbours)

    def edges(
        self,
        pages: NDArray[np.intp],
        threshold: float,
        progress: PageProgress | None = None,
    ) -> Edges:
        """See :meth:`Evidence.edges`; all pages that decisions have to do with are compared."""
        if self.neighbours is None:
            return super().edges(pages, threshold, progress)
        first, second = self.plain.edges(pages, threshold, progress)
        ruled = np.isin(pages, np.fromiter(self.about, np.intp, len(self.about)))
        open = ~(ruled[first] & ruled[second])
        inside = np.flatnonzero(ruled)
        if not len(inside):
            return first, second
        ours, theirs = replace(self, neighbours=None).edges(pages[inside], threshold)
        return (
            np.concatenate([first[open], inside[ours]]),
            np.concatenate([second[open], inside[theirs]]),
        )

    def between(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.float32]:  # (rows, columns)
        """Log-odds of some pages with some others. Of a page with itself they mean nothing."""
        odds = self.plain.between(rows, columns)
        rules = [self.rules[number] for number in sorted(self._about(rows) & self._about(columns))]
        if not rules:
            return odds
        row, column = self._places(rows), self._places(columns)
        one_hand = [rule for rule in rules if rule.together]
        two_hands = [rule for rule in rules if not rule.together]
        for rule in one_hand + two_hands:
            self._lean(odds, row, column, rule.one, rule.other, together=rule.together)
            if not rule.together:
                self._lean(odds, row, column, rule.other, rule.one, together=False)
        # In this order: a later decision may have put pages of both sides together.
        for rule in two_hands + one_hand:
            one, other = (side.pages[: side.decided] for side in (rule.one, rule.other))
            value = TOGETHER if rule.together else APART
            odds[np.ix_(_present(row, one), _present(column, other))] = value
            odds[np.ix_(_present(row, other), _present(column, one))] = value
        return odds

    def _about(self, pages: NDArray[np.intp]) -> set[int]:
        return {number for page in pages.tolist() for number in self.about.get(page, ())}

    def _places(self, pages: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where each page of the collection stands among some, −1 if not there."""
        places = np.full(len(self), -1, dtype=np.intp)
        places[pages] = np.arange(len(pages))
        return places

    def _lean(
        self,
        odds: NDArray[np.float32],
        row: Pages,
        column: Pages,
        one: Like,
        other: Like,
        *,
        together: bool,
    ) -> None:
        """Bring log-odds of pages like one and like another to where a decision has them."""
        rows, columns = row[one.pages], column[other.pages]
        ours = one.probabilities[rows >= 0]
        theirs = other.probabilities[columns >= 0]
        both = np.clip(ours[:, None] * theirs[None, :], 1 - _SURE, _SURE)
        there = np.ix_(rows[rows >= 0], columns[columns >= 0])
        bound = self.curve.odds(both if together else 1 - both)
        pick = np.maximum if together else np.minimum
        odds[there] = np.where(both > 0.5, pick(odds[there], bound), odds[there])


def _probabilities(decided: Pages, joints: Joints, curve: JointCurve) -> Floats:  # (pages,)
    """How probably all pages are by the hand of the nearest of some; 0 in other groups."""
    found = np.zeros(len(joints.groups))
    for group in np.unique(joints.groups[decided]):
        inside = decided[joints.groups[decided] == group]
        tree = joints.tree(int(inside[0]))
        found[tree.pages] = curve.probability(*tree.to_nearest(inside))
    return found


def _present(places: Pages, pages: Pages) -> Pages:
    found = places[pages]
    return found[found >= 0]
