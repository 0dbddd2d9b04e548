"""Damaged files and wrong commands end in a result or in one line; see docs/reliability.md."""

import kills
import lines
import mutants
import pytest
from forking import Nursery


@pytest.mark.parametrize("kind", mutants.KINDS)
def test_mutants_are_read_or_refused_in_words(ground, kind):
    outcome = mutants.attack(kind, ground, 30)
    assert (outcome.tried, outcome.wrong) == (30, [])


def test_wrong_command_lines_end_in_one_line(ground, tmp_path):
    assert lines.attack(ground, tmp_path, 30).wrong == []


@pytest.fixture(scope="module")
def nursery():
    found = Nursery(("cv2", "scipy.optimize", "skimage.filters", "sklearn.cluster", "dgmp.tasks"))
    yield found
    found.close()


def test_a_killed_describe_loses_and_doubles_nothing(ground, tmp_path, nursery):
    verb = kills.verbs(ground, tmp_path)["describe with a worker"]
    outcome = kills.attack(verb, nursery, 1)
    assert (outcome.tried, outcome.wrong) == (1, [])
