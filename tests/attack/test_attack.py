"""Damaged files and wrong commands end in a result or in one line; see docs/reliability.md."""

import lines
import mutants
import pytest
from kills import attack as kill
from kills import verbs


@pytest.mark.parametrize("kind", mutants.KINDS)
def test_mutants_are_read_or_refused_in_words(ground, kind):
    (outcome,) = mutants.attack(ground, 30, [kind])
    assert (outcome.tried, outcome.wrong) == (30, [])


def test_wrong_command_lines_end_in_one_line(ground, tmp_path):
    assert lines.attack(ground, tmp_path, 30).wrong == []


def test_a_killed_describe_loses_and_doubles_nothing(ground, tmp_path, monkeypatch):
    monkeypatch.setattr("kills.verbs", lambda *places: verbs(*places)[:1])
    (outcome,) = kill(ground, tmp_path, 1)
    assert (outcome.tried, outcome.wrong) == (1, [])
