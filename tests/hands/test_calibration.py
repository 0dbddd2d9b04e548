"""Cosines to probabilities: monotone, robust to a shift, dependent on the prior."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dgmp.errors import CatalogueError
from dgmp.hands import Calibration, with_probabilities
from dgmp.hands.calibration import LEAN, Background, sigmoid, stretched
from dgmp.records import Hit

from .writers import described, unit

SOME = Calibration(0.1, 0.05, 2.0, -3.0, 0.5, -0.5, (0.1, 0.2, 0.3), (0.4, 0.5))
FLAT = Background(np.full(4, 0.1), np.full(4, 0.05))


def test_it_comes_back_from_json():
    assert Calibration.from_json(json.loads(json.dumps(SOME.to_json()))) == SOME


@pytest.mark.parametrize("change", [{"version": 9}, {"weight": None}, {"spread": 0}])
def test_what_cannot_be_used_is_refused(change):
    with pytest.raises(CatalogueError, match="calibration"):
        Calibration.from_json({**SOME.to_json(), **change})


def test_a_missing_value_is_refused():
    stored = SOME.to_json()
    del stored["bias"]
    with pytest.raises(CatalogueError, match="bias"):
        Calibration.from_json(stored)


def test_an_entry_that_is_not_known_is_refused():
    with pytest.raises(CatalogueError, match="unknown entry 'slope'"):
        Calibration.from_json({**SOME.to_json(), "slope": 1.0})


@pytest.mark.parametrize("change", [{"bias": np.nan}, {"weight": 0.0}, {"mates": -1.0}])
def test_values_that_mean_nothing_are_refused(change):
    with pytest.raises(ValueError, match="spread, weight and mates above 0"):
        replace(SOME, **change)


def test_probabilities_rise_with_the_cosine_and_stay_between_0_and_1():
    cosines = np.linspace(-1, 1, 50)
    background = Background(np.full(51, 0.1), np.full(51, 0.05))
    found = SOME.probabilities(cosines, background, 100)
    assert (np.diff(found) >= 0).all()
    assert 0 <= found.min() <= found.max() <= 1


def test_the_same_cosine_is_worth_less_in_a_larger_catalogue():
    cosines = np.array([0.2, 0.3, 0.4])
    few, many = (SOME.probabilities(cosines, FLAT, pages) for pages in (50, 5000))
    assert (many < few).all()


def test_the_prior_expects_the_stated_number_of_mates():
    assert sigmoid(np.array(SOME.prior_log_odds(101))) == pytest.approx(SOME.mates / 100)
    assert SOME.prior_log_odds(2) == 0  # even at most


def test_evidence_is_the_formula():
    first, second = (
        Background(np.array([0.1]), np.array([0.2])),
        Background(np.array([0.3]), np.array([0.4])),
    )
    z = ((np.arctanh(0.5) - 0.1) / 0.2 + (np.arctanh(0.5) - 0.3) / 0.4) / 2
    assert SOME.evidence(np.array([0.5]), first, second) == pytest.approx(2 * z - 3)


def test_the_background_of_a_page_is_that_of_the_slow_way(writers_apart):
    vectors = writers_apart[0][:30]
    ids = [f"{i}" for i in range(30)]
    found = Background.of(vectors, vectors[5:], 0.2, 0.1, ids, ids[5:])
    for page in (0, 17):
        others = [i for i in range(5, 30) if i != page]
        t = stretched(vectors[page].astype(np.float64) @ vectors[others].T)
        low, middle = np.quantile(t, (0.16, 0.5))
        share = len(others) / (len(others) + LEAN)
        assert found.location[page] == pytest.approx(share * middle + (1 - share) * 0.2, abs=1e-5)
        assert found.spread[page] == pytest.approx(
            share * (middle - low) + (1 - share) * 0.1, abs=1e-5
        )


@pytest.mark.parametrize("sample_ids", [["a"], []], ids=["itself", "nothing"])
def test_a_page_without_a_collection_has_the_background_of_the_known_writers(
    writers_apart, sample_ids
):
    vectors = writers_apart[0][:1]
    found = Background.of(vectors, vectors[: len(sample_ids)], 0.2, 0.1, ["a"], sample_ids)
    assert (found.location[0], found.spread[0]) == (0.2, 0.1)


def test_probabilities_are_calibrated_on_other_writers(fitted):
    """Of the pairs said to be by one hand with some probability, about that share is."""
    generator = np.random.default_rng(77)
    writers = np.repeat(np.arange(50), 4)
    vectors = generator.standard_normal((50, 48))[writers]
    vectors = unit(vectors + 0.6 * generator.standard_normal(vectors.shape) + 1.0)
    ids = [f"{i}" for i in range(200)]
    background = Background.of(vectors, vectors, fitted.location, fitted.spread, ids, ids)
    rows, columns = np.triu_indices(200, 1)
    cosines = (vectors @ vectors.T)[rows, columns]
    evidence = fitted.evidence(cosines, background[rows], background[columns])
    found = sigmoid(evidence + fitted.prior_log_odds(200))
    same = writers[rows] == writers[columns]
    assert found.mean() == pytest.approx(same.mean(), rel=0.25)
    sure = found > 0.5
    assert same[sure].mean() == pytest.approx(found[sure].mean(), abs=0.1)


def test_a_collection_of_look_alikes_gets_less_evidence_from_the_same_cosine(fitted):
    apart = Background(np.array([fitted.location]), np.array([fitted.spread]))
    alike = replace(apart, location=apart.location + 2 * fitted.spread)
    assert fitted.evidence(np.array([0.6]), alike, alike) < fitted.evidence(
        np.array([0.6]), apart, apart
    )


def hits_of(vectors, query, rows):
    cosines = vectors[rows].astype(np.float64) @ query.astype(np.float64)
    return [Hit(f"{i:04}", "", float(c)) for i, c in zip(rows, cosines, strict=True)]


def test_hits_get_the_probabilities_of_the_formula(writers_apart, fitted):
    vectors, _ = writers_apart
    collection = described(vectors)
    rows = [8, 3, 40]
    hits = hits_of(vectors, vectors[7], rows)
    found = with_probabilities(
        hits, vectors[rows], vectors[7], "0007", collection, len(vectors), fitted
    )
    ids = collection.page_ids
    background = Background.of(
        vectors[[7, *rows]],
        vectors,
        fitted.location,
        fitted.spread,
        [ids[i] for i in (7, *rows)],
        ids,
    )
    cosines = np.array([hit.cosine for hit in hits])
    slow = fitted.probabilities(cosines, background, len(vectors))
    assert np.allclose([hit.probability for hit in found], slow, atol=1e-6)


def test_hits_keep_everything_but_their_probability(writers_apart, fitted):
    vectors, _ = writers_apart
    hits = hits_of(vectors, vectors[7], [8, 3])
    found = with_probabilities(
        hits, vectors[[8, 3]], vectors[7], None, described(vectors), len(vectors), fitted
    )
    assert [replace(hit, probability=None) for hit in found] == hits


def test_no_hits_get_no_probabilities(writers_apart, fitted):
    vectors, _ = writers_apart
    nothing = with_probabilities([], vectors[:0], vectors[0], None, described(vectors), 9, fitted)
    assert nothing == ()
