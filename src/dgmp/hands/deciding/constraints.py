"""Decisions as must-links and cannot-links that do not contradict each other.

Pages that a person said to be by one hand become one node; "by one hand" passes on from page to
page, "by two hands" from node to node. Decisions that cannot all be true are all kept, but grouping
needs an answer: the later one counts. So decisions are taken from the newest to the oldest, and
what of an older one does not go with those already taken is passed over: of "these ten are by one
hand", after "the third is by another", the other nine stay together. Every decision that lost
something is listed with those it contradicts.

A node has a bit for each ``different`` decision with a page of it in ``first``, another for
``second``: two nodes must not be joined if one has the first bit and the other the second bit of
the same decision. Joining two nodes joins their bits. Pages that are in no catalogue any longer
still pass on what was said of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...records import Contradiction, Decision


@dataclass(frozen=True)
class Constraints:
    """What decisions ask of a grouping; :meth:`of` makes them."""

    node_of: Mapping[str, int] = field(default_factory=dict)  # by page id; alike: by one hand
    sides: tuple[tuple[frozenset[int], frozenset[int]], ...] = ()  # nodes, none by a hand opposite
    contradictions: tuple[Contradiction, ...] = ()
    _bits: tuple[Sequence[int], Sequence[int]] = ((), ())  # the sides that a node is on, as bits

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> Constraints:
        """From decisions in force, oldest first."""
        taken = _Taken(decisions)
        for place in reversed(range(len(decisions))):
            taken.take(place)
        roots = {page: taken.root(page) for page in sorted(taken.parents)}
        numbers = {root: number for number, root in enumerate(dict.fromkeys(roots.values()))}
        node_of = {page: numbers[root] for page, root in roots.items()}
        sides = tuple(
            (_nodes(decision.first, node_of), _nodes(decision.second, node_of))
            for decision in decisions
            if decision.verdict == "different"
        )
        firsts, seconds = (
            [bits.get(root, 0) for root in numbers] for bits in (taken.firsts, taken.seconds)
        )
        return cls(node_of, sides, tuple(reversed(taken.contradictions)), (firsts, seconds))

    def __bool__(self) -> bool:
        return bool(self.node_of)

    def said(self, first: str, second: str) -> bool | None:
        """Whether two pages are by one hand, as far as that follows from decisions."""
        ours, theirs = self.node_of.get(first), self.node_of.get(second)
        if ours is None or theirs is None:
            return None
        if ours == theirs:
            return True
        one, two = self._bits
        return False if one[ours] & two[theirs] | two[ours] & one[theirs] else None

    def decided(self, page_ids: Sequence[str]) -> bool:
        """Whether a person said of all these pages that they are by one hand, unchallenged."""
        nodes = {self.node_of.get(id) for id in page_ids}
        if len(page_ids) < 2 or len(nodes) != 1 or None in nodes:
            return False
        among = set(page_ids)
        return not any(among & set(found.pages) for found in self.contradictions)


def _nodes(page_ids: Sequence[str], node_of: Mapping[str, int]) -> frozenset[int]:
    return frozenset(node_of[id] for id in page_ids)


class _Taken:
    """Decisions taken so far, newest first."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self.decisions = decisions
        self.contradictions: list[Contradiction] = []
        self.parents: dict[str, str] = {}
        self.firsts: dict[str, int] = {}  # bits of the ``different`` decisions, by root
        self.seconds: dict[str, int] = {}
        self.joined: list[tuple[int, tuple[str, ...]]] = []  # what was joined, by which decision
        self.pages: dict[str, list[int]] = {}  # places in ``joined``, by page

    def take(self, place: int) -> None:
        decision = self.decisions[place]
        if decision.verdict == "same":
            self._join(place, decision)
        elif decision.verdict == "different":
            self._set_apart(place, decision)

    def root(self, page: str) -> str:
        self.parents.setdefault(page, page)
        while self.parents[page] != page:
            self.parents[page] = self.parents[self.parents[page]]
            page = self.parents[page]
        return page

    def _join(self, place: int, decision: Decision) -> None:
        """Join pages where nothing newer forbids it: each to the first that it may be joined to."""
        if (pair := self._forbidden_pair(sorted(decision.pages))) is not None:
            self._contradict(place, pair, self._why_apart(*pair))
        kept: list[list[str]] = []
        for page in sorted(decision.pages):
            root = self.root(page)
            home = next((pages for pages in kept if not self._forbidden(pages[0], root)), None)
            if home is None:
                kept.append([page])
                continue
            home.append(page)
            self._unite(home[0], page)
        for pages in kept:
            if len(pages) > 1:
                for page in pages:
                    self.pages.setdefault(page, []).append(len(self.joined))
                self.joined.append((place, tuple(pages)))

    def _set_apart(self, place: int, decision: Decision) -> None:
        for bits, pages in ((self.firsts, decision.first), (self.seconds, decision.second)):
            for root in {self.root(page) for page in pages}:
                bits[root] = bits.get(root, 0) | 1 << place
        seconds = {self.root(page): page for page in sorted(decision.second, reverse=True)}
        for page in sorted(decision.first):
            if (other := seconds.get(self.root(page))) is not None:
                self._contradict(place, (page, other), self._path(page, other))
                return

    def _forbidden(self, page: str, other: str) -> int:
        """The bits of decisions that set the nodes of two pages apart; 0 if they are one."""
        ours, theirs = self.root(page), self.root(other)
        if ours == theirs:
            return 0
        forth = self.firsts.get(ours, 0) & self.seconds.get(theirs, 0)
        return forth | self.seconds.get(ours, 0) & self.firsts.get(theirs, 0)

    def _forbidden_pair(self, pages: Sequence[str]) -> tuple[str, str] | None:
        """The first two of some pages that must not be joined."""
        by_root = {self.root(page): page for page in reversed(pages)}
        firsts = seconds = 0  # of all roots so far
        for root, page in by_root.items():
            ours, theirs = self.firsts.get(root, 0), self.seconds.get(root, 0)
            if ours & seconds | theirs & firsts:
                other = next(o for o in by_root.values() if self._forbidden(o, page))
                return min(page, other), max(page, other)
            firsts, seconds = firsts | ours, seconds | theirs
        return None

    def _unite(self, page: str, other: str) -> None:
        ours, theirs = self.root(page), self.root(other)
        if ours == theirs:
            return
        self.parents[theirs] = ours
        for bits in (self.firsts, self.seconds):
            bits[ours] = bits.get(ours, 0) | bits.pop(theirs, 0)

    def _contradict(self, place: int, pages: tuple[str, str], others: Iterable[int]) -> None:
        involved = sorted({place, *others})
        found = tuple(self.decisions[i] for i in involved)
        self.contradictions.append(Contradiction(found, pages, self.decisions[place]))

    def _why_apart(self, page: str, other: str) -> set[int]:
        """The fewest decisions that set two pages apart: a ``different``, and what leads to it."""
        bits = self._forbidden(page, other)
        found = []
        for place in (i for i in range(bits.bit_length()) if bits >> i & 1):
            decision = self.decisions[place]
            sides = (decision.first, decision.second)
            for one, two in (sides, sides[::-1]):
                ours = self._nearest(page, one)
                theirs = self._nearest(other, two)
                if ours is not None and theirs is not None:
                    found.append({place} | ours | theirs)
        return min(found, key=lambda places: (len(places), sorted(places)))

    def _nearest(self, page: str, others: Sequence[str]) -> set[int] | None:
        """The path to that of some pages of the same node which comes first."""
        if page in others:
            return set()
        there = min((o for o in others if self.root(o) == self.root(page)), default=None)
        return None if there is None else self._path(page, there)

    def _path(self, page: str, other: str) -> set[int]:
        """The fewest ``same`` decisions that lead from page to page."""
        came_by: dict[str, tuple[str, int]] = {page: (page, -1)}
        waiting = deque([page])
        used: set[int] = set()
        while waiting and other not in came_by:
            at = waiting.popleft()
            for number in self.pages.get(at, []):
                if number in used:
                    continue
                used.add(number)
                place, pages = self.joined[number]
                for reached in pages:
                    if reached not in came_by:
                        came_by[reached] = (at, place)
                        waiting.append(reached)
        path = set()
        at = other
        while at != page:
            at, place = came_by[at]
            path.add(place)
        return path
