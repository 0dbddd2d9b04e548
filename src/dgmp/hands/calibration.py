"""What the likeness of two pages says about hands: a likelihood ratio, then a probability.

The likeness r of two pages is their cosine as the collection sees it, about 0 for pages by two
hands and about 0.7 for pages by one, whatever the describer, the script and the amount of writing:
see :mod:`.background`. On pages by known writers two densities of r are fitted,

    one hand    (1 − s)·N(r; ρ, σ² + v) + s·N(r; ρ', σ'² + v)     s: pairs that differ all the same
    two hands   (1 − s)·N(r; m, τ² + v) + s·N(r; m', τ'² + v)     s: pairs of one school

v = ν²/(c_a c_b) being the error of r, large where pages have little writing. The spread τ is that
of the collection at hand. The evidence is the logarithm of the ratio of the densities; beyond
either mean it stays what it is there, so that it never falls as r rises (but by up to 0.4, where τ
is below 0.08 and pairs of one school stand out). A probability needs a prior besides, the share of
pairs by one hand in the collection, which the collection itself tells:

    P(same hand) = σ(b + a·(evidence + p·prior log-odds))       a, b: see :meth:`probability`

The same likeness is therefore worth less in a large catalogue, which has more look-alikes. The
weight p of the prior is ``PRIOR_WEIGHT`` and not 1, as evidence is cautious: on sources that the
describer was not fitted on, the share of pairs by two hands whose evidence reaches t falls with t
faster than it would if evidence were exact, so chance makes fewer look-alikes in a large collection
than evidence says. With the prior in full nearly all its pages would stay alone. Where even pages
as like as those of one hand would not reach a ratio of ``LEAST_RATIO``, there is too little writing
to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogueError, DgmpError
from ..files import Format, from_plain, to_plain
from ..records import Floats

FORMAT = Format("dgmp-calibration", 3, "calibration", older=(1, 2))  # which say nothing here
MOST_EVIDENCE, LEAST_EVIDENCE = 12.0, -6.0  # beyond, pages by known writers are too few to tell
LEAST_RATIO = 20.0
PRIOR_WEIGHT = 0.75  # see benchmarks/results/default.md, "The weight of the prior"


@dataclass(frozen=True)
class Likenesses:
    """The density of likenesses: most about a mean, a share of them about another."""

    mean: float
    spread: float
    share: float  # of those about the other mean
    other_mean: float
    other_spread: float

    def log_density(self, likeness: Any, error: Any, spread: float | None = None) -> Any:
        """At likenesses whose variances of error are given; ``spread`` in place of its own."""
        spread = self.spread if spread is None else spread
        most = _log_normal(likeness, self.mean, spread**2 + error)
        others = _log_normal(likeness, self.other_mean, self.other_spread**2 + error)
        return np.logaddexp(math.log1p(-self.share) + most, math.log(self.share) + others)


@dataclass(frozen=True)
class Calibration:
    """Fitted by :func:`fit_calibration` on pages by known writers, for one describer."""

    one_hand: Likenesses
    two_hands: Likenesses
    noise: float  # ν
    threshold: float  # mean log-odds above which groups of pages are one hand
    confidence: tuple[float, float, float]  # of a group: see grouping.py
    single_confidence: tuple[float, float]  # of a page alone
    pair_odds: tuple[float, float] = (0.0, 1.0)  # bias and slope: log-odds of a pair to true ones

    def __post_init__(self) -> None:
        values = _numbers(astuple(self))
        both = (self.one_hand, self.two_hands)
        positive = [self.noise, *(x for d in both for x in (d.spread, d.share, d.other_spread))]
        if not np.isfinite(values).all() or min(positive) <= 0:
            raise ValueError(
                f"values must be finite, with noise, spreads and shares above 0: {self}"
            )
        if max(d.share for d in both) >= 1 or self.one_hand.mean <= self.two_hands.mean:
            raise ValueError(f"shares must be below 1, and pages by one hand more alike: {self}")

    def to_json(self) -> dict[str, Any]:
        """As JSON has it, with a format version."""
        return FORMAT.stamp(to_plain(self))

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Calibration:
        """What :meth:`to_json` gave."""
        try:
            found = FORMAT.check(dict(stored), "the calibration")
            if found["version"] in FORMAT.older:
                raise DgmpError("the calibration is of an earlier version of dgmp: calibrate anew")
            values = {key: found[key] for key in found if key not in ("format", "version")}
            return from_plain(values, cls, "the calibration")
        except (DgmpError, ValueError) as error:
            raise CatalogueError(str(error)) from error

    def evidence(
        self, likeness: NDArray[Any], reliability: NDArray[Any], spread: float
    ) -> NDArray[Any]:
        """The logarithm of the likelihood ratio of one hand against two.

        ``reliability`` is c_a c_b of each pair, ``spread`` that of the collection's likenesses.
        """
        bottom = self.two_hands.mean - spread / 2
        r = np.clip(likeness, bottom, self.one_hand.mean)
        error = self.noise**2 / reliability
        found = self.one_hand.log_density(r, error) - self.two_hands.log_density(r, error, spread)
        return np.clip(found, LEAST_EVIDENCE, MOST_EVIDENCE)

    def probability(self, log_odds: NDArray[Any]) -> Floats:
        """Of one hand for single pairs, as often as known writers show it at such log-odds.

        Log-odds of evidence and prior are cautious: evidence is bounded, and shaped for kinds of
        writing that differ from those it was fitted on.
        """
        bias, slope = self.pair_odds
        return sigmoid(bias + slope * log_odds)

    def enough_writing(self, reliability: NDArray[Any], spread: float) -> NDArray[np.bool_]:
        """Whether pages by one hand could show it, for pairs of that c_a c_b."""
        alike = np.full(np.shape(reliability), self.one_hand.mean)
        return np.asarray(self.evidence(alike, reliability, spread) >= math.log(LEAST_RATIO))


def sigmoid(x: NDArray[Any]) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    return 0.5 * (1 + np.tanh(np.asarray(x, np.float64) / 2))


def _log_normal(x: Any, mean: float, variance: Any) -> Any:
    return -0.5 * (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance)


def _numbers(values: Any) -> list[float]:
    if isinstance(values, tuple):
        return [x for inner in values for x in _numbers(inner)]
    return [float(values)]
