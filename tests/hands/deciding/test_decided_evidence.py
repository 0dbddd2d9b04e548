"""Grouping obeys decisions, and is the same as ever without."""

from itertools import combinations

import numpy as np
import pytest

from dgmp.hands import Constraints, DecidedEvidence, group_pages, linkage
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


def test_pages_far_from_every_decision_keep_their_numbers(pages, fitted):
    """Evidence between pages nobody spoke of is what it was, to the last bit."""
    evidence = Evidence.of(pages, fitted)
    decisions = some_decisions(pages.page_ids, 0, number=2)
    decided = DecidedEvidence.over(evidence, pages.page_ids, Constraints.of(decisions))
    spoken = {id for decision in decisions for id in decision.pages}
    rest = np.array([i for i, id in enumerate(pages.page_ids) if id not in spoken])
    np.testing.assert_array_equal(decided.between(rest, rest), evidence.between(rest, rest))


def test_decided_pairs_have_log_odds_beyond_all_evidence(pages, fitted):
    a, b, c = pages.page_ids[:3]
    decisions = [Decision("same", (a,), (b,)), Decision("different", (b,), (c,))]
    evidence = Evidence.of(pages, fitted)
    decided = DecidedEvidence.over(evidence, pages.page_ids, Constraints.of(decisions))
    odds = decided.between(np.array([2, 1, 0]), np.array([0, 1, 2, 3]))
    assert odds[1, 0] == odds[2, 1] == TOGETHER
    assert odds[0, 0] == odds[0, 1] == odds[1, 2] == odds[2, 2] == np.float32(APART)


def test_linkage_is_that_of_the_slow_way(pages, fitted):
    evidence = Evidence.of(pages, fitted)
    constraints = Constraints.of(some_decisions(pages.page_ids, 5))
    decided = DecidedEvidence.over(evidence, pages.page_ids, constraints)
    odds = decided.between(np.arange(60), np.arange(60)).astype(np.float64)
    assert members(link_pages(decided, -1.0)) == slow_linkage(odds, -1.0)


def test_the_size_of_the_blocks_does_not_matter(pages, fitted, monkeypatch):
    evidence = Evidence.of(pages, fitted)
    constraints = Constraints.of(some_decisions(pages.page_ids, 5))
    decided = DecidedEvidence.over(evidence, pages.page_ids, constraints)
    whole = link_pages(decided, 0.0)
    monkeypatch.setattr(linkage, "_BLOCK", 7)
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
