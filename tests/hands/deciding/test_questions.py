"""The questions whose answers are worth most."""

from itertools import combinations

import numpy as np
import pytest

from dgmp.hands import Constraints, open_questions
from dgmp.hands.evidence import Evidence, part
from dgmp.hands.grouping import group_and_ask
from dgmp.records import Decision


@pytest.fixture(scope="module")
def pages(collection):
    return part(collection[0], np.arange(60))


@pytest.fixture(scope="module")
def asked(pages, fitted):
    return group_and_ask(pages, fitted)


def test_questions_come_by_their_worth(asked):
    worths = [question.worth for question in asked.questions]
    assert worths == sorted(worths, reverse=True)
    assert min(worths) >= 0


def test_every_question_is_about_two_pages_of_the_hands_it_names(asked):
    number = {id: hand.number for hand in asked.hands for id in hand.page_ids}
    for question in asked.questions:
        assert question.first != question.second
        assert (number[question.first], number[question.second]) == question.hands


def test_hands_are_asked_about_within_and_between(asked):
    kinds = {question.hands[0] == question.hands[1] for question in asked.questions}
    assert kinds == {True, False}


def test_no_pair_is_asked_about_twice(asked):
    pairs = [frozenset((question.first, question.second)) for question in asked.questions]
    assert len(set(pairs)) == len(pairs)


def test_a_question_has_probability_and_likelihood_ratio_of_its_pages(pages, fitted, asked):
    evidence = Evidence.of(pages, fitted)
    place = {id: i for i, id in enumerate(pages.page_ids)}
    for question in asked.questions[:10]:
        pair = np.array([place[question.first]]), np.array([place[question.second]])
        odds = evidence.between(*pair)[0, 0]
        assert question.probability == pytest.approx(float(fitted.probability(odds)), abs=1e-4)
        ratio = np.exp(odds - evidence.prior)
        assert question.likelihood_ratio == pytest.approx(float(ratio), rel=1e-3)


def test_what_was_answered_or_follows_from_answers_is_not_asked(pages, fitted, asked):
    verdicts = ["same", "different", "unsure"] * 10
    decisions = [
        Decision(verdict, (question.first,), (question.second,))
        for verdict, question in zip(verdicts, asked.questions, strict=False)
    ]
    constraints = Constraints.of(decisions)
    known = {decision.pages for decision in decisions}
    for questions in (
        group_and_ask(pages, fitted, decisions=decisions).questions,
        open_questions(asked.questions, decisions),
    ):
        assert questions
        for question in questions:
            assert constraints.said(question.first, question.second) is None
            assert frozenset((question.first, question.second)) not in known


def test_who_has_answered_everything_is_asked_nothing(pages, fitted, collection):
    pages = part(pages, np.arange(25))
    writers = dict(zip(pages.page_ids, collection[1].tolist(), strict=False))
    decisions = [
        Decision("same" if writers[a] == writers[b] else "different", (a,), (b,))
        for a, b in combinations(pages.page_ids, 2)
    ]
    assert group_and_ask(pages, fitted, decisions=decisions).questions == ()
