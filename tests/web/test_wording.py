"""Figures as sentences."""

import pytest

from dgmp.records import Decision
from dgmp.web import wording


@pytest.mark.parametrize(("share", "words"), [(0.0, "1 %"), (0.504, "50 %"), (1.0, "99 %")])
def test_no_probability_is_certain(share, words):
    assert wording.percent(share) == words


def test_a_ratio_and_its_inverse_say_the_opposite():
    assert wording.likeness(20) == (
        "Two pages by one hand are as like each other as these 20 times as often as "
        "two pages by different hands."
    )
    assert wording.likeness(1 / 20) == (
        "Two pages by different hands are as like each other as these 20 times as often as "
        "two pages by one hand."
    )


@pytest.mark.parametrize("ratio", [0.0, 1e-300, 1e300])
def test_extreme_ratios_are_said_in_words(ratio):
    assert "more than 100 times" in wording.likeness(ratio)


def test_too_little_writing_is_said():
    assert "too little writing" in wording.same_hand(None, None, enough=False)


def test_an_uncalibrated_describer_is_said():
    assert "not calibrated" in wording.same_hand(None, None, enough=True)


@pytest.mark.parametrize(
    ("probability", "begins"), [(0.95, "Probably one"), (0.5, "An open"), (0.05, "Probably two")]
)
def test_the_verdict_follows_the_probability(probability, begins):
    assert wording.same_hand(probability, 1.0, enough=True).startswith(begins)


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision("same", ("a", "b", "c")), "a and 2 more: one hand"),
        (Decision("same", ("a",), ("b",)), "a and b: one hand"),
        (Decision("different", ("a",), ("b", "c")), "a and b and c: different hands"),
        (Decision("unsure", ("a",), ("b",)), "a and b: cannot say"),
        (Decision("name", ("a",), name="Otto"), "the hand of a is called 'Otto'"),
        (Decision("undo", (), replaces="1"), "a decision was taken back"),
    ],
)
def test_decisions_are_told(decision, words):
    assert wording.decided(decision) == words


def test_one_page_is_one_page():
    assert (wording.counted(1, "page"), wording.counted(1200, "page")) == (
        "1 page",
        "1\u2009200 pages",
    )
