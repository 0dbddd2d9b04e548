"""The log-odds between all pages are those of the calibration, pair by pair."""

import numpy as np
import pytest

from dgmp.catalogue import search
from dgmp.hands.calibration import Background
from dgmp.hands.evidence import Evidence

from .writers import described


def test_log_odds_are_the_evidence_of_the_calibration_and_its_prior(collection, fitted):
    vectors = collection[0]
    pages = described(vectors)
    ids = pages.page_ids
    background = Background.of(vectors, vectors, fitted.location, fitted.spread, ids, ids)
    rows, columns = np.array([0, 5, 9]), np.array([1, 30])
    cosines = vectors[rows] @ vectors[columns].T
    expected = [
        fitted.evidence(cosines[i], background[rows[i : i + 1]], background[columns])
        for i in range(len(rows))
    ]
    expected = np.stack(expected) + fitted.prior_log_odds(len(ids))
    found = Evidence.of(pages, fitted).between(rows, columns)
    assert found == pytest.approx(expected, abs=1e-4)


def test_log_odds_are_the_same_in_either_order(collection, fitted):
    every = np.arange(30)
    odds = Evidence.of(described(collection[0][:30]), fitted).between(every, every)
    np.testing.assert_allclose(odds, odds.T, atol=1e-4)


def test_a_large_collection_is_judged_against_a_sample(collection, fitted, monkeypatch):
    monkeypatch.setattr(search, "SAMPLE", 20)
    vectors = collection[0]
    chosen = search.sample_rows(len(vectors))
    pages = described(vectors)
    ids = [pages.page_ids[i] for i in chosen]
    background = Background.of(
        vectors, vectors[chosen], fitted.location, fitted.spread, pages.page_ids, ids
    )
    slopes = Evidence.of(pages, fitted).slopes
    np.testing.assert_allclose(slopes, fitted.weight / (2 * background.spread), rtol=1e-5)
