"""Decisions as must-links and cannot-links."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgmp.hands import Constraints
from dgmp.records import Decision


def same(*pages):
    return Decision("same", tuple(pages[:1]), tuple(pages[1:]))


def different(first, second):
    return Decision("different", tuple(first), tuple(second))


def said(decisions, pair):
    return Constraints.of(decisions).said(*pair)


PAGES = "abcdefgh"


@st.composite
def histories(draw):
    decisions = []
    for _ in range(draw(st.integers(1, 8))):
        pages = draw(st.lists(st.sampled_from(PAGES), min_size=2, max_size=5, unique=True))
        cut = draw(st.integers(1, len(pages) - 1))
        verdict = draw(st.sampled_from(["same", "different"]))
        decisions.append(Decision(verdict, tuple(pages[:cut]), tuple(pages[cut:])))
    return decisions


def test_one_hand_passes_on_from_page_to_page():
    assert said([same("a", "b"), same("b", "c")], "ac") is True


def test_two_hands_pass_on_from_node_to_node():
    decisions = [same("a", "b"), same("c", "d"), different("a", "c")]
    assert said(decisions, "bd") is False
    assert said(decisions, "ab") is True


def test_two_others_of_one_hand_may_be_alike_or_not():
    assert said([different("a", "b"), different("a", "c")], "bc") is None


def test_nothing_is_said_of_other_pages_and_by_the_unsure():
    decisions = [same("a", "b"), Decision("unsure", ("a",), ("c",)), Decision("name", ("c", "d"))]
    assert said(decisions, "ac") is said(decisions, "cd") is said(decisions, "xy") is None


def test_no_decisions_are_no_constraints():
    assert not Constraints.of([])
    assert not Constraints.of([Decision("name", ("a",), name="Märta")])


@given(histories())
def test_of_two_decisions_about_one_pair_the_later_counts(decisions):
    last = decisions[-1]
    for first in last.first:
        for second in last.second:
            assert said(decisions, (first, second)) is (last.verdict == "same")


@given(histories())
def test_what_is_said_is_never_contradictory(decisions):
    found = Constraints.of(decisions)
    for a, b, c in combinations(PAGES, 3):
        pairs = [found.said(a, b), found.said(b, c), found.said(a, c)]
        assert pairs.count(True) != 2
        assert not (True in pairs and pairs.count(False) == 1)


@given(histories())
def test_without_a_contradiction_every_decision_is_obeyed(decisions):
    found = Constraints.of(decisions)
    obeyed = all(
        found.said(*pair) is (decision.verdict == "same")
        for decision in decisions
        for pair in (
            combinations(sorted(decision.pages), 2)
            if decision.verdict == "same"
            else [(a, b) for a in decision.first for b in decision.second]
        )
    )
    assert obeyed is (not found.contradictions)


@given(histories())
def test_the_decisions_of_a_contradiction_cannot_all_be_true(decisions):
    for found in Constraints.of(decisions).contradictions:
        assert found.passed_over in found.decisions
        assert set(found.pages) <= found.passed_over.pages
        assert Constraints.of(found.decisions).contradictions


def test_a_contradiction_names_the_decisions_involved_and_no_others():
    decisions = [same("a", "b"), same("x", "y"), same("b", "c"), different("a", "c")]
    (found,) = Constraints.of(decisions).contradictions
    assert found.decisions == (decisions[0], decisions[2], decisions[3])
    assert found.passed_over == decisions[0]
    assert found.pages == ("a", "b")


def test_a_page_rejected_from_a_confirmed_hand_leaves_the_others_together():
    decisions = [same(*"abcdef"), different("c", "abdef")]
    assert said(decisions, "af") is True
    assert said(decisions, "ac") is False
    assert len(Constraints.of(decisions).contradictions) == 1


def test_a_confirmed_hand_that_is_split_stays_together_on_both_sides():
    decisions = [same(*"abcdef"), different("abc", "def")]
    assert said(decisions, "ac") is said(decisions, "df") is True
    assert said(decisions, "ad") is False


def test_hands_set_apart_and_merged_later_are_one():
    decisions = [different("abc", "def"), same(*"abcdef")]
    assert said(decisions, "ad") is True
    assert Constraints.of(decisions).contradictions[0].passed_over == decisions[0]


@pytest.mark.parametrize(
    ("pages", "decided"),
    [("abc", True), ("ab", True), ("abd", False), ("xy", False), ("a", False)],
)
def test_a_hand_is_decided_if_all_its_pages_are_said_to_be_by_one(pages, decided):
    assert Constraints.of([same(*"abc")]).decided(pages) is decided


def test_a_hand_with_a_contradiction_is_not_decided():
    decisions = [different("a", "b"), same(*"abc"), same("x", "y")]
    assert not Constraints.of(decisions).decided("abc")
    assert Constraints.of(decisions).decided("xy")
