"""Pages into hands: average linkage, confidence, and no dependence on order or blocks."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.catalogue import Hand, draw_hands, group_pages, grouping, linkage
from dgmp.catalogue.evidence import Evidence
from dgmp.catalogue.linkage import join_lone_pages, link_pages
from dgmp.evaluation import adjusted_rand_index
from dgmp.records import Descriptors


def described(vectors):
    return Descriptors(tuple(f"{i:04}" for i in range(len(vectors))), vectors, {})


def drawn(seed, writers=40, most=6):
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(writers), generator.integers(1, most + 1, writers))
    vectors = generator.standard_normal((writers, 48))[labels]
    vectors = vectors + 0.6 * generator.standard_normal(vectors.shape) + 1.0
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), labels


def groups_of(hands):
    return {frozenset(hand.page_ids) for hand in hands}


@pytest.fixture(scope="module")
def collection():
    return drawn(11)


def slow_linkage(odds, threshold):
    """Join the two groups with the highest mean as long as it reaches the threshold."""
    groups = [[i] for i in range(len(odds))]
    while len(groups) > 1:
        best, pair = max(
            (np.mean([odds[a, b] for a in groups[i] for b in groups[j]]), (i, j))
            for i in range(len(groups))
            for j in range(i)
        )
        if best < threshold:
            break
        groups[pair[1]] += groups.pop(pair[0])
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("threshold", [-4.0, 0.0, 3.0])
def test_linkage_is_that_of_the_slow_way(collection, fitted, threshold):
    vectors = collection[0][:45]
    evidence = Evidence.of(described(vectors), fitted)
    labels = link_pages(evidence, threshold)
    odds = evidence.between(np.arange(45), np.arange(45))
    found = {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)}
    assert found == slow_linkage(odds, threshold)


@pytest.mark.parametrize("threshold", [-30.0, -1.0, 30.0])
def test_lone_pages_join_the_group_they_are_most_like(collection, fitted, threshold):
    evidence = Evidence.of(described(collection[0][:45]), fitted)
    groups = link_pages(evidence, 2.0)
    odds = evidence.between(np.arange(45), np.arange(45))
    several = [g for g in np.unique(groups) if (groups == g).sum() > 1]
    wanted = {g: set(np.flatnonzero(groups == g).tolist()) for g in np.unique(groups)}
    assert len(several) < len(wanted)  # some are alone
    for page in np.flatnonzero(~np.isin(groups, several)):
        means = {g: odds[page, groups == g].mean() for g in several}
        best = max(means, key=means.get)
        if means[best] >= threshold:
            wanted[groups[page]].remove(page)
            wanted[best].add(page)
    joined = join_lone_pages(evidence, groups, threshold)
    found = {frozenset(np.flatnonzero(joined == g).tolist()) for g in np.unique(joined)}
    assert found == {frozenset(group) for group in wanted.values() if group}


def test_the_threshold_of_lone_pages_is_used_and_not_above_that_of_groups(collection, fitted):
    assert fitted.lone_threshold <= fitted.threshold
    pages = described(collection[0])
    never, always = (
        group_pages(pages, replace(fitted, lone_threshold=lone)) for lone in (1e6, -1e6)
    )
    assert sum(len(hand.page_ids) == 1 for hand in never) > 0
    assert all(len(hand.page_ids) > 1 for hand in always)


def test_pages_that_are_all_alone_stay_so(collection, fitted):
    evidence = Evidence.of(described(collection[0][:9]), fitted)
    alone = np.arange(9)
    np.testing.assert_array_equal(join_lone_pages(evidence, alone, -100.0), alone)


def test_the_hands_of_drawn_writers_are_found(collection, fitted):
    vectors, writers = collection
    hands = group_pages(described(vectors), fitted)
    number = {int(id): hand.number for hand in hands for id in hand.page_ids}
    found = [number[i] for i in range(len(writers))]
    assert adjusted_rand_index(writers, found) > 0.9
    assert abs(len(hands) - 40) <= 8


def test_the_order_of_the_pages_does_not_matter(collection, fitted):
    vectors, _ = collection
    pages = described(vectors)
    order = np.random.default_rng(1).permutation(len(vectors))
    shuffled = Descriptors(tuple(pages.page_ids[i] for i in order), vectors[order], {})
    assert group_pages(shuffled, fitted) == group_pages(pages, fitted)


def test_the_size_of_the_blocks_does_not_matter(collection, fitted, monkeypatch):
    pages = described(collection[0])
    whole = group_pages(pages, fitted)
    monkeypatch.setattr(linkage, "_BLOCK", 7)
    monkeypatch.setattr(grouping, "_BLOCK", 7)
    cut = group_pages(pages, fitted)
    assert groups_of(cut) == groups_of(whole)
    assert np.allclose([h.confidence for h in cut], [h.confidence for h in whole], atol=1e-4)


def test_a_part_that_is_too_large_is_cut_with_a_warning(collection, fitted, monkeypatch):
    monkeypatch.setattr(linkage, "LARGEST", 3)
    evidence = Evidence.of(described(collection[0]), fitted)
    with pytest.warns(UserWarning, match="hang together"):
        groups = link_pages(evidence, fitted.threshold)
    assert np.bincount(groups).max() <= 3


def test_hands_come_largest_first_and_hold_every_page_once(collection, fitted):
    hands = group_pages(described(collection[0]), fitted)
    sizes = [len(hand.page_ids) for hand in hands]
    assert sizes == sorted(sizes, reverse=True)
    assert [hand.number for hand in hands] == list(range(1, len(hands) + 1))
    assert sorted(id for hand in hands for id in hand.page_ids) == sorted(
        described(collection[0]).page_ids
    )


def test_margins_are_those_of_the_slow_way(collection, fitted):
    vectors = collection[0][:40]
    evidence = Evidence.of(described(vectors), fitted)
    groups = link_pages(evidence, fitted.threshold)
    fits, weakest, nearest, apart = grouping.margins(evidence, groups, fitted.threshold)
    odds = evidence.between(np.arange(40), np.arange(40)) - fitted.threshold
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        means = {
            other: odds[np.ix_(members, groups == other)].mean()
            for other in np.unique(groups)
            if other != group
        }
        assert nearest[group] == max(means, key=means.get)
        assert apart[group] == pytest.approx(-max(means.values()), abs=1e-3)
        for page in members[: len(members) * (len(members) > 1)]:
            others = members[members != page]
            assert fits[page] == pytest.approx(odds[page, others].mean(), abs=1e-3)
        assert weakest[group] == fits[members].min()


def test_confidence_is_the_share_of_hands_that_are_right(fitted):
    right, said = [], []
    for seed in range(100, 112):
        vectors, writers = drawn(seed)
        true = {
            frozenset(f"{i:04}" for i in np.flatnonzero(writers == w)) for w in np.unique(writers)
        }
        for hand in group_pages(described(vectors), fitted):
            right.append(frozenset(hand.page_ids) in true)
            said.append(hand.confidence)
    assert np.mean(said) == pytest.approx(np.mean(right), abs=0.1)


def test_a_page_alone_is_a_hand_alone(fitted, collection):
    (hand,) = group_pages(described(collection[0][:1]), fitted)
    assert (hand.page_ids, hand.fits, hand.nearest) == (("0000",), (1.0,), None)


def test_no_pages_are_no_hands(fitted):
    assert group_pages(described(np.zeros((0, 48), np.float32)), fitted) == ()


def test_copies_of_a_page_are_one_hand(fitted, collection):
    vectors = np.concatenate([collection[0], np.repeat(collection[0][:1], 5, axis=0)])
    hands = group_pages(described(vectors), fitted)
    copies = {"0000", *(f"{len(vectors) - i:04}" for i in range(1, 6))}
    assert any(copies <= set(hand.page_ids) for hand in hands)


@pytest.mark.parametrize("name", ["hands.png", "hands.jpg"])
def test_a_sheet_is_drawn_even_of_more_hands_than_fit(tmp_path, name):
    from PIL import Image

    hands = [Hand(n, (f"{n}",), (1.0,), 0.5, None) for n in range(1, 9)]
    draw_hands(hands, {}, tmp_path / name, rows=3)
    with Image.open(tmp_path / name) as picture:
        assert picture.height < 4 * 210
