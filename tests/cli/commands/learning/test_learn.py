"""``dgmp learn``: the run it prints, and what it refuses."""

import json

import pytest

from dgmp.describers import load_describer

from ...typed import done, misused, refused, run

LEARN = "learn hands --out new"
SMALL = (
    "patches=500", "cluster_size=25", "sift.most=120", "vlad.dim=16", "vlad.words=8",
    "vlad.vocabularies=2", "training.batch=16",
)  # fmt: skip
QUICK = [*LEARN.split(), "--steps", "2", *(part for change in SMALL for part in ("--set", change))]


def test_the_folder_of_the_run_is_printed_and_holds_a_describer(place):
    assert done(*QUICK).stdout == "new\n"
    assert load_describer("new").dim == 2 * 8 * 16


def test_a_run_that_is_finished_is_not_learned_again(place):
    first, again = (json.loads(done(*QUICK, "--json").stdout) for _ in range(2))
    assert first == again
    assert first["run"] == "new"


CASES = {
    "an empty folder": ("learn empty --out new", "empty: holds no pictures"),
    "nothing": ("learn nowhere --out new", "nowhere: there is no such folder"),
    "broken pages": ("learn broken --out new", "none of its files can be used"),
    "no such pooling": (f"{LEARN} --pooling gmpp", "did you mean 'gmp'"),
    "no such value": (f"{LEARN} --set patch=3", "did you mean 'patches'"),
    "no such device": (f"{LEARN} --device gpu", "'gpu'"),
    "onto a file": ("learn hands --out file", "file"),
    "onto other things": ("learn hands --out hands", "not empty and no run"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_learned_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    refused(run(*line.split()), reason)


@pytest.mark.parametrize("line", ["learn hands", f"{LEARN} --steps 0", f"{LEARN} --seed -1"])
def test_wrong_usage_exits_with_2(place, line):
    misused(run(*line.split()))
