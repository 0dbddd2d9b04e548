"""What the rows share: the right recipe, pages to test on, weights to begin with."""

from dataclasses import replace

import pytest

from dgmp.errors import CorpusError, DgmpError
from dgmp.experiments import Setting

from .conftest import POOLINGS, SCRIPTS, TINY


def test_the_official_sets_are_trained_by_the_papers_recipes(writers):
    official = replace(writers, kind="historical-wi")
    setting = Setting.choose(POOLINGS, official)
    assert setting.recipe_name == "writer-paper"
    assert setting.data == "the official Historical-WI set (ICDAR 2017)"
    assert Setting.choose(POOLINGS, writers).recipe_name == "writer-small"


def test_a_second_corpus_can_be_tested_on(writers):
    bare = replace(writers, pages=tuple(replace(page, split=None) for page in writers.pages))
    setting = Setting.choose(POOLINGS, bare, test=bare, changes=TINY)
    assert len(setting.test) == 16


def test_a_corpus_without_test_pages_asks_for_another(writers):
    training = replace(writers, pages=writers.in_split("train"))
    with pytest.raises(CorpusError, match="--test-data"):
        Setting.choose(POOLINGS, training)


def test_test_pages_without_a_label_are_refused(writers):
    with pytest.raises(CorpusError, match="none of its test pages has a script"):
        Setting.choose(SCRIPTS, writers)


def test_a_recipe_of_another_task_is_refused(writers):
    with pytest.raises(DgmpError, match="is of writers, the recipe script-small learns scripts"):
        Setting.choose(POOLINGS, writers, recipe="script-small")


def test_weights_that_are_nothing_of_the_kind_are_refused(writers, tmp_path):
    with pytest.raises(DgmpError, match="is no weight file"):
        Setting.choose(POOLINGS, writers, changes=TINY, weights=tmp_path / "nothing")


def test_a_table_as_start_gives_every_row_its_own_run(made, writers):
    setting = Setting.choose(POOLINGS, writers, changes=TINY, weights=made.out)
    rows = {row.name: row for row in POOLINGS.rows}
    assert setting.start(rows["gmp-centred"]) == made.out / "runs" / "gmp-centred-0"
    with pytest.raises(DgmpError, match="no finished run of max with seed 0"):
        setting.start(rows["max"])
