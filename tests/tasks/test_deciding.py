"""Decisions about a catalogue, called from Python."""

from dataclasses import replace
from itertools import combinations

import pytest

from dgmp.catalogue import Catalogue, write_stored_hands
from dgmp.engines import Here
from dgmp.errors import CatalogueError, DecisionConflict
from dgmp.records import Decision
from dgmp.tasks import (
    contradictions,
    decide,
    decide_all,
    decisions,
    describe,
    export_decisions,
    group,
    history,
    import_decisions,
    review,
    search,
    stored_hands,
    undo,
)

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def scans(shelf):
    return shelf / "scans"


@pytest.fixture
def catalogue(shelf):
    return Catalogue.open(shelf / "catalogue")


@pytest.fixture
def pair(catalogue):
    """Two pages of two hands."""
    one, other = group(catalogue)[:2]
    return one.page_ids[0], other.page_ids[0]


def same(*pages):
    return Decision("same", pages[:1], pages[1:], person="Märta")


def together(catalogue):
    return {p for hand in group(catalogue) for p in combinations(sorted(hand.page_ids), 2)}


def test_a_decision_is_obeyed_by_the_next_grouping(catalogue, pair):
    decide(catalogue, same(*pair))
    assert tuple(sorted(pair)) in together(catalogue)


def test_undo_restores_exactly_the_hands_before(catalogue, pair):
    before = group(catalogue)
    decision = decide(catalogue, same(*pair))
    assert group(catalogue) != before
    undo(catalogue, decision.id)
    assert group(catalogue) == before


def test_undoing_an_undo_brings_the_decision_back(catalogue, pair):
    decision = decide(catalogue, same(*pair))
    undone = undo(catalogue, decision.id, person="Johan")
    assert decisions(catalogue) == ()
    assert history(catalogue) == (decision, undone)
    undo(catalogue, undone.id)
    assert decisions(catalogue) == (decision,)


def test_decisions_stored_together_are_taken_back_and_brought_back_together(catalogue, pair):
    alone = decide(catalogue, same(*pair))
    both = decide_all(catalogue, [same(*pair), Decision("name", pair, name="Otto")])
    assert {decision.action for decision in both} == {both[0].id}
    undone = undo(catalogue, both[1].id)
    assert decisions(catalogue) == (alone,)
    undo(catalogue, undone.id)
    assert decisions(catalogue) == (alone, *both)


def test_of_decisions_stored_together_none_is_stored_if_one_is_in_conflict(catalogue, pair):
    other = decide(catalogue, Decision("name", pair[1:], name="Otto"))
    together = [Decision("name", pair[:1], name="Ann"), same(*pair)]
    with pytest.raises(DecisionConflict):
        decide_all(catalogue, together, seen="")
    assert history(catalogue) == (other,)


def test_a_decision_outlives_pages_described_anew_and_taken_out(catalogue, pair, scans):
    decision = decide(catalogue, same(*pair))
    describe(scans, catalogue.folder, engine=Here())
    catalogue.drop(list(pair))
    assert group(catalogue)
    describe(scans, catalogue.folder, engine=Here())
    assert decisions(catalogue) == (decision,)
    assert tuple(sorted(pair)) in together(catalogue)


def test_the_name_of_a_hand_stays_with_it(catalogue):
    hand = group(catalogue)[0]
    decide(catalogue, Decision("name", hand.page_ids, name="Märta", note="a nun"))
    found = group(catalogue)[0]
    assert (found.name, found.note, found.page_ids) == ("Märta", "a nun", hand.page_ids)


def test_decisions_that_cannot_all_be_true_are_listed(catalogue):
    a, b, c = catalogue.descriptors().page_ids[:3]
    made = [decide(catalogue, same(a, b)), decide(catalogue, same(b, c))]
    assert contradictions(catalogue) == ()
    made.append(decide(catalogue, Decision("different", (a,), (c,))))
    (found,) = contradictions(catalogue)
    assert found.decisions == tuple(made)
    undo(catalogue, made[1].id)
    assert contradictions(catalogue) == ()


def test_a_page_that_is_not_there_is_refused(catalogue, pair):
    with pytest.raises(CatalogueError, match="holds no page 'nowhere'"):
        decide(catalogue, same(pair[0], "nowhere"))
    assert history(catalogue) == ()


def test_who_has_not_seen_a_newer_decision_about_a_page_is_told(catalogue, pair):
    first = decide(catalogue, same(*pair), seen="")
    with pytest.raises(DecisionConflict, match="meanwhile Märta decided 'same'") as caught:
        decide(catalogue, Decision("unsure", pair[:1], pair[1:]), seen="")
    assert caught.value.other == first
    assert history(catalogue) == (first,)
    decide(catalogue, Decision("unsure", pair[:1], pair[1:]), seen=first.id)


def test_decisions_about_other_pages_are_no_conflict(catalogue):
    a, b, c, d = catalogue.descriptors().page_ids[:4]
    decide(catalogue, same(a, b), seen="")
    assert decide(catalogue, same(c, d), seen="") in decisions(catalogue)


def test_an_undo_that_was_not_seen_is_a_conflict(catalogue, pair):
    first = decide(catalogue, same(*pair))
    second = undo(catalogue, undo(catalogue, first.id).id, person="Johan")
    with pytest.raises(DecisionConflict, match="Johan decided 'undo'") as caught:
        decide(catalogue, same(*pair), seen=first.id)
    assert caught.value.other == second


def test_a_decision_is_not_taken_back_twice(catalogue, pair):
    first = decide(catalogue, same(*pair))
    undone = undo(catalogue, first.id)
    with pytest.raises(DecisionConflict, match="already") as caught:
        undo(catalogue, first.id)
    assert caught.value.other == undone


def test_what_was_never_decided_is_not_taken_back(catalogue):
    with pytest.raises(CatalogueError, match="holds no decision 'x'"):
        undo(catalogue, "x")


def test_exported_decisions_come_back_once(catalogue, pair, scans, tmp_path):
    first = decide(catalogue, same(*pair))
    undo(catalogue, first.id)
    file = tmp_path / "decisions.jsonl"
    assert export_decisions(catalogue, file) == history(catalogue)
    other = describe(scans, tmp_path / "other", engine=Here()).catalogue
    assert import_decisions(other, file) == history(catalogue)
    assert import_decisions(other, file) == ()
    assert history(other) == history(catalogue)


def test_stored_hands_are_those_last_grouped(catalogue):
    assert stored_hands(catalogue) is None
    hands = group(catalogue, prefer="more")
    found = stored_hands(catalogue)
    assert (found.hands, found.prefer, found.current) == (hands, "more", True)


def test_stored_hands_are_outdated_by_a_decision_and_its_undo(catalogue, pair):
    group(catalogue)
    decision = decide(catalogue, same(*pair))
    assert not stored_hands(catalogue).current
    group(catalogue)
    assert stored_hands(catalogue).current
    undo(catalogue, decision.id)
    assert not stored_hands(catalogue).current


def test_questions_are_those_of_the_last_grouping_until_they_are_answered(catalogue):
    group(catalogue)
    questions = review(catalogue, 100)
    assert questions == stored_hands(catalogue).questions
    first = questions[0]
    decide(catalogue, Decision("unsure", (first.first,), (first.second,)))
    assert review(catalogue, 100) == questions[1:]
    assert review(catalogue, 2) == questions[1:3]


def test_questions_make_the_hands_of_a_catalogue_that_has_none(catalogue):
    questions = review(catalogue, 100)
    assert questions
    assert questions == stored_hands(catalogue).questions


def test_pages_that_are_gone_are_not_asked_about(catalogue):
    gone = review(catalogue, 100)[0].first
    catalogue.drop([gone])
    assert all(gone not in (question.first, question.second) for question in review(catalogue))


def test_probabilities_of_a_search_are_those_of_the_collection(catalogue):
    page = catalogue.descriptors().page_ids[0]
    hits = search(catalogue, page)
    group(catalogue)
    assert search(catalogue, page) == hits
    stored = replace(stored_hands(catalogue), shift=1.0)
    write_stored_hands(stored, "x", catalogue.folder)
    for before, after in zip(hits, search(catalogue, page), strict=True):
        assert after.likelihood_ratio == before.likelihood_ratio
        assert after.probability > before.probability
