"""Likenesses of pages do not depend on what their collection shares; laws of placing pages."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dgmp.hands import Background
from dgmp.hands.background import (
    LEAST_PRIOR,
    LEAST_SPREAD,
    LITTLE,
    NEAREST,
    RELATIVE,
    _log_odds,
)
from dgmp.hands.densities import START
from dgmp.hands.evidence import part
from dgmp.records import Descriptors

from .writers import DIM, PAGE, described, joined, pages_by, unit

MANY = np.repeat(np.arange(40), 3)  # writers
OTHERS = MANY[:, None] != MANY
MATES = ~OTHERS & ~np.eye(len(MANY), dtype=bool)


def placed(pages):
    return Background.of(pages, len(pages.page_ids), START).place(pages)


def likenesses(pages):
    vectors = placed(pages).vectors
    return vectors @ vectors.T


@pytest.fixture(scope="module")
def many():
    """Three pages by each of 40 writers."""
    return pages_by(MANY, 3)


def test_pages_by_two_hands_have_nothing_in_common_and_pages_by_one_their_share(many):
    found = likenesses(many)
    assert found[OTHERS].mean() == pytest.approx(0, abs=0.04)
    assert found[MATES].mean() == pytest.approx(1 / (1 + PAGE**2), abs=0.04)


@pytest.mark.parametrize("half", [0.5, 1.5], ids=["much writing", "little writing"])
def test_the_amount_of_writing_does_not_change_the_likeness_of_one_hand(half):
    found = likenesses(pages_by(MANY, 3, half=half))
    assert found[MATES].mean() == pytest.approx(1 / (1 + PAGE**2), abs=0.05)


@pytest.mark.parametrize("common", [0.0, 0.5])
def test_what_all_pages_share_hardly_changes_likenesses(many, common):
    other = pages_by(MANY, 3, common=common)
    cosines = [pages.vectors @ pages.vectors.T for pages in (many, other)]
    assert np.abs(cosines[0] - cosines[1])[OTHERS].mean() > 0.2
    assert np.abs(likenesses(other) - likenesses(many))[OTHERS].mean() < 0.02


def test_likenesses_count_less_in_an_order_the_less_writing_there_is(many):
    found = placed(many)
    c = found.reliability
    np.testing.assert_allclose(found.held_back, np.sqrt(c / (c + LITTLE)), atol=1e-6)
    much, little = placed(replace(many, halves=np.full(120, 0.9, np.float32))), found
    assert (np.diff(little.held_back[np.argsort(c)]) >= 0).all()
    assert much.held_back.mean() > little.held_back.mean()


def held_likenesses(one, other):
    """What counts in an order, before company is taken off."""
    return (one.vectors @ other.vectors.T) * one.held_back[:, None] * other.held_back


def nearness(held):
    return np.sort(held, axis=1)[:, -NEAREST:].mean(axis=1)


@pytest.mark.parametrize("rows", [120, 90], ids=["all are sampled", "three quarters are"])
def test_company_is_a_quarter_of_what_the_nearest_pages_are_above_those_of_others(many, rows):
    background = Background.of(part(many, np.arange(rows)), len(MANY), START)
    found, sampled = background.place(many), background.place(part(many, np.arange(rows)))
    held = held_likenesses(found, sampled)
    held[np.arange(rows), np.arange(rows)] = -np.inf
    near = nearness(held)
    wanted = RELATIVE / 2 * (near - np.median(near[:rows]))
    np.testing.assert_allclose(found.company, wanted, atol=1e-5)


def test_in_an_order_company_is_taken_off(many):
    found = placed(many)
    wanted = held_likenesses(found, found) - found.company[:, None] - found.company
    np.testing.assert_allclose(found.in_order(found), wanted, atol=1e-6)


def test_pages_with_mates_have_nearer_company_than_pages_alone():
    writers = np.concatenate([np.repeat(np.arange(20), 4), np.arange(20, 60)])
    company = placed(pages_by(writers, 9)).company
    assert company[:80].min() > np.median(company[80:])
    assert company[:80].mean() > company[80:].mean() + 0.05


def test_in_an_order_pages_by_the_same_hand_come_earlier_than_without_company():
    """Look-alikes that have mates of their own stand back."""
    writers = np.repeat(np.arange(40), 3)
    shares = []
    for seed in range(4):
        found = placed(pages_by(writers, seed, half=4.0))
        for order in (held_likenesses(found, found), found.in_order(found)):
            np.fill_diagonal(order, -np.inf)
            nearest = np.argsort(-order, axis=1)[:, :2]
            shares.append((writers[nearest] == writers[:, None]).mean())
    without, with_company = np.reshape(shares, (4, 2)).mean(axis=0)
    assert with_company > without


@pytest.mark.parametrize("number", [2, 4, 120])
def test_a_copy_from_outside_has_the_company_of_the_page(many, number):
    some = part(many, np.arange(number))
    background = Background.of(some, number, START)
    own, copy = (background.place(part(some, np.array([1])), ids) for ids in (None, [None]))
    np.testing.assert_allclose(copy.company, own.company, atol=0.02)


@pytest.mark.parametrize("number", [1, 2, 3, 6, 60])
def test_company_does_not_depend_on_the_pages_placed_beside(many, number):
    background = Background.of(part(many, np.arange(number)), len(MANY), START)
    together = background.place(many).company
    alone = [background.place(part(many, np.array([row]))).company[0] for row in range(0, 120, 17)]
    np.testing.assert_allclose(alone, together[::17], atol=1e-5)


@pytest.mark.parametrize("number", [1, 2])
def test_of_one_or_two_pages_no_company_is_taken_off(many, number):
    found = placed(part(many, np.arange(number)))
    np.testing.assert_allclose(found.company, 0, atol=1e-6)


def test_pages_of_unknown_halves_do_not_crowd_out_those_by_the_same_hand(many):
    halves = many.halves.copy()
    halves[::10] = np.nan
    found = placed(replace(many, halves=halves))
    rows = found.in_order(found)
    np.fill_diagonal(rows, -1)
    assert (MANY[rows[1::10].argmax(axis=1)] == MANY[1::10]).mean() > 0.9


def test_kinds_in_one_collection_have_the_likenesses_of_each_alone():
    kinds = 1.2 * np.random.default_rng(0).standard_normal((2, DIM))
    first, second = (
        pages_by(MANY, 20 + number, common=kind, prefix=f"{number}/")
        for number, kind in enumerate(kinds)
    )
    both = likenesses(joined(first, second))
    alone, number = likenesses(first), len(MANY)
    assert np.abs(both[:number, :number] - alone)[OTHERS].mean() < 0.03
    assert both[:number, :number][MATES].mean() == pytest.approx(alone[MATES].mean(), abs=0.03)
    assert both[:number, number:].mean() < 0.05


def test_the_pages_of_one_hand_stay_alike():
    pages = pages_by(np.zeros(30, int), 4)
    found = likenesses(pages)
    assert found[~np.eye(30, dtype=bool)].min() > 0.5
    assert placed(pages).strangeness.max() < 0.01  # no mean is taken off


def test_few_words_are_as_like_pages_of_their_own_kind_as_of_another():
    """They have less of what their kind shares than pages have, so less of it is taken off."""
    kinds = 1.2 * np.random.default_rng(0).standard_normal((2, DIM))
    pages = joined(
        *(pages_by(MANY, n, common=kind, prefix=f"{n}/") for n, kind in enumerate(kinds))
    )
    noise = 1.5 * unit(np.random.default_rng(1).standard_normal(pages.vectors.shape))
    words = replace(pages, vectors=unit(pages.vectors + noise), halves=pages.halves - 0.6)
    found = Background.of(pages, len(pages.page_ids), START).place(words, [None] * 240).vectors
    within, across = (found @ placed(pages).vectors.T).reshape(2, 120, 2, 120)[0].swapaxes(0, 1)
    assert within[OTHERS].mean() == pytest.approx(across.mean(), abs=0.02)


@pytest.mark.parametrize("hands", [4, 8])
def test_in_a_small_collection_with_little_writing_pages_by_one_hand_come_first(hands):
    writers = np.repeat(np.arange(hands), 4)
    right = []
    for seed in range(20):
        pages = pages_by(writers, seed, half=4.0)
        found = placed(pages)
        orders = found.in_order(found), pages.vectors @ pages.vectors.T
        right.append([first_is_by_the_same_hand(order, writers) for order in orders])
    likeness, cosine = np.mean(right, axis=0)
    assert likeness > cosine - 0.02


def first_is_by_the_same_hand(order, writers):
    """How often; a page is not its own first."""
    order[np.diag_indices(len(writers))] = -np.inf
    return (writers[order.argmax(axis=1)] == writers).mean()


def test_a_collection_by_one_hand_has_a_higher_prior(many):
    one = pages_by(np.zeros(len(MANY), int), 4)
    priors = [Background.of(pages, len(MANY), START).prior for pages in (many, one)]
    assert priors[0] < -2 < priors[1] <= 0


def test_the_prior_is_about_the_share_of_pairs_by_one_hand(many):
    found = Background.of(many, len(MANY), START).prior
    share = MATES.sum() / (MATES.sum() + OTHERS.sum())
    assert found == pytest.approx(math.log(share / (1 - share)), abs=0.4)


def test_a_sample_of_a_larger_collection_with_more_writers_has_a_lower_prior():
    writers = np.arange(60)
    pages = pages_by(writers, 6)
    small, large = (Background.of(pages, number, START).prior for number in (60, 6000))
    assert large < small


def test_beyond_twenty_thousand_pages_the_prior_falls_no_lower():
    pages = pages_by(np.arange(60), 6)
    assert Background.of(pages, 10**7, START).prior == LEAST_PRIOR


def test_up_to_twenty_thousand_pages_no_prior_is_as_low_as_the_least():
    assert _log_odds(0.02, 20_000) > LEAST_PRIOR


def test_the_spread_is_that_of_likenesses_of_two_hands(many):
    found = Background.of(many, len(MANY), START).spread
    assert found == pytest.approx(likenesses(many)[OTHERS].std(), abs=0.02)


def test_the_spread_of_few_pages_is_that_of_the_calibration():
    pages = pages_by(np.arange(3), 6)
    wide = replace(START, two_hands=replace(START.two_hands, spread=0.3))
    assert Background.of(pages, 3, START).spread == pytest.approx(0.12, abs=0.02)
    assert Background.of(pages, 3, wide).spread == pytest.approx(0.3, abs=0.03)


def test_pages_with_hardly_any_writing_do_not_spoil_the_spread(many):
    halves = many.halves.copy()
    halves[::10] = np.nan
    found = Background.of(replace(many, halves=halves), len(MANY), START).spread
    assert found == pytest.approx(Background.of(many, len(MANY), START).spread, abs=0.02)


def test_pages_that_are_all_unlike_alike_keep_the_least_spread():
    pages = described(np.eye(DIM, dtype=np.float32))
    assert Background.of(pages, DIM, START).spread >= LEAST_SPREAD


def test_the_order_of_pages_does_not_matter(many):
    order = np.random.default_rng(1).permutation(len(MANY))
    shuffled = Background.of(part(many, order), len(MANY), START).place(many)
    np.testing.assert_allclose(shuffled.vectors, placed(many).vectors, atol=1e-5)
    np.testing.assert_allclose(shuffled.reliability, placed(many).reliability, atol=1e-5)


def test_a_page_of_the_sample_is_placed_as_it_was_found(many):
    background = Background.of(many, len(MANY), START)
    alone = background.place(part(many, np.array([7])))
    np.testing.assert_allclose(alone.vectors[0], background.place(many).vectors[7], atol=1e-5)


def test_a_page_that_has_another_name_in_the_collection_is_placed_by_that_name(many):
    background = Background.of(many, len(MANY), START)
    renamed = Descriptors(("scan.png",), many.vectors[7:8], {}, halves=many.halves[7:8])
    found = background.place(renamed, ["0007"])
    np.testing.assert_allclose(found.vectors[0], background.place(many).vectors[7], atol=1e-5)


def test_pages_outside_the_sample_are_placed_about_like_inside(many):
    outside = np.arange(0, len(MANY), 10)
    inside = np.setdiff1d(np.arange(len(MANY)), outside)
    background = Background.of(part(many, inside), len(MANY), START)
    new, sampled = (background.place(part(many, rows)) for rows in (outside, inside))
    found = new.vectors @ sampled.vectors.T
    np.testing.assert_allclose(found, likenesses(many)[np.ix_(outside, inside)], atol=0.08)


def test_a_copy_of_a_page_outside_the_sample_is_as_like_as_a_page_can_be(many):
    background = Background.of(many, len(MANY), START)
    copy = background.place(part(many, np.array([7])), [None])
    own = background.place(many)
    assert own.vectors[7] @ copy.vectors[0] == pytest.approx(1 / own.reliability[7], abs=0.05)


def test_the_likeness_of_a_page_with_itself_is_the_inverse_of_its_reliability(many):
    found = placed(many)
    own = np.square(found.vectors).sum(axis=1)
    np.testing.assert_allclose(own, 1 / found.reliability, rtol=1e-4)


def test_reliability_rises_with_the_agreement_of_halves():
    vectors = pages_by(np.arange(30), 8, common=0.0).vectors
    halves = np.linspace(0.05, 0.95, 30)
    alike = np.repeat(vectors[:1], 30, axis=0)
    background = Background.of(described(vectors), 30, START)
    found = background.place(described(alike, halves), [None] * 30).reliability
    assert (np.diff(found) > 0).all()
    assert 0 < found.min() < found.max() <= 1


def test_without_a_mean_reliability_is_the_formula_of_spearman_and_brown():
    pages = described(np.eye(2, DIM, dtype=np.float32), [0.4, 0.9])
    background = replace(Background.of(pages, 2, START), weights=np.zeros((2, 2)))
    np.testing.assert_allclose(background.place(pages).reliability, [0.8 / 1.4, 1.8 / 1.9], 1e-6)


def test_halves_that_are_not_known_count_as_no_agreement(many):
    unknown, none = many.halves.copy(), many.halves.copy()
    unknown[::5], none[::5] = np.nan, 0
    found, wanted = (placed(replace(many, halves=halves)) for halves in (unknown, none))
    np.testing.assert_array_equal(found.vectors, wanted.vectors)
    assert found.reliability[::5].max() < 0.1 < found.reliability[1::5].min()


def test_pages_are_the_stranger_the_more_all_of_them_share():
    found = [placed(pages_by(MANY, 3, common=common)).strangeness for common in (0, 0.5, 1)]
    assert found[0].max() < 0.1
    assert (found[0] < found[1]).all()
    assert (found[1] < found[2]).all()


@pytest.mark.parametrize("number", [1, 2])
def test_a_collection_of_hardly_any_pages_can_be_placed(many, number):
    found = placed(part(many, np.arange(0, 3 * number, 3)))
    assert np.isfinite(found.vectors).all()


def test_pages_without_halves_are_refused(many):
    bare = replace(many, halves=None)
    with pytest.raises(ValueError, match="must have the halves of pages"):
        Background.of(bare, len(MANY), START)
    with pytest.raises(ValueError, match="must have the halves of pages"):
        Background.of(many, len(MANY), START).place(bare)
