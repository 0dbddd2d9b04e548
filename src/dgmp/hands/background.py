"""How a collection looks from each of its pages, and the likeness of two pages in it.

Cosines shift from one collection to the next: pages in an alphabet the describer does not know are
all alike, charters of one chancery too, a mixed library is not. Two facts about a collection put
this right without any label.

**Pages of the same kind share a mean.** What the vector x of a page has of the mean μ of pages of
its own kind is taken off: b·μ, where b² is its c (below) over the mean c of its kind, at most 1, as
a few words have less of what their kind shares. Two pages are of one kind if they are like and
unlike the same pages: weights are exp(k/``KIND``), k the correlation of their cosines with all
pages, less what chance may make of it (else pages with little writing are of one kind with those by
their hand), times the probability that they are *not* by one hand. In a folder with two alphabets
each page is measured from its own. With few such pages, or many by one hand, the mean is drawn
towards that of the describer, zero.

**The two halves of a page are by one hand.** Of their cosine h, after taking off the mean, the
formula of Spearman and Brown gives c = 2h/(1 + h), the cosine that two such pages would have if a
hand wrote all its pages as it writes one. So

    likeness r = cosine(x_a − b_a μ_a, x_b − b_b μ_b) / √(c_a c_b)

is the share of what two pages of one hand could have in common at all, whatever the script and the
amount of writing. The halves' vectors need not be kept: a page's own is nearly the sum of both.

**A page that has its own company is nobody else's.** In an order, likenesses count h_a·h_b, held
back where there is little writing. The mean of that with the ``NEAREST`` pages of the sample most
like a page says how near its company is, whether by its hand or by look-alikes. Of what it is above
that of other pages the half, the mean of both pages, is taken off: in an order two pages are alike
if they are more alike than each is to its company. Evidence is of likenesses as they are.

Which pages are by one hand depends on the means, and these on that; also the spread of likenesses
of pages by two hands and the share of pairs by one hand are those of the collection. All are found
by turns (expectation–maximisation), the latter two leaning on the calibration in a small
collection. Of a collection of more than ``sample_rows`` gives, a sample stands for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..records import Descriptors, Floats
from .calibration import PRIOR_WEIGHT, Calibration, sigmoid

KIND = 0.5  # of correlations: pages less related by this count a third in the mean of a kind
CHANCE = 2.0  # standard deviations of a correlation between unrelated pages: no kinship
LEAN = 6.0  # pages of a kind that the mean of the describer counts for
LEAN_OF_OWN_HAND = 0.1  # and so much for each page of the kind by the same hand
SPREAD_LEAN = 20.0  # pages that the spread of the calibration counts for
MATES_LEAN = 3.0  # pages with one other by their hand, added to those of the collection
MATES = 2.0  # others by its hand that a page has, to begin with
DOUBT = 1.5  # log-odds: pages that may be by the same hand are kept out of the mean so far
ROUNDS = 10
LEAST_HALVES = 0.02  # cosine of halves: below, there is too little writing to tell it from none
LEAST_SPREAD = 0.05
NEAREST = 5  # pages that are the company of a page
COPY = 0.99  # cosine of pictures of one page, which are no company
RELATIVE = 0.5  # of what company counts; of these two see benchmarks/results/default.md
LITTLE = 0.3  # reliability: see benchmarks/results/default.md, "The order of a search"
# The share of pairs by one hand comes from a sample; in a very large collection that has none, and
# evidence, which is bounded, could join nothing. So the prior is no lower than it may be in a
# collection of 20 000 pages, of which one in fifty has another by its hand.
LEAST_PRIOR = math.log(0.02 / 20_000)
_TINY = 1e-6


@dataclass(frozen=True, eq=False)
class Placed:
    """Pages as their collection sees them: the product of two vectors is their likeness."""

    vectors: NDArray[Any]  # (pages, dim), float32, or int8 with factors
    reliability: NDArray[np.float32]  # (pages,): c
    strangeness: NDArray[np.float32]  # (pages,): |bμ|²/c, what a page shares with all of its kind
    factors: NDArray[np.float32] | None = None  # (pages,), of rounded vectors
    company: NDArray[np.float32] | None = None  # (pages,): see in_order; None: not kept

    @cached_property
    def held_back(self) -> NDArray[np.float32]:  # (pages,)
        """What the likenesses of a page count in an order, nearer to 0 the less writing it has.

        Likenesses themselves are inflated where hardly anything is known of a page.
        """
        return held_back(self.reliability)

    def in_order(self, other: Placed) -> NDArray[np.float32]:  # (pages, others)
        """Likenesses as they order pages: held back, and less what company takes off."""
        assert self.company is not None
        assert other.company is not None
        held = (self.vectors @ other.vectors.T) * self.held_back[:, None] * other.held_back
        return np.asarray(held - self.company[:, None] - other.company, np.float32)

    def rows(self, pages: NDArray[np.intp]) -> NDArray[np.float32]:  # (pages, dim)
        """The vectors of some pages."""
        found = np.asarray(self.vectors[pages], np.float32)
        return found if self.factors is None else found * self.factors[pages, None]


@dataclass(frozen=True, eq=False)
class Background:
    """A sample of a collection, and what was found out about it."""

    calibration: Calibration
    page_ids: tuple[str, ...]
    vectors: NDArray[np.float32]  # (sampled, dim)
    halves: Floats  # (sampled,)
    weights: Floats  # (sampled, sampled): of the pages in what is taken off each, b·μ
    spread: float  # of the likenesses of pages by two hands
    prior: float  # log-odds that two pages of the collection are by one hand

    @classmethod
    def of(cls, sample: Descriptors, pages: int, calibration: Calibration) -> Background:
        """From a sample of a collection of so many pages."""
        if sample.halves is None:
            raise ValueError("descriptors must have the halves of pages")
        halves = known_halves(sample.halves)
        gram = (sample.vectors @ sample.vectors.T).astype(np.float64)
        number = len(gram)
        own = np.eye(number, dtype=bool)
        kinship = _kinship(gram, gram, np.arange(number))
        np.fill_diagonal(kinship, 0)
        writing = _whole(halves)
        weights = np.zeros((number, number))
        spread = calibration.two_hands.spread
        mates = min(MATES, max((pages - 1) / 2, 0.5))
        for turn in range(ROUNDS):
            taken, along = _taken(weights, gram, writing, writing)
            centred = _centred(gram, taken, halves, along)
            cosines = _cosines(gram, along, taken, centred, centred)
            pairs = centred.pairs(centred)
            likeness = cosines / np.sqrt(pairs)
            prior = _log_odds(mates, pages)
            evidence = calibration.evidence(likeness, pairs, spread)
            others = 1 - sigmoid(evidence + prior)  # the probability of two hands
            others[own] = 0
            one_hand = max(number * (number - 1) - float(others.sum()), 0.0)
            spread = _spread(likeness, others, pairs, calibration)
            rest = (pages - 1) / max(number - 1, 1)  # pages of the collection for each sampled
            mates = (one_hand * rest + MATES_LEAN) / (number + MATES_LEAN)
            mates = float(np.clip(mates, 0.02, max(pages - 1, 0.5)))
            if turn < ROUNDS - 1:
                doubted = 1 - sigmoid(evidence + prior + DOUBT)
                doubted[own] = 0
                weights = _moved(weights, kinship, doubted)
        return cls(
            calibration,
            sample.page_ids,
            sample.vectors,
            halves,
            taken,
            spread,
            max(_log_odds(mates, pages), LEAST_PRIOR),
        )

    def place(self, pages: Descriptors, ids: Sequence[str | None] | None = None) -> Placed:
        """Any pages as the collection sees them; those of the sample as they were found there.

        ``ids`` are those in the collection, where they differ from the pages' own; None: none.
        """
        if pages.halves is None:
            raise ValueError("descriptors must have the halves of pages")
        place = {id: row for row, id in enumerate(self.page_ids)}
        own = np.array([place.get(id, -1) for id in (ids or pages.page_ids)])  # type: ignore[arg-type]
        halves = known_halves(pages.halves)
        products = (pages.vectors @ self.vectors.T).astype(np.float64)  # (pages, sampled)
        gram = self._gram
        weights = np.where(own[:, None] >= 0, self.weights[own], 0.0)
        new = np.flatnonzero(own < 0)
        if len(new):
            weights[new] = self._settled(products[new], halves[new], gram)
        along = weights @ gram
        centred = _centred(products, weights, halves, along)
        scale = 1 / np.sqrt(centred.lengths * centred.reliability)
        vectors = pages.vectors - weights.astype(np.float32) @ self.vectors
        vectors *= scale[:, None].astype(np.float32)
        return Placed(
            vectors,
            centred.reliability.astype(np.float32),
            (centred.shared / centred.reliability).astype(np.float32),
            company=self._company(products, along, centred, own).astype(np.float32),
        )

    def _company(
        self, products: Floats, along: Floats, centred: _Centred, own: NDArray[np.intp]
    ) -> Floats:  # (pages,)
        """What is taken off likenesses in an order; a page or its copy is no company of its own."""
        near = self._nearness(products, along, centred, own)
        return RELATIVE / 2 * (near - self._middle)

    def _nearness(
        self, products: Floats, along: Floats, centred: _Centred, own: NDArray[np.intp]
    ) -> Floats:  # (pages,)
        sample = self._centred_sample
        likeness = _cosines(products, along, self.weights, centred, sample)
        likeness /= np.sqrt(centred.pairs(sample))
        likeness *= held_back(centred.reliability)[:, None] * held_back(sample.reliability)
        inside = np.flatnonzero(own >= 0)
        likeness[inside, own[inside]] = -np.inf
        likeness[products > COPY] = -np.inf
        number = min(NEAREST, likeness.shape[1] - 1)
        if number < 1:
            return np.zeros(len(products))
        nearest = np.partition(likeness, -number, axis=1)[:, -number:]
        there = nearest > -np.inf
        sums = np.where(there, nearest, 0).sum(axis=1)
        return np.asarray(sums / np.maximum(there.sum(axis=1), 1))

    @cached_property
    def _middle(self) -> float:
        """The nearness of company that nothing is taken off for."""
        own = np.arange(len(self._gram))
        along = self.weights @ self._gram
        near = self._nearness(self._gram, along, self._centred_sample, own)
        return float(np.median(near)) if len(near) else 0.0

    @property
    def weighed_prior(self) -> float:
        """What is added to the evidence of a pair: see calibration.py."""
        return PRIOR_WEIGHT * self.prior

    @cached_property
    def _gram(self) -> Floats:  # (sampled, sampled)
        return (self.vectors @ self.vectors.T).astype(np.float64)

    @cached_property
    def _centred_sample(self) -> _Centred:
        return _centred(self._gram, self.weights, self.halves, self.weights @ self._gram)

    def _settled(self, products: Floats, halves: Floats, gram: Floats) -> Floats:
        """What is taken off pages outside the sample, whose own is settled.

        In float32, which is half the work: in a large collection nearly all pages are outside.
        """
        sample = self._centred_sample.narrow()
        kinship = _narrow(_kinship(products, gram, np.full(len(products), -1)))
        sample_weights = _narrow(self.weights)
        products, halves, gram = _narrow(products), _narrow(halves), _narrow(gram)
        writing, of_sample = _whole(halves), _narrow(_whole(self.halves))
        weights = np.zeros_like(products)
        for _ in range(ROUNDS - 1):
            taken, along = _taken(weights, gram, writing, of_sample)
            centred = _centred(products, taken, halves, along)
            cosines = _cosines(products, along, sample_weights, centred, sample)
            pairs = centred.pairs(sample)
            evidence = self.calibration.evidence(cosines / np.sqrt(pairs), pairs, self.spread)
            others = 1 - sigmoid(evidence + self.prior + DOUBT)
            weights = _moved(weights, kinship, _narrow(others))
        return _taken(weights, gram, writing, of_sample)[0]


@dataclass(frozen=True, eq=False)
class _Centred:
    """Pages after what they have of their means was taken off."""

    lengths: Floats  # (pages,), squared
    reliability: Floats  # (pages,)
    shared: Floats  # (pages,): squared length of what was taken off

    def narrow(self) -> _Centred:
        return _Centred(*map(_narrow, (self.lengths, self.reliability, self.shared)))

    def pairs(self, others: _Centred) -> Floats:  # (pages, others)
        return self.reliability[:, None] * others.reliability[None, :]


def known_halves(halves: NDArray[np.float32]) -> Floats:
    """Cosines of halves; where a half has no writing, nothing is in common."""
    return np.nan_to_num(halves.astype(np.float64), nan=0.0)


def held_back(reliability: NDArray[Any]) -> NDArray[Any]:  # (pages,)
    """See :class:`Placed`."""
    return np.sqrt(reliability / (reliability + LITTLE))


def _narrow(values: Floats) -> Floats:
    return values.astype(np.float32)


def _taken(
    weights: Floats, gram: Floats, reliability: Floats, of_sample: Floats
) -> tuple[Floats, Floats]:
    """Weights b·w of what pages have of means of weights w, and its products with sampled pages."""
    of_kind = weights @ of_sample / np.maximum(weights.sum(axis=1), _TINY)
    share = np.sqrt(np.clip(reliability / np.maximum(of_kind, _TINY), 0, 1))[:, None]
    return share * weights, share * (weights @ gram)


def _centred(products: Floats, taken: Floats, halves: Floats, with_taken: Floats) -> _Centred:
    """``products`` are of pages with sampled ones, ``taken`` the weights of what is taken off."""
    along = (taken * products).sum(axis=1)  # x·bμ
    shared = (with_taken * taken).sum(axis=1)  # |bμ|²
    lengths = np.maximum(1 - 2 * along + shared, _TINY)
    # A half has √((1 + h)/2) of what its page has along μ.
    of_half = np.minimum((1 + halves) / 2 * along**2 / np.maximum(shared, _TINY), shared)
    return _Centred(lengths, _whole((halves - of_half) / np.maximum(1 - of_half, _TINY)), shared)


def _whole(halves: Floats) -> Floats:
    """What two whole pages would have in common, from what the halves of a page have."""
    halves = np.clip(halves, LEAST_HALVES, 1)
    return 2 * halves / (1 + halves)


def _cosines(
    products: Floats,
    with_mean: Floats,
    sample_weights: Floats,
    centred: _Centred,
    sample: _Centred,
) -> Floats:  # (pages, sampled)
    inner = products - with_mean
    inner = inner - inner @ sample_weights.T
    return inner / np.sqrt(centred.lengths[:, None] * sample.lengths[None, :])


def _kinship(products: Floats, gram: Floats, own: NDArray[np.intp]) -> Floats:  # (pages, sampled)
    """The weight of each sampled page in the mean of a page's kind; ``own``: itself, or −1."""
    profiles = _profiles(products, own)
    sampled = profiles if products is gram else _profiles(gram, np.arange(len(gram)))
    number = max(gram.shape[1] - 2, 1)
    related = np.clip(profiles @ sampled.T / number, -1, 1)
    beyond = np.maximum(np.abs(related) - CHANCE / math.sqrt(number), 0)
    return np.asarray(np.exp(np.copysign(beyond, related) / KIND))


def _profiles(products: Floats, own: NDArray[np.intp]) -> Floats:  # (pages, sampled)
    """Cosines with all pages, about zero and of unit variance, without that with itself."""
    inside = np.flatnonzero(own >= 0)
    there = np.ones(products.shape)
    there[inside, own[inside]] = 0
    number = np.maximum(there.sum(axis=1, keepdims=True), 1)
    off = (products - (products * there).sum(axis=1, keepdims=True) / number) * there
    deviation = np.sqrt(np.square(off).sum(axis=1, keepdims=True) / number)
    return off / np.maximum(deviation, _TINY)


def _moved(weights: Floats, kinship: Floats, others: Floats) -> Floats:
    """Halfway from the weights to those by kind and by the probability of two hands."""
    found = kinship * others
    total = found.sum(axis=1, keepdims=True)
    # As many pages as equal weights would take for the same precision, if all were by others.
    number = total[:, 0] ** 2 / np.maximum(np.square(found).sum(axis=1), _TINY**2)
    number *= others.sum(axis=1) / max(others.shape[1] - 1, 1)
    apart = total[:, 0] / np.maximum(kinship.sum(axis=1), _TINY)
    of_own_hand = number * (1 - apart) / np.maximum(apart, _TINY)
    most = number / (number + LEAN + LEAN_OF_OWN_HAND * of_own_hand)
    target = found / np.maximum(total, _TINY) * most[:, None]
    return target if not weights.any() else (weights + target) / 2


def _spread(likeness: Floats, others: Floats, pairs: Floats, calibration: Calibration) -> float:
    """Of likenesses of two hands, less the errors of measuring them."""
    off = np.square(likeness - calibration.two_hands.mean) - calibration.noise**2 / pairs
    weight = float(others.sum())
    pages = weight / max(len(others) - 1, 1)
    sure = others * pairs  # the less writing, the larger the errors of likenesses
    variance = float((sure * off).sum()) / max(float(sure.sum()), _TINY)
    leaning = pages * variance + SPREAD_LEAN * calibration.two_hands.spread**2
    return math.sqrt(max(leaning / (pages + SPREAD_LEAN), LEAST_SPREAD**2))


def _log_odds(mates: float, pages: int) -> float:
    """Of two pages being by one hand, if each has so many others by its hand; at most even."""
    return math.log(mates / max(pages - 1 - mates, mates))
