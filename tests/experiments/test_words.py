"""Word spotting by pooling, end to end on synthetic words."""

import csv

import pytest

from dgmp.errors import DgmpError, UnknownName
from dgmp.experiments import WordSetting, reproduce_words
from dgmp.spotting import open_words
from dgmp.synthetic import synthesize_words
from dgmp.training import Watchers

SMALL = ["model.network=word-resnet-tiny", "epochs=1", "epoch_steps=2", "batch=4", "decay_from=0"]


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words") / "synthetic"
    synthesize_words(folder, writers=4, pages=1, seed=3)
    return open_words(folder)


@pytest.fixture(scope="module")
def made(words, tmp_path_factory):
    out = tmp_path_factory.mktemp("table") / "out"
    setting = WordSetting.choose(words, changes=SMALL)
    rows = ["tpp-max", "gmp"]
    return setting, out, reproduce_words(setting, out, runs=2, rows=rows)


def test_every_row_and_run_is_scored_by_example_and_by_string(made):
    with made[2][1].open() as file:
        lines = list(csv.DictReader(file))
    assert [(line["pooling"], line["query"], line["run"]) for line in lines] == [
        (row, query, run)
        for row in ("tpp-max", "gmp")
        for query in ("example", "string")
        for run in ("0", "1")
    ]
    assert "| gmp |" in made[2][0].read_text()


def test_runs_are_tested_on_pages_that_they_have_not_seen(made):
    setting = made[0]
    tested = []
    for run in range(4):
        learned, test = setting.divided(run)
        assert not set(learned.pages) & set(test.pages)
        tested += test.pages
    assert sorted(tested) == sorted(setting.words.pages)


def test_what_is_finished_is_not_trained_again(made):
    setting, out, paths = made
    announced = []
    watchers = Watchers(announce=announced.append)
    again = reproduce_words(setting, out, runs=2, rows=["tpp-max", "gmp"], watchers=watchers)
    assert announced == []
    assert again == paths


def test_a_list_of_its_own_may_be_tested_on(words, tmp_path):
    setting = WordSetting.choose(words, words, SMALL)
    assert setting.divided(1) == (words, words)


def test_another_recipe_and_a_row_that_is_not_there_are_refused(made, words):
    other = WordSetting.choose(words, changes=[*SMALL, "batch=5"])
    with pytest.raises(DgmpError, match=r"recipe\.batch: 4 there, 5 now"):
        reproduce_words(other, made[1])
    with pytest.raises(UnknownName, match="no row of the table words called 'tpp'"):
        reproduce_words(made[0], made[1], rows=["tpp"])
