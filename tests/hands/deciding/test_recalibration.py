"""What confirmed pairs say about a collection."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.hands.calibration import sigmoid
from dgmp.hands.deciding import JointCurve, learn, recalibrated
from dgmp.hands.deciding.recalibration import (
    ENOUGH,
    ENOUGH_OF_BOTH,
    MOST_SHIFT,
    Learned,
    fit_curve,
)
from dgmp.hands.evidence import Evidence
from dgmp.hands.fitting import nearest_pairs
from dgmp.hands.grouping import group_evidence
from dgmp.records import Decision

from ..writers import drawn, pages_by


def test_without_pairs_the_curve_is_that_of_the_calibration():
    found = fit_curve(*np.ones((2, 0)), np.zeros(0, dtype=bool), -3.0)
    assert replace(found, doubt=0.0) == JointCurve(-3.0)


def test_pairs_far_from_the_middle_leave_it_in_doubt():
    far, near = np.array([-9.0, 3.0] * 20), np.array([-3.5, -2.5] * 20)
    same = np.array([False, True] * 20)
    doubts = [fit_curve(means, np.ones(40), same, -3.0).doubt for means in (far, near)]
    assert doubts[1] < 0.5 < doubts[0] < 1


@pytest.mark.parametrize("middle", [-4.5, -3.0, -1.5])
def test_the_middle_of_a_collection_is_found_among_chosen_pairs(middle):
    """Though pairs above the threshold are asked about five times as often as those below."""
    generator = np.random.default_rng(0)
    means = np.concatenate([generator.uniform(-3, 0, 250), generator.uniform(-6, -3, 50)])
    same = generator.random(300) < sigmoid(2 * (means - middle))
    found = fit_curve(means, np.ones(300), same, -3.0)
    assert found.middle == pytest.approx(middle, abs=0.4)


def test_few_pairs_move_the_curve_less_than_many():
    means, same = np.full(40, -3.5), np.ones(40, dtype=bool)
    shifts = [-3.0 - fit_curve(means[:n], np.ones(n), same[:n], -3.0).middle for n in (1, 5, 40)]
    assert 0 < shifts[0] < shifts[1] < shifts[2] <= MOST_SHIFT


def test_a_curve_goes_there_and_back():
    curve = JointCurve(-2.0, 1.7)
    means = np.linspace(-4, 1, 9)
    np.testing.assert_allclose(curve.odds(curve.probability(means, np.ones(9))), means)


def test_a_mean_over_more_pairs_says_more():
    sides = [(np.array(-1.0), np.array(n)) for n in (1, 4, 20)]
    at = [float(JointCurve(-2.0).probability(*side)) for side in sides]
    assert 0.5 < at[0] < at[1] < at[2]


def asked(evidence, page_ids, writers, number):
    """The decisions of somebody who knows, on the questions worth most."""
    writer = dict(zip(page_ids, writers.tolist(), strict=True))
    made = []
    for question in group_evidence(evidence, page_ids, questions=number).questions:
        same = writer[question.first] == writer[question.second]
        verdict = "same" if same else "different"
        made.append(Decision(verdict, (question.first,), (question.second,)))
    return made


def skewed(calibration, by):
    """A calibration whose log-odds are too low."""
    bias, slope = calibration.pair_odds
    return replace(
        calibration,
        threshold=calibration.threshold + by,
        pair_odds=(bias - by * slope, slope),
    )


def pair_loss(calibration, evidence, writers):
    """Of the probabilities that searches for every page list first."""
    odds, same = nearest_pairs(writers, evidence)
    p = np.clip(calibration.probability(odds), 1e-6, 1 - 1e-6)
    return float(-np.where(same, np.log(p), np.log1p(-p)).mean())


def losses(calibration, seed):
    """Of the probabilities of pairs before and after a hundred decisions, and the shift."""
    writers = np.repeat(np.arange(60), 4)
    pages = pages_by(writers, seed, half=1.2)
    evidence = Evidence.of(pages, calibration)
    decisions = asked(evidence, pages.page_ids, writers, 500)
    kinds = [[d for d in decisions if d.verdict == kind] for kind in ("same", "different")]
    decisions = [*kinds[0][:50], *kinds[1][:50]]
    shift = group_evidence(evidence, pages.page_ids, decisions).shift
    after = recalibrated(calibration, shift)
    return pair_loss(calibration, evidence, writers), pair_loss(after, evidence, writers), shift


@pytest.mark.parametrize("by", [0.0, 2.0])
def test_probabilities_of_pairs_get_better_where_they_were_wrong(fitted, by):
    before, after, shift = losses(skewed(fitted, by), 31)
    assert after < 0.95 * before
    assert shift > 0


@pytest.mark.parametrize("seed", [31, 32])
def test_probabilities_of_pairs_stay_good_where_they_were(fitted, seed):
    """For pages with so little writing those of the calibration are too low by one."""
    before, after, _ = losses(skewed(fitted, -1.0), seed)
    assert after < 1.02 * before


def test_too_few_pairs_move_nothing(fitted):
    pages, writers = drawn(31)
    wrong = skewed(fitted, 3.0)
    evidence = Evidence.of(pages, wrong)
    decisions = asked(evidence, pages.page_ids, writers, 100)
    few = learn(evidence, pages.page_ids, decisions[: ENOUGH - 1])
    assert few.threshold == wrong.threshold
    assert learn(evidence, pages.page_ids, decisions[:ENOUGH]).threshold < wrong.threshold


@pytest.mark.parametrize("verdict", ["same", "different"])
def test_pairs_of_one_kind_alone_do_not_move_probabilities(fitted, verdict):
    pages, writers = drawn(31)
    evidence = Evidence.of(pages, fitted)
    decisions = asked(evidence, pages.page_ids, writers, 200)
    one_kind = [decision for decision in decisions if decision.verdict == verdict]
    assert len(one_kind) > ENOUGH_OF_BOTH
    assert group_evidence(evidence, pages.page_ids, one_kind).shift == 0


def test_decisions_about_more_than_pairs_move_nothing(fitted, collection):
    ids = collection[0].page_ids
    evidence = Evidence.of(collection[0], fitted)
    decisions = [Decision("same", ids[i : i + 3]) for i in range(ENOUGH + 5)]
    expected = Learned(JointCurve(fitted.threshold), fitted.threshold)
    assert learn(evidence, ids, decisions) == expected


def test_a_shift_is_added_to_log_odds(fitted):
    odds = np.linspace(-5, 5, 11)
    moved = recalibrated(fitted, 1.25)
    np.testing.assert_allclose(moved.probability(odds), fitted.probability(odds + 1.25))
    assert recalibrated(fitted, 0.0) == fitted
