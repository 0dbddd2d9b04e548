"""Pages into hands: confidence, and no dependence on order or blocks."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from dgmp.errors import UnknownName
from dgmp.evaluation import adjusted_rand_index
from dgmp.hands import PREFERENCES, evidence, group_and_ask, group_pages, linkage, margins
from dgmp.hands.evidence import part

from .writers import described, drawn, pages_by


def groups_of(hands):
    return {frozenset(hand.page_ids) for hand in hands}


def test_fewer_hands_are_not_more_than_balanced_and_these_not_more_than_more(fitted):
    pages = pages_by(np.repeat(np.arange(30), 4), 9, half=1.2)  # little writing leaves it open
    fewer, balanced, more = (
        len(group_pages(pages, fitted, prefer=name)) for name in ("fewer", "balanced", "more")
    )
    assert fewer <= balanced <= more
    assert fewer < more


def test_hands_are_balanced_unless_asked_otherwise(collection, fitted):
    pages = collection[0]
    assert group_pages(pages, fitted) == group_pages(pages, fitted, prefer="balanced")


def test_a_preference_is_a_shift_of_the_threshold(collection, fitted):
    pages = collection[0]
    shifted = replace(fitted, threshold=fitted.threshold + PREFERENCES["more"])
    assert group_pages(pages, fitted, prefer="more") == group_pages(pages, shifted)


def test_an_unknown_preference_lists_the_others(collection, fitted):
    with pytest.raises(UnknownName, match="fewer, balanced, more"):
        group_pages(collection[0], fitted, prefer="many")


def test_the_hands_of_drawn_writers_are_found(collection, fitted):
    pages, writers = collection
    hands = group_pages(pages, fitted)
    number = {int(id): hand.number for hand in hands for id in hand.page_ids}
    found = [number[i] for i in range(len(writers))]
    assert adjusted_rand_index(writers, found) > 0.9
    assert abs(len(hands) - 40) <= 8


def test_the_order_of_the_pages_does_not_matter(collection, fitted):
    pages = collection[0]
    order = np.random.default_rng(1).permutation(len(pages.page_ids))
    shuffled = group_pages(part(pages, order), fitted)
    assert shuffled == group_pages(pages, fitted)


def test_the_size_of_the_blocks_does_not_matter(collection, fitted, monkeypatch):
    pages = collection[0]
    whole = group_pages(pages, fitted)
    monkeypatch.setattr(evidence, "_BLOCK", 7)
    monkeypatch.setattr(linkage, "_BLOCK", 7)
    monkeypatch.setattr(margins, "_BLOCK", 7)
    cut = group_pages(pages, fitted)
    assert groups_of(cut) == groups_of(whole)
    assert np.allclose([h.confidence for h in cut], [h.confidence for h in whole], atol=1e-4)


def test_hands_come_largest_first_and_hold_every_page_once(collection, fitted):
    hands = group_pages(collection[0], fitted)
    sizes = [len(hand.page_ids) for hand in hands]
    assert sizes == sorted(sizes, reverse=True)
    assert [hand.number for hand in hands] == list(range(1, len(hands) + 1))
    assert sorted(id for hand in hands for id in hand.page_ids) == sorted(collection[0].page_ids)


def test_the_pages_of_a_hand_come_best_fitting_first(collection, fitted):
    for hand in group_pages(collection[0], fitted):
        assert list(hand.fits) == sorted(hand.fits, reverse=True)


def test_confidence_is_the_share_of_hands_that_are_right(fitted):
    right, said = [], []
    for seed in range(100, 112):
        pages, writers = drawn(seed)
        true = {
            frozenset(f"{i:04}" for i in np.flatnonzero(writers == w)) for w in np.unique(writers)
        }
        for hand in group_pages(pages, fitted):
            right.append(frozenset(hand.page_ids) in true)
            said.append(hand.confidence)
    assert np.mean(said) == pytest.approx(np.mean(right), abs=0.1)


def test_a_page_alone_is_a_hand_alone(fitted, collection):
    (hand,) = group_pages(part(collection[0], np.arange(1)), fitted)
    assert (hand.page_ids, hand.fits, hand.nearest) == (("0000",), (1.0,), None)


def test_no_pages_are_no_hands(fitted):
    assert group_pages(described(np.zeros((0, 48), np.float32)), fitted) == ()


def test_copies_of_a_page_are_one_hand(fitted, collection):
    rows = [*range(len(collection[1])), *[0] * 5]
    pages = described(collection[0].vectors[rows], collection[0].halves[rows])
    hands = group_pages(pages, fitted)
    copies = {"0000", *(f"{len(rows) - i:04}" for i in range(1, 6))}
    assert any(copies <= set(hand.page_ids) for hand in hands)


def test_pages_that_share_more_than_calibrated_kinds_do_are_announced(fitted):
    pages = pages_by(np.repeat(np.arange(100), 3), 4, common=1.5)
    with pytest.warns(UserWarning, match="of 300 pages are of a kind of writing unlike"):
        group_pages(pages, fitted)


def test_pages_with_nothing_in_common_are_not_announced(fitted):
    pages = pages_by(np.repeat(np.arange(30), 3), 4, common=0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        group_pages(pages, fitted)


def test_progress_is_told_in_stages_that_end_with_all_pages(collection, fitted):
    done = {}

    def stage(name, pages):
        done[name] = -pages

        def progress(number):
            done[name] += number

        return progress

    group_and_ask(collection[0], fitted, stage=stage)
    assert done == {"grouping pages": 0, "judging hands": 0}
