"""Every row the same budget, nothing done twice."""

import json
from dataclasses import replace

import pytest

from dgmp.errors import CorpusError, DgmpError
from dgmp.experiments import Setting, reproduce
from dgmp.experiments.table_folder import finished_seeds
from dgmp.experiments.tables import run_table

from .conftest import POOLINGS, SCRIPTS, SOME, TINY


def test_all_rows_of_a_seed_hold_the_same_pages_out(made):
    for seed in (0, 1):
        splits = {(made.out / f"runs/{row}-{seed}/split.csv").read_text() for row in SOME[::2]}
        assert len(splits) == 1


def test_every_run_is_announced_once(made):
    assert len(made.announced) == 6
    assert made.announced[0] == "Avg + ℓ2, seed 0 (run 1 of 6)"


def test_finished_runs_are_not_repeated(made, monkeypatch):
    monkeypatch.setattr("dgmp.experiments.tables.train", None)
    before = made.paths[1].read_text()
    assert list(run_table(POOLINGS, made.setting, made.out, seeds=2, rows=SOME)) == []
    assert reproduce(POOLINGS, made.setting, made.out, seeds=2, rows=SOME) == made.paths
    assert made.paths[1].read_text() == before


def test_an_interrupted_table_goes_on_and_comes_out_the_same(made, tmp_path):
    again, rows = tmp_path / "again", ["avg-l2-whitened"]
    table = run_table(POOLINGS, made.setting, again, seeds=1, rows=rows)
    first, _ = next(table)
    table.close()
    assert finished_seeds(again, first, "square") == [0]
    # Stopped in the middle of a run: its model is there, its scores are not.
    (again / "runs/avg-l2-0/scores-square.json").unlink()
    reproduce(POOLINGS, made.setting, again, seeds=1, rows=rows)
    for row in ("avg-l2", "avg-l2-whitened"):
        file = f"runs/{row}-0/scores-square.json"
        assert (again / file).read_text() == (made.out / file).read_text()


def test_a_row_that_has_nothing_to_begin_with_leaves_no_folder(made, writers, tmp_path):
    setting = Setting.choose(POOLINGS, writers, changes=TINY, weights=made.out)
    with pytest.raises(DgmpError, match="no finished run of max with seed 0"):
        reproduce(POOLINGS, setting, tmp_path / "max", seeds=1, rows=["max"])
    assert not (tmp_path / "max").exists()


def test_a_run_that_begins_with_a_table_says_so(made, writers, tmp_path):
    setting = Setting.choose(POOLINGS, writers, changes=TINY, weights=made.out)
    out = tmp_path / "second"
    paths = reproduce(POOLINGS, setting, out, seeds=1, rows=["avg-l2"])
    about = json.loads((out / "runs" / "avg-l2-0" / "run.json").read_text())
    assert str(made.out / "runs" / "avg-l2-0") in json.dumps(about)
    assert "its own run in the table" in paths[0].read_text()


def test_pages_of_a_script_that_was_not_trained_are_left_out(made_scripts, scripts, tmp_path):
    strange = replace(scripts.in_split("test")[0], script="runes")
    pages = (strange, *scripts.in_split("test")[1:])
    setting = replace(made_scripts.setting, test=replace(scripts, pages=pages))
    rows = ["avg-l2"]
    paths = reproduce(SCRIPTS, setting, tmp_path / "some", seeds=1, rows=rows)
    assert paths[0].exists()
    scores = json.loads((tmp_path / "some/runs/avg-l2-0/scores-page.json").read_text())
    assert scores["queries"] == len(pages) - 1
    nothing = replace(setting, test=replace(scripts, pages=(strange,)))
    with pytest.raises(CorpusError, match="none of 1 test pages is of a script that was trained"):
        reproduce(SCRIPTS, nothing, tmp_path / "none", seeds=1, rows=rows)
