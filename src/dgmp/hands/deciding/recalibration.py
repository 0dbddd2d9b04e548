"""What decisions say about a collection: where in it one hand ends and two begin.

Linkage joins two sides if their mean log-odds s reach the threshold t of the calibration. In one
collection hands are told apart at other log-odds than in those it was fitted on: paper, pens and
schools differ. Each pair of pages that a person decided tells whether the two sides that they stand
for are by one hand, at the s that these have without any decision: of pages of one group that of
the joint where they come together, of others the mean between their groups. On these the curve

    P(one hand | s) = σ(b·(1 + g·log n)·(s − t + d) − e·log n),      g: ``SHARPER``

is fitted, n being the pairs of pages across: a mean over more of them says more, and where hands
have few pages, two groups of several are seldom one. It leans on d = 0, b = ``SLOPE`` and e = 0,
and a share of pairs (``STRAY``) is expected not to stand for their sides: the page that is wrong in
a large hand says nothing about the rest. The collection's own threshold is t − d; grouping goes
there as far as answers are sure of it, less one standard error.

Questions are asked where answers are worth most, so decided pairs are no fair sample of all. But
they are chosen by s, by sizes and by earlier answers, and the curve is that of P given s, which
such a choice leaves as it is. For probabilities of single pairs by their own log-odds it is not so:
of all pairs with the same log-odds those of doubtful groups are asked about. These probabilities
are therefore put right on the pairs that a search would list, each page that somebody looked at
with its nearest others, as the groups have them after all decisions. Groups are not the truth where
nobody looked, so only one number is fitted, the ``shift`` that log-odds are worth more, it leans on
0, and only after ``ENOUGH_OF_BOTH`` decided pairs of either kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...names import need
from ...records import Decision, Floats
from ..calibration import Calibration, sigmoid
from ..evidence import Evidence
from .joints import Joints

SLOPE = 1.0
SHARPER = 0.75
ENOUGH = 10  # pairs: fewer do not move the threshold
ENOUGH_OF_BOTH = 20  # pairs by one hand, and by two: fewer do not move probabilities of pairs
STRAY = 0.05  # share of decided pairs that do not stand for their sides
MOST_SHIFT = 2.0  # log-odds
NEAREST = 5  # pages of each that probabilities are fitted on, as in the calibration
_LEAN = 1.0, 4.0, 4.0  # precisions of d, of the logarithm of b, and of e


@dataclass(frozen=True)
class JointCurve:
    """The probability that two sides are by one hand, by their mean log-odds."""

    middle: float  # log-odds with probability ½
    slope: float = SLOPE
    size: float = 0.0  # e
    doubt: float = 0.0  # the standard error of ``middle``

    def probability(self, means: Floats, pairs: Floats) -> Floats:
        """Of one hand, at mean log-odds over so many pairs."""
        size = np.log(pairs)
        along = self.slope * (1 + SHARPER * size) * (means - self.middle)
        return sigmoid(along - self.size * size)

    def odds(self, probabilities: Floats) -> Floats:
        """The log-odds at which single pairs have these probabilities."""
        return self.middle + (np.log(probabilities) - np.log1p(-probabilities)) / self.slope


@dataclass(frozen=True)
class Learned:
    """What decisions taught about a collection."""

    curve: JointCurve
    threshold: float


def learn(evidence: Evidence, page_ids: Sequence[str], decisions: Sequence[Decision]) -> Learned:
    """From those of the decisions that are about pairs of pages."""
    threshold = evidence.calibration.threshold
    decided = _pairs(page_ids, decisions)
    if not decided:
        return Learned(JointCurve(threshold), threshold)
    joints = Joints.of(evidence, threshold)
    means, pairs = np.array([joints.between(one, other) for one, other, _ in decided]).T
    same = np.array([same for _, _, same in decided])
    curve = fit_curve(means, pairs, same, threshold)
    if len(same) < ENOUGH:
        return Learned(curve, threshold)
    shift = threshold - curve.middle
    sure = math.copysign(max(abs(shift) - curve.doubt, 0.0), shift)
    return Learned(curve, threshold - sure)


def learn_shift(
    evidence: Evidence,  # without decisions
    page_ids: Sequence[str],
    decisions: Sequence[Decision],
    groups: NDArray[np.intp],  # (pages,), by evidence and decisions
) -> float:
    """What log-odds of pairs are worth more in this collection; 0 on too few decisions."""
    optimize = need("scipy.optimize")
    decided = _pairs(page_ids, decisions)
    same = sum(one_hand for _, _, one_hand in decided)
    if min(same, len(decided) - same) < ENOUGH_OF_BOTH:
        return 0.0
    looked_at = np.unique([page for one, other, _ in decided for page in (one, other)])
    nearest, odds = evidence.nearest(looked_at, NEAREST)
    signs = np.where(groups[nearest] == groups[looked_at, None], 1.0, -1.0)
    bias, slope = evidence.calibration.pair_odds

    def loss(shift: float) -> float:
        along = signs * (bias + slope * (odds + shift))
        return float(np.logaddexp(0, -along).mean(axis=1).sum() + 0.5 * _LEAN[0] * shift**2)

    bounds = (-MOST_SHIFT, MOST_SHIFT)
    return float(optimize.minimize_scalar(loss, bounds=bounds, method="bounded").x)


def _pairs(page_ids: Sequence[str], decisions: Sequence[Decision]) -> list[tuple[int, int, bool]]:
    """The places of pages that were decided as a pair, and whether they are by one hand."""
    place = {id: i for i, id in enumerate(page_ids)}
    return [
        (place[d.first[0]], place[d.second[0]], d.verdict == "same")
        for d in decisions
        if d.verdict in ("same", "different")
        and len(d.first) == len(d.second) == 1
        and d.pages <= place.keys()
    ]


def fit_curve(
    means: Floats, pairs: Floats, same: NDArray[np.bool_], threshold: float
) -> JointCurve:
    """The most likely curve, leaning on the threshold of the calibration."""
    optimize = need("scipy.optimize")
    signs = np.where(same, 1.0, -1.0)
    size = np.log(pairs)
    lean = np.array(_LEAN)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        shift, log_slope, by_size = parameters
        slope = SLOPE * np.exp(log_slope) * (1 + SHARPER * size)
        along = signs * (slope * (means - threshold + shift) - by_size * size)
        right = sigmoid(along)
        likely = STRAY + (1 - 2 * STRAY) * right
        pull = -signs * (1 - 2 * STRAY) * right * (1 - right) / likely
        value = -np.log(likely).sum() + 0.5 * (lean * parameters**2).sum()
        steep = (pull * slope * (means - threshold + shift)).sum()
        gradient = np.array([(pull * slope).sum(), steep, -(pull * size).sum()])
        return float(value), gradient + lean * parameters

    bounds = [(-MOST_SHIFT, MOST_SHIFT), (None, None), (None, None)]
    found = optimize.minimize(loss, np.zeros(3), jac=True, method="L-BFGS-B", bounds=bounds).x
    shift, log_slope, by_size = (float(value) for value in found)
    curve = JointCurve(threshold - shift, float(SLOPE * np.exp(log_slope)), by_size)
    right = curve.probability(means, pairs)
    steep = curve.slope * (1 + SHARPER * size)
    slopes = np.stack([steep, steep * (means - curve.middle), -size])  # (parameters, pairs)
    known = (slopes * right * (1 - right)) @ slopes.T + np.diag(lean)
    return replace(curve, doubt=float(np.sqrt(np.linalg.inv(known)[0, 0])))


def recalibrated(calibration: Calibration, shift: float) -> Calibration:
    """A calibration for a collection where log-odds of pairs are worth more by a shift."""
    bias, slope = calibration.pair_odds
    return replace(calibration, pair_odds=(bias + slope * shift, slope))
