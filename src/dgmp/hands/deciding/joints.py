"""Where pages come together in the tree of their group, as it is without any decision."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...names import need
from ...records import Floats, PageProgress
from ..evidence import Evidence
from ..linkage import average_tree, link_pages

Pages = NDArray[np.intp]  # places in the collection


@dataclass(frozen=True, eq=False)
class Tree:
    """Average linkage of the pages of a group."""

    pages: Pages  # in the order of the leaves: those of every joint stand together
    joints: tuple[tuple[slice, slice, float], ...]  # both sides and their mean log-odds, top last

    @classmethod
    def of(cls, evidence: Evidence, members: Pages) -> Tree:
        """Of one page or more."""
        if len(members) == 1:
            return cls(members, ())
        links, top = average_tree(evidence, members)
        order = need("scipy.cluster.hierarchy").leaves_list(links)
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        spans = [slice(int(i), int(i) + 1) for i in place]
        joints = []
        for one, other, height, _ in links:
            first, second = sorted((spans[int(one)], spans[int(other)]), key=lambda s: s.start)
            joints.append((first, second, float(top - height)))
            spans.append(slice(first.start, second.stop))
        return cls(members[order], tuple(joints))

    def to_nearest(self, some: Pages) -> tuple[Floats, Floats]:  # (pages,), (pages,)
        """Of the first joint of each page with one of some: mean log-odds, and the pairs across.

        Those pages themselves have infinite log-odds; there is one at least.
        """
        reached = np.isin(self.pages, some)
        means, pairs = np.where(reached, np.inf, -np.inf), np.ones(len(self.pages))
        for first, second, mean in self.joints:
            # From the bottom up: the pages of a joint are all reached, or none is.
            for own, others in ((first, second), (second, first)):
                if reached[own.start] and not reached[others.start]:
                    reached[others] = True
                    means[others] = mean
                    pairs[others] = (own.stop - own.start) * (others.stop - others.start)
        return means, pairs


@dataclass(frozen=True, eq=False)
class Joints:
    """The groups of a collection at a threshold, and their trees."""

    evidence: Evidence
    groups: NDArray[np.intp]  # (pages,)
    _trees: dict[int, Tree] = field(default_factory=dict)

    @classmethod
    def of(
        cls, evidence: Evidence, threshold: float, progress: PageProgress | None = None
    ) -> Joints:
        """At a threshold; ``progress`` as in :func:`link_pages`."""
        return cls(evidence, link_pages(evidence, threshold, progress))

    def tree(self, page: int) -> Tree:
        """That of the group of a page."""
        group = int(self.groups[page])
        if group not in self._trees:
            self._trees[group] = Tree.of(self.evidence, np.flatnonzero(self.groups == group))
        return self._trees[group]

    def between(self, page: int, other: int) -> tuple[float, float]:
        """Mean log-odds of what two pages stand for, and the number of pairs across.

        Of pages of one group those of their joint, of others those of their groups.
        """
        tree = self.tree(page)
        if self.groups[page] == self.groups[other]:
            at = int(np.flatnonzero(tree.pages == other)[0])
            means, pairs = tree.to_nearest(np.array([page]))
            return float(means[at]), float(pairs[at])
        odds = self.evidence.between(tree.pages, self.tree(other).pages)
        return float(odds.mean()), float(odds.size)
