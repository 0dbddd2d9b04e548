"""Log-odds between all pages, and hits of a search with what they say about hands."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.catalogue import search
from dgmp.hands import Background, with_probabilities
from dgmp.hands.calibration import LEAST_RATIO, PRIOR_WEIGHT
from dgmp.hands.evidence import Evidence, part
from dgmp.records import Hit

from .writers import drawn

ROWS = np.array([8, 3, 40])


def test_log_odds_are_the_evidence_and_the_weighed_prior_of_the_collection(collection, fitted):
    pages = collection[0]
    background = Background.of(pages, len(pages.page_ids), fitted)
    placed = background.place(pages)
    found = Evidence.of(pages, fitted).between(np.array([0, 5]), np.array([1, 30, 9]))
    for i, a in enumerate((0, 5)):
        for j, b in enumerate((1, 30, 9)):
            likeness = placed.vectors[a] @ placed.vectors[b]
            pair = placed.reliability[a] * placed.reliability[b]
            wanted = fitted.evidence(likeness, pair, background.spread)
            wanted += PRIOR_WEIGHT * background.prior
            assert found[i, j] == pytest.approx(wanted, abs=1e-4)


def test_log_odds_are_the_same_in_either_order(collection, fitted):
    every = np.arange(len(collection[1]))
    odds = Evidence.of(collection[0], fitted).between(every, every)
    np.testing.assert_allclose(odds, odds.T, atol=1e-4)


def test_log_odds_speak_for_the_pages_of_one_writer(collection, fitted):
    pages, writers = collection
    every = np.arange(len(writers))
    odds = Evidence.of(pages, fitted).between(every, every)
    same = (writers[:, None] == writers) & (every[:, None] != every)
    assert np.median(odds[same]) > 0 > np.quantile(odds[writers[:, None] != writers], 0.99)


def test_a_large_collection_is_judged_against_a_sample(collection, fitted, monkeypatch):
    monkeypatch.setattr(search, "SAMPLE", 60)
    pages = collection[0]
    number = len(pages.page_ids)
    background = Background.of(part(pages, search.sample_rows(number)), number, fitted)
    found = Evidence.of(pages, fitted)
    assert len(found) == number
    assert len(background.page_ids) == 60
    np.testing.assert_array_equal(found.placed.vectors, background.place(pages).vectors)


def test_a_part_keeps_vectors_and_halves_together(collection):
    pages = collection[0]
    found = part(pages, ROWS)
    assert found.page_ids == ("0008", "0003", "0040")
    np.testing.assert_array_equal(found.vectors, pages.vectors[ROWS])
    np.testing.assert_array_equal(found.halves, pages.halves[ROWS])


def test_a_part_of_pages_without_halves_has_none(collection):
    assert part(replace(collection[0], halves=None), ROWS).halves is None


@pytest.fixture(scope="module")
def background(collection, fitted):
    pages = collection[0]
    return Background.of(pages, len(pages.page_ids), fitted)


def hits_of(pages, query, rows=ROWS):
    cosines = pages.vectors[rows] @ pages.vectors[query]
    return [Hit(pages.page_ids[i], "", float(c)) for i, c in zip(rows, cosines, strict=True)]


def searched(pages, background, query=7, rows=ROWS):
    hits, asked = hits_of(pages, query, rows), part(pages, np.array([query]))
    return with_probabilities(hits, part(pages, rows), asked, asked.page_ids[0], background)


def test_hits_have_the_log_odds_that_all_pages_have(collection, fitted, background):
    odds = Evidence.of(collection[0], fitted).between(np.array([7]), ROWS)[0]
    found = [hit.probability for hit in searched(collection[0], background)]
    np.testing.assert_allclose(found, fitted.probability(odds), atol=1e-5)


def test_a_probability_is_the_likelihood_ratio_with_the_prior_put_right(collection, background):
    for hit in searched(collection[0], background):
        odds = np.log(hit.likelihood_ratio) + PRIOR_WEIGHT * background.prior
        assert hit.probability == pytest.approx(background.calibration.probability(odds))


def test_hits_keep_everything_else(collection, background):
    found = searched(collection[0], background)
    bare = [replace(hit, likeness=None, probability=None, likelihood_ratio=None) for hit in found]
    assert bare == hits_of(collection[0], 7)


@pytest.mark.parametrize(
    ("poor", "silent"),
    [(7, [True, True, True]), (3, [False, True, False])],
    ids=["query", "hit"],
)
def test_a_hit_says_where_there_is_too_little_writing(collection, background, poor, silent):
    noisy = replace(background, calibration=replace(background.calibration, noise=0.08))
    halves = collection[0].halves.copy()
    halves[poor] = np.nan
    hits = searched(replace(collection[0], halves=halves), noisy)
    assert [not hit.enough_writing for hit in hits] == silent
    assert [hit.probability is None for hit in hits] == silent
    assert [hit.likelihood_ratio is None for hit in hits] == silent


def test_a_hit_with_enough_writing_could_reach_the_least_ratio(collection, background):
    pages, writers = drawn(12)
    own = Background.of(pages, len(writers), background.calibration)
    mates = np.flatnonzero(writers == np.bincount(writers).argmax())
    found = searched(pages, own, mates[0], mates[1:])
    assert all(hit.enough_writing for hit in found)
    assert max(hit.likelihood_ratio for hit in found) > LEAST_RATIO


def test_a_query_that_lies_in_the_collection_is_known_by_its_id(collection, background):
    pages = collection[0]
    asked, renamed = part(pages, np.array([7])), part(pages, np.array([7]))
    renamed = replace(renamed, page_ids=("elsewhere.png",))
    hits, found = hits_of(pages, 7), part(pages, ROWS)
    assert with_probabilities(hits, found, renamed, "0007", background) == with_probabilities(
        hits, found, asked, "0007", background
    )


def test_a_query_from_outside_gets_about_the_same_as_inside(collection, background):
    pages = collection[0]
    inside = searched(pages, background)
    asked = part(pages, np.array([7]))
    outside = with_probabilities(hits_of(pages, 7), part(pages, ROWS), asked, None, background)
    for one, other in zip(inside, outside, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=0.1)


def test_no_hits_get_no_probabilities(collection, background):
    assert searched(collection[0], background, rows=ROWS[:0]) == ()
