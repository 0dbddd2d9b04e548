"""Likenesses to evidence: never falling, bounded, less where there is little writing."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dgmp.errors import CatalogueError
from dgmp.hands import Background, Calibration, Likenesses
from dgmp.hands.background import LEAST_SPREAD
from dgmp.hands.calibration import LEAST_EVIDENCE, LEAST_RATIO, MOST_EVIDENCE, sigmoid
from dgmp.hands.densities import START

from .writers import pages_by

SOME = Calibration(
    Likenesses(0.7, 0.1, 0.2, 0.25, 0.2),
    Likenesses(-0.03, 0.12, 0.04, 0.28, 0.1),
    noise=0.03,
    threshold=-2.0,
    confidence=(0.1, 0.2, 0.3),
    single_confidence=(0.4, 0.5),
)
EVERY_RELIABILITY = pytest.mark.parametrize("reliability", [1.0, 0.5, 0.1, 0.01, 0.002])
EVERY_SPREAD = pytest.mark.parametrize("spread", [0.08, 0.12, 0.2, 0.4])


def evidence(likeness, reliability, spread=0.12, calibration=SOME):
    likeness = np.asarray(likeness, np.float64)
    return calibration.evidence(likeness, np.full(likeness.shape, reliability), spread)


@EVERY_RELIABILITY
@EVERY_SPREAD
def test_evidence_never_falls_as_likeness_rises(reliability, spread):
    assert np.diff(evidence(np.linspace(-1.5, 2, 701), reliability, spread)).min() > -1e-9


def test_evidence_falls_by_little_even_where_likenesses_hardly_spread():
    found = evidence(np.linspace(-1.5, 2, 701), 1.0, LEAST_SPREAD)
    assert (np.maximum.accumulate(found) - found).max() < 0.5


@EVERY_RELIABILITY
@EVERY_SPREAD
def test_evidence_is_bounded(reliability, spread):
    found = evidence([-1e6, -1, 0, 0.7, 1, 1e6], reliability, spread)
    assert LEAST_EVIDENCE <= found.min() <= found.max() <= MOST_EVIDENCE


@pytest.mark.parametrize(
    ("likeness", "sign"), [(0.7, 1), (-0.03, -1)], ids=["as one hand", "as two hands"]
)
def test_evidence_comes_nearer_to_0_with_less_reliability(likeness, sign):
    found = [float(evidence([likeness], c)[0]) for c in (1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)]
    sizes = [sign * each for each in found]
    assert sizes == sorted(sizes, reverse=True)
    assert 0 < sizes[-1] < sizes[0] / 2


def test_evidence_is_the_formula_between_the_means():
    def normal(r, mean, variance):
        return np.exp(-((r - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    v = 0.03**2 / 0.5
    one = 0.8 * normal(0.4, 0.7, 0.01 + v) + 0.2 * normal(0.4, 0.25, 0.04 + v)
    two = 0.96 * normal(0.4, -0.03, 0.2**2 + v) + 0.04 * normal(0.4, 0.28, 0.01 + v)
    assert evidence([0.4], 0.5, spread=0.2) == pytest.approx(np.log(one / two))


def test_evidence_stays_what_it_is_beyond_the_means():
    found = evidence([0.7, 0.9, 2.0], 0.5)
    assert found[0] == found[1] == found[2]
    low = evidence([SOME.two_hands.mean - 0.06, -0.5, -2.0], 0.5)
    assert low[0] == pytest.approx(low[1]) == low[2]


def test_a_collection_of_look_alikes_gets_less_evidence_from_the_same_likeness():
    assert evidence([0.5], 0.5, spread=0.3) < evidence([0.5], 0.5, spread=0.1)


def test_a_density_adds_up_to_one():
    r = np.linspace(-4, 4, 8001)
    for spread in (None, 0.3):
        density = np.exp(SOME.two_hands.log_density(r, 0.01, spread))
        assert density.sum() * (r[1] - r[0]) == pytest.approx(1, abs=1e-6)


def test_enough_writing_is_what_shows_one_hand():
    reliability = np.geomspace(1e-4, 1, 50)
    enough = SOME.enough_writing(reliability, 0.12)
    best = SOME.evidence(np.full(50, 0.7), reliability, 0.12)
    np.testing.assert_array_equal(enough, best >= np.log(LEAST_RATIO))
    assert (np.diff(enough.astype(int)) >= 0).all()
    assert not enough[0]
    assert enough[-1]


def test_evidence_and_prior_are_right_about_other_writers(fitted):
    """Of the pairs said to be by one hand with some probability, about that share is."""
    writers = np.repeat(np.arange(50), 4)
    pages = pages_by(writers, 77)
    background = Background.of(pages, 200, fitted)
    placed = background.place(pages)
    rows, columns = np.triu_indices(200, 1)
    likeness = (placed.vectors @ placed.vectors.T)[rows, columns]
    pairs = placed.reliability[rows] * placed.reliability[columns]
    odds = fitted.evidence(likeness, pairs, background.spread) + background.prior
    found, same = sigmoid(odds), writers[rows] == writers[columns]
    assert found.mean() == pytest.approx(same.mean(), rel=0.25)
    sure = found > 0.5
    assert same[sure].mean() == pytest.approx(found[sure].mean(), abs=0.1)


def test_a_sigmoid_does_not_overflow():
    np.testing.assert_allclose(sigmoid(np.array([-1e4, 0, 1e4])), [0, 0.5, 1])


def test_it_comes_back_from_json():
    assert Calibration.from_json(json.loads(json.dumps(SOME.to_json()))) == SOME


@pytest.mark.parametrize("version", [1, 2])
def test_those_of_earlier_versions_are_refused_with_what_to_do(version):
    old = {"format": "dgmp-calibration", "version": version, "location": 0.1, "weight": 2.0}
    with pytest.raises(CatalogueError, match="earlier version of dgmp: calibrate anew"):
        Calibration.from_json(old)


@pytest.mark.parametrize("change", [{"version": 9}, {"noise": None}, {"noise": 0}, {"format": "x"}])
def test_what_cannot_be_used_is_refused(change):
    with pytest.raises(CatalogueError, match="calibration"):
        Calibration.from_json({**SOME.to_json(), **change})


def test_a_missing_value_is_refused():
    stored = SOME.to_json()
    del stored["noise"]
    with pytest.raises(CatalogueError, match="noise"):
        Calibration.from_json(stored)


def test_an_entry_that_is_not_known_is_refused():
    with pytest.raises(CatalogueError, match="unknown entry 'slope'"):
        Calibration.from_json({**SOME.to_json(), "slope": 1.0})


BAD = {
    "an infinite noise": {"noise": np.inf},
    "no noise": {"noise": 0.0},
    "a bias that is no number": {"confidence": (np.nan, 0.0, 0.0)},
    "no spread": {"one_hand": replace(SOME.one_hand, spread=0.0)},
    "no share": {"two_hands": replace(SOME.two_hands, share=0.0)},
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_values_that_mean_nothing_are_refused(change):
    with pytest.raises(ValueError, match="noise, spreads and shares above 0"):
        replace(SOME, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"one_hand": replace(SOME.one_hand, share=1.0)},
        {"one_hand": replace(SOME.one_hand, mean=-0.1)},
    ],
    ids=["a share of 1", "one hand less alike than two"],
)
def test_densities_that_contradict_their_names_are_refused(change):
    with pytest.raises(ValueError, match="pages by one hand more alike"):
        replace(SOME, **change)


def test_what_fitting_starts_from_is_a_calibration():
    assert Calibration.from_json(START.to_json()) == START


def test_log_odds_are_taken_as_they_are_where_nothing_puts_them_right():
    odds = np.linspace(-5, 5, 11)
    np.testing.assert_allclose(START.probability(odds), 1 / (1 + np.exp(-odds)))


def test_a_probability_rises_with_the_log_odds():
    shifted = replace(START, pair_odds=(2.0, 1.5))
    assert (np.diff(shifted.probability(np.linspace(-9, 9, 50))) > 0).all()
    assert shifted.probability(np.array([-2 / 1.5])) == pytest.approx(0.5)
