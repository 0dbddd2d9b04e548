"""The two densities of likenesses, one hand and two, from pairs of pages by known writers.

Their shapes are those found on pages of `hands`, a source at a time; kinds of writing differ more
from each other than pages of one, and shapes fitted closer to one set travel less well. What is
fitted is where the likenesses of one hand lie, and how large the errors of likenesses are. In every
collection the pairs by one hand count as much as the others together, so that what is fitted is
evidence and not the prior of the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import Floats
from .calibration import Calibration, Likenesses

START = Calibration(
    Likenesses(0.68, 0.10, 0.2, 0.25, 0.2),
    Likenesses(-0.03, 0.12, 0.04, 0.28, 0.10),
    noise=0.025,
    threshold=-3.0,
    confidence=(0.0, 0.0, 0.0),
    single_confidence=(0.0, 0.0),
)
_BOUNDS = ((0.5, 1.1), (0.015, 0.1))  # of the likeness of one hand, and of the noise


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of one collection."""

    likeness: Floats
    reliability: Floats  # c_a c_b
    same: NDArray[np.bool_]
    spread: float  # of its likenesses of two hands

    def where(self, chosen: NDArray[np.bool_]) -> Pairs:
        """Some of them."""
        likeness, reliability = self.likeness[chosen], self.reliability[chosen]
        return Pairs(likeness, reliability, self.same[chosen], self.spread)


def fit_densities(collections: Sequence[Pairs], start: Calibration = START) -> Calibration:
    """The calibration with the most likely densities; its other values stay."""
    spread = float(np.exp(np.mean([np.log(pairs.spread) for pairs in collections])))
    started = replace(start, two_hands=replace(start.two_hands, spread=spread))

    def with_values(values: Floats) -> Calibration:
        mean, noise = (float(value) for value in values)
        return replace(started, one_hand=replace(started.one_hand, mean=mean), noise=noise)

    parted = [(pairs.where(pairs.same), pairs.where(~pairs.same)) for pairs in collections]

    def loss(values: Floats) -> float:
        tried = with_values(values)
        return -float(np.mean([_log_likelihood(tried, *each) for each in parted]))

    first = np.clip([started.one_hand.mean, started.noise], *np.array(_BOUNDS).T)
    best = need("scipy.optimize").minimize(
        loss, first, method="Powell", bounds=_BOUNDS, options={"xtol": 1e-3}
    )
    return with_values(best.x)


def _log_likelihood(tried: Calibration, same: Pairs, other: Pairs) -> float:
    errors = [tried.noise**2 / pairs.reliability for pairs in (same, other)]
    one = tried.one_hand.log_density(same.likeness, errors[0])
    two = tried.two_hands.log_density(other.likeness, errors[1], other.spread)
    return float(one.mean() + two.mean())
