"""Evidence that obeys decisions.

Average linkage needs nothing but the log-odds of pairs, so a decision is one of them: pages that a
person said to be by one hand have log-odds above all others and are joined first, after which their
node has the mean evidence of its pages; two pages that are by two hands have log-odds so low that
no mean over groups of any size with them in it reaches a threshold. So no group ever breaks a
decision, and everything that is exact about linkage stays exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from .constraints import Constraints

TOGETHER = 20.0  # log-odds above any evidence
APART = -1e12  # a mean over 20 000² pairs with one such is below any evidence


@dataclass(frozen=True, eq=False)
class DecidedEvidence(Evidence):
    """Log-odds between the pages of a collection as evidence and decisions give them."""

    together: tuple[NDArray[np.intp], ...]  # pages that are by one hand
    apart: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]  # pages, none by a hand opposite

    @classmethod
    def over(
        cls, evidence: Evidence, page_ids: Sequence[str], constraints: Constraints
    ) -> DecidedEvidence:
        """Of the pages of some evidence, in their order."""
        inside: dict[int, list[int]] = {}
        for place, id in enumerate(page_ids):
            if id in constraints.node_of:
                inside.setdefault(constraints.node_of[id], []).append(place)

        def places(nodes: Iterable[int]) -> NDArray[np.intp]:
            found = [place for node in nodes for place in inside.get(node, ())]
            return np.array(sorted(found), dtype=np.intp)

        sides = [(places(one), places(other)) for one, other in constraints.sides]
        return cls(
            evidence.calibration,
            evidence.placed,
            evidence.spread,
            evidence.prior,
            tuple(np.array(pages) for pages in inside.values() if len(pages) > 1),
            tuple((one, other) for one, other in sides if len(one) and len(other)),
        )

    def between(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.float32]:  # (rows, columns)
        """Log-odds of some pages with some others. Of a page with itself they mean nothing."""
        odds = super().between(rows, columns)
        row, column = self._places(rows), self._places(columns)
        for one, other in self.apart:
            odds[np.ix_(_present(row, one), _present(column, other))] = APART
            odds[np.ix_(_present(row, other), _present(column, one))] = APART
        # After that: a later decision may have put pages of both sides together.
        for pages in self.together:
            odds[np.ix_(_present(row, pages), _present(column, pages))] = TOGETHER
        return odds

    def _places(self, pages: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where each page of the collection stands among some, −1 if not there."""
        places = np.full(len(self), -1, dtype=np.intp)
        places[pages] = np.arange(len(pages))
        return places


def _present(places: NDArray[np.intp], pages: NDArray[np.intp]) -> NDArray[np.intp]:
    found = places[pages]
    return found[found >= 0]
