"""Grouping obeys decisions, and is the same as ever without."""

from itertools import combinations

import numpy as np
import pytest

from dgmp.hands import Constraints, group_pages, linkage
from dgmp.hands import evidence as evidence_file
from dgmp.hands.deciding import DecidedEvidence, JointCurve, Joints
from dgmp.hands.deciding.decided_evidence import APART, TOGETHER
from dgmp.hands.evidence import Evidence, part
from dgmp.hands.linkage import link_pages
from dgmp.records import Decision

from ..test_linkage import members, slow_linkage


def some_decisions(page_ids, seed, number=12):
    """Decisions of a person with no idea of the pages."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(number):
        pages = [str(id) for id in generator.choice(page_ids, 4, replace=False)]
        verdict = "same" if generator.random() < 0.5 else "different"
        cut = int(generator.integers(1, 4))
        made.append(Decision(verdict, tuple(pages[:cut]), tuple(pages[cut:])))
    return made


def together(hands):
    return {pair for hand in hands for pair in combinations(sorted(hand.page_ids), 2)}


@pytest.fixture(scope="module")
def pages(collection):
    return part(collection[0], np.arange(60))


@pytest.mark.parametrize("seed", range(8))
def test_no_group_breaks_a_decision(pages, fitted, seed):
    decisions = some_decisions(pages.page_ids, seed)
    joined = together(group_pages(pages, fitted, decisions=decisions))
    constraints = Constraints.of(decisions)
    for pair in combinations(sorted(pages.page_ids), 2):
        said = constraints.said(*pair)
        assert said is None or (pair in joined) is said


def test_decisions_of_the_true_hands_of_all_pairs_give_these(pages, collection, fitted):
    pages = part(pages, np.arange(25))
    writers = dict(zip(pages.page_ids, collection[1].tolist(), strict=False))
    decisions = [
        Decision("same" if writers[a] == writers[b] else "different", (a,), (b,))
        for a, b in combinations(pages.page_ids, 2)
    ]
    joined = together(group_pages(pages, fitted, decisions=decisions))
    assert all(
        ((a, b) in joined) is (writers[a] == writers[b]) for a, b in combinations(pages.page_ids, 2)
    )


def test_the_order_of_the_pages_does_not_matter(pages, fitted):
    decisions = some_decisions(pages.page_ids, 3)
    order = np.random.default_rng(1).permutation(len(pages.page_ids))
    shuffled = group_pages(part(pages, order), fitted, decisions=decisions)
    assert shuffled == group_pages(pages, fitted, decisions=decisions)


def test_decisions_about_other_pages_change_nothing(pages, fitted):
    decisions = [
        Decision("same", ("gone",), ("lost",)),
        Decision("different", ("gone",), ("away",)),
    ]
    assert group_pages(pages, fitted, decisions=decisions) == group_pages(pages, fitted)


def test_a_page_that_is_gone_still_passes_on_what_was_said_of_it(pages, fitted):
    first, second = pages.page_ids[0], pages.page_ids[-1]
    decisions = [Decision("same", (first,), ("gone",)), Decision("same", ("gone",), (second,))]
    assert (first, second) in together(group_pages(pages, fitted, decisions=decisions))


def decided_evidence(pages, fitted, decisions, threshold=-1.0):
    joints = Joints.of(Evidence.of(pages, fitted), threshold)
    constraints = Constraints.of(decisions)
    return DecidedEvidence.over(joints, pages.page_ids, constraints, JointCurve(threshold))


def test_evidence_between_groups_nobody_spoke_of_is_what_it_was_to_the_last_bit(pages, fitted):
    decisions = some_decisions(pages.page_ids, 0, number=2)
    decided = decided_evidence(pages, fitted, decisions)
    groups = link_pages(decided.plain, -1.0)
    spoken = {id for decision in decisions for id in decision.pages}
    touched = {groups[i] for i, id in enumerate(pages.page_ids) if id in spoken}
    rest = np.array([i for i in range(60) if groups[i] not in touched])
    np.testing.assert_array_equal(decided.between(rest, rest), decided.plain.between(rest, rest))


def test_decided_pairs_have_log_odds_beyond_all_evidence(pages, fitted):
    a, b, c = pages.page_ids[:3]
    decisions = [Decision("same", (a,), (b,)), Decision("different", (b,), (c,))]
    decided = decided_evidence(pages, fitted, decisions)
    odds = decided.between(np.array([2, 1, 0]), np.array([0, 1, 2, 3]))
    assert odds[1, 0] == odds[2, 1] == TOGETHER
    assert odds[0, 0] == odds[0, 1] == odds[1, 2] == odds[2, 2] == np.float32(APART)


@pytest.fixture(scope="module")
def two_hands(pages, fitted):
    """Two hands of several pages."""
    hands = group_pages(pages, fitted)[:2]
    assert min(len(hand.page_ids) for hand in hands) > 2
    return hands


def moved(pages, fitted, verdict, one, other):
    """What a decision about the first pages of two groups adds to log-odds of the others."""
    decided = decided_evidence(
        pages, fitted, [Decision(verdict, one[:1], other[:1])], fitted.threshold
    )
    place = {id: i for i, id in enumerate(pages.page_ids)}
    rows, columns = (np.array([place[id] for id in ids[1:]]) for ids in (one, other))
    return decided.between(rows, columns) - decided.plain.between(rows, columns)


def test_one_hand_of_two_pages_is_evidence_for_those_of_their_groups(pages, fitted, two_hands):
    added = moved(pages, fitted, "same", *(hand.page_ids for hand in two_hands))
    assert (added > 0).all()


def test_two_hands_of_two_pages_are_evidence_against_those_like_them(pages, fitted, two_hands):
    ids = two_hands[0].page_ids
    odd = ids[-1:] + tuple(id for id in two_hands[1].page_ids)  # a page of the first among others
    added = moved(pages, fitted, "different", ids[:-1], odd)
    assert (added <= 0).all()


def test_two_pages_that_are_said_to_be_by_one_hand_join_their_groups(pages, fitted, two_hands):
    one, other = (hand.page_ids for hand in two_hands)
    merged = group_pages(pages, fitted, decisions=[Decision("same", one[:1], other[:1])])
    assert {*one, *other} <= set(merged[0].page_ids)


def test_a_page_that_is_rejected_leaves_the_others_of_its_hand_as_they_are(pages, fitted):
    ids = group_pages(pages, fitted)[0].page_ids
    rejected = group_pages(pages, fitted, decisions=[Decision("different", ids[1:2], ids[2:])])
    (home,) = [hand for hand in rejected if ids[2] in hand.page_ids]
    assert set(ids[2:]) <= set(home.page_ids)


def test_the_two_sides_of_a_hand_that_is_split_stay_together(pages, fitted, two_hands):
    one, other = (hand.page_ids for hand in two_hands)
    merged = [Decision("same", one[:1], other[:1])]
    split = [Decision("different", one, other)]
    found = group_pages(pages, fitted, decisions=merged + split)
    assert {frozenset(one), frozenset(other)} <= {frozenset(hand.page_ids) for hand in found}


def test_evidence_is_symmetric(pages, fitted):
    decided = decided_evidence(pages, fitted, some_decisions(pages.page_ids, 4))
    odds = decided.between(np.arange(60), np.arange(60))
    np.testing.assert_allclose(odds, odds.T, rtol=1e-4, atol=1e-3)


def test_linkage_is_that_of_the_slow_way(pages, fitted):
    decided = decided_evidence(pages, fitted, some_decisions(pages.page_ids, 5))
    odds = decided.between(np.arange(60), np.arange(60)).astype(np.float64)
    assert members(link_pages(decided, -1.0)) == slow_linkage(odds, -1.0)


def test_the_size_of_the_blocks_does_not_matter(pages, fitted, monkeypatch):
    decided = decided_evidence(pages, fitted, some_decisions(pages.page_ids, 5))
    whole = link_pages(decided, 0.0)
    monkeypatch.setattr(linkage, "_BLOCK", 7)
    monkeypatch.setattr(evidence_file, "_BLOCK", 7)
    np.testing.assert_array_equal(link_pages(decided, 0.0), whole)


def test_a_hand_that_was_confirmed_is_decided_and_certain(pages, fitted):
    hand = group_pages(pages, fitted)[0]
    confirmed = [Decision("same", hand.page_ids)]
    (found,) = [h for h in group_pages(pages, fitted, decisions=confirmed) if h.decided]
    assert set(found.page_ids) == set(hand.page_ids)
    assert found.confidence == 1


def test_a_hand_that_was_said_to_be_another_is_not_the_nearest(pages, fitted):
    hands = group_pages(pages, fitted)
    first, near = hands[0], hands[hands[0].nearest - 1]
    apart = [Decision("different", first.page_ids, near.page_ids)]
    found = {h.page_ids[0]: h for h in group_pages(pages, fitted, decisions=apart)}
    nearest = found[first.page_ids[0]].nearest
    again = group_pages(pages, fitted, decisions=apart)[nearest - 1]
    assert set(again.page_ids) != set(near.page_ids)


def test_of_two_pages_said_to_be_by_two_hands_neither_has_a_nearest(pages, fitted):
    two = part(pages, np.arange(2))
    apart = [Decision("different", (pages.page_ids[0],), (pages.page_ids[1],))]
    assert [hand.nearest for hand in group_pages(two, fitted, decisions=apart)] == [None, None]
