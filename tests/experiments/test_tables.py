"""Tables of the paper: every row the same budget, nothing done twice, figures as they should be."""

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from dgmp.cli import app
from dgmp.errors import DgmpError
from dgmp.evaluation import compare, load_scores
from dgmp.experiments import TABLES, Setting, Watchers, find_table, mean_scores, reproduce
from dgmp.experiments.outcomes import outcomes
from dgmp.experiments.tables import finished_seeds, run_table
from dgmp.training import Run

from .conftest import TINY

POOLINGS, SCRIPTS, CURVES = (TABLES[name] for name in ("poolings", "scripts", "curves"))
SOME = ["avg-l2", "avg-l2-whitened", "gmp-centred"]


def run(*arguments):
    return CliRunner().invoke(app, ["reproduce", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="module")
def made(writers, tmp_path_factory):
    """A table of three rows and two seeds."""
    out = tmp_path_factory.mktemp("table") / "out"
    said = []
    setting = Setting.choose(POOLINGS, writers, changes=TINY)
    paths = reproduce(
        POOLINGS, setting, out, seeds=2, rows=SOME, watchers=Watchers(announce=said.append)
    )
    return out, setting, paths, said


@pytest.fixture(scope="module")
def made_scripts(scripts, tmp_path_factory):
    out = tmp_path_factory.mktemp("scripts-table") / "out"
    setting = Setting.choose(SCRIPTS, scripts, changes=TINY)
    reproduce(SCRIPTS, setting, out, seeds=2, rows=["avg-l2", "dgmp"])
    return out, setting


def test_rows_differ_from_their_recipe_in_the_pooling_and_the_margin_alone(tiny, writers):
    base = Setting.choose(POOLINGS, writers, changes=tiny).recipe
    for table in (POOLINGS, TABLES["margins"]):
        for row in table.rows:
            recipe = row.recipe(base)
            assert recipe.model.backbone == base.model.backbone
            assert (recipe.epochs, recipe.batch, recipe.input) == (2, 6, base.input)
            assert recipe.margin == (base.margin if row.margin is None else row.margin)
            assert recipe.mining == (base.mining if row.margin is None else "hard")


def test_every_row_is_compared_with_a_row_that_is_there():
    for table in TABLES.values():
        names = {row.name for row in table.rows}
        assert len(names) == len(table.rows)
        assert {row.baseline for row in table.rows if row.baseline} <= names
        assert {row.whitened for row in table.rows if row.whitened} <= names


def test_the_figures_of_the_paper_are_those_of_its_tables():
    best = {row.name: row.paper["Historical-WI"] for row in TABLES["margins"].rows}
    assert max(best, key=lambda name: best[name]["map"]) == "dgmp1e3-margin0.1"
    assert best["dgmp1e3-margin0.1"] == {"map": 54.81, "top_1": 73.94}
    dgmp = next(row for row in SCRIPTS.rows if row.name == "dgmp")
    assert dgmp.paper["CLaMM 2017"] == {"accuracy": 83.3, "ensemble": 85.1}


def test_a_table_is_written_as_markdown_csv_and_picture(made):
    paths = made[2]
    assert [path.name for path in paths] == ["poolings.md", "poolings.csv", "poolings.png"]
    text = paths[0].read_text()
    assert "a stand-in, none of the paper's sets" in text
    assert "paper, Historical-WI: mAP" in text
    assert "| Avg + ℓ2, whitened on training pages |" in text
    assert "50.4" in text  # the paper's Avg, beside ours
    assert paths[2].read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(paths[1].open()))
    assert {row["row"] for row in rows} == set(SOME)
    assert {row["view"] for row in rows} == {"page", "square"}
    assert {row["runs"] for row in rows} == {"2"}


def test_a_value_is_the_mean_over_seeds_and_a_difference_is_paired(made):
    out, _, paths, _ = made
    row = next(
        row
        for row in csv.DictReader(paths[1].open())
        if (row["row"], row["view"], row["measure"]) == ("gmp-centred", "square", "map")
    )
    ours = [load_scores(out / f"runs/gmp-centred-{seed}/scores-square.json") for seed in (0, 1)]
    others = [load_scores(out / f"runs/avg-l2-{seed}/scores-square.json") for seed in (0, 1)]
    assert float(row["value"]) == pytest.approx(np.mean([s.map for s in ours]), rel=1e-4)
    assert float(row["std"]) == pytest.approx(np.std([s.map for s in ours], ddof=1), abs=1e-4)
    paired = compare(mean_scores(ours), mean_scores(others))["map"]
    assert float(row["difference"]) == pytest.approx(paired.value, abs=1e-4)
    assert float(row["difference_low"]) == pytest.approx(paired.low, abs=1e-4)


def test_all_rows_of_a_seed_hold_the_same_pages_out(made):
    out, *_ = made
    for seed in (0, 1):
        splits = {(out / f"runs/{row}-{seed}/split.csv").read_text() for row in SOME[::2]}
        assert len(splits) == 1


def test_finished_runs_are_not_repeated(made, monkeypatch):
    out, setting, paths, said = made
    assert len(said) == 6
    monkeypatch.setattr("dgmp.experiments.tables.train", None)
    before = paths[1].read_text()
    assert list(run_table(POOLINGS, setting, out, seeds=2, rows=SOME)) == []
    assert reproduce(POOLINGS, setting, out, seeds=2, rows=SOME) == paths
    assert paths[1].read_text() == before


def test_an_interrupted_table_goes_on_and_comes_out_the_same(made, tmp_path):
    out, setting, *_ = made
    again, rows = tmp_path / "again", ["avg-l2-whitened"]
    table = run_table(POOLINGS, setting, again, seeds=1, rows=rows)
    first, _ = next(table)
    table.close()
    assert finished_seeds(again, first, "square") == [0]
    # Stopped in the middle of a run: its model is there, its scores are not.
    (again / "runs/avg-l2-0/scores-square.json").unlink()
    reproduce(POOLINGS, setting, again, seeds=1, rows=rows)
    for row in ("avg-l2", "avg-l2-whitened"):
        file = f"runs/{row}-0/scores-square.json"
        assert (again / file).read_text() == (out / file).read_text()


def test_the_row_that_is_whitened_brings_the_row_it_needs():
    names = [row.name for row in POOLINGS.chosen(["avg-l2-whitened"])]
    assert names == ["avg-l2", "avg-l2-whitened"]


def test_a_script_table_has_an_ensemble_and_counts_manuscripts(made_scripts):
    out, setting = made_scripts
    found = outcomes(SCRIPTS, out, "page", setting.test.pages)
    assert [outcome.row.name for outcome in found] == ["avg-l2", "dgmp"]
    for outcome in found:
        assert outcome.ensemble is not None
        assert outcome.scores.queries == 3
        assert "group_accuracy" in outcome.scores.values
    assert "| ensemble |" in (out / "scripts.md").read_text()


def test_curves_use_the_runs_of_scripts(made_scripts, monkeypatch):
    out, setting = made_scripts
    monkeypatch.setattr("dgmp.experiments.tables.train", None)
    paths = reproduce(CURVES, setting, out, seeds=2, rows=["avg-l2", "dgmp"])
    rows = list(csv.DictReader(paths[1].open()))
    assert [row["epoch"] for row in rows] == ["1", "2", "1", "2"]
    runs = [Run(out / f"runs/dgmp-{seed}").metrics() for seed in (0, 1)]
    errors = [100 * (1 - epochs[1]["validation"]) for epochs in runs]
    assert float(rows[-1]["error"]) == pytest.approx(np.mean(errors), abs=1e-3)
    assert float(rows[-1]["std"]) == pytest.approx(np.std(errors, ddof=1), abs=1e-3)
    assert paths[2].read_bytes().startswith(b"\x89PNG")


def test_a_folder_of_another_recipe_is_refused(made, writers, tiny):
    out, *_ = made
    other = Setting.choose(POOLINGS, writers, changes=[*tiny, "epochs=3"])
    with pytest.raises(DgmpError, match="made of another recipe"):
        reproduce(POOLINGS, other, out)


def test_a_folder_that_holds_something_else_is_refused(tmp_path, writers, tiny):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(DgmpError, match="is not empty and no table"):
        reproduce(POOLINGS, Setting.choose(POOLINGS, writers, changes=tiny), tmp_path)


def test_the_official_sets_are_trained_by_the_papers_recipes(writers):
    official = replace(writers, kind="historical-wi")
    setting = Setting.choose(POOLINGS, official)
    assert setting.recipe_name == "writer-paper"
    assert setting.data == "the official Historical-WI set (ICDAR 2017)"
    assert Setting.choose(POOLINGS, writers).recipe_name == "writer-small"


def test_a_second_corpus_can_be_tested_on(writers, tiny):
    bare = replace(writers, pages=tuple(replace(page, split=None) for page in writers.pages))
    setting = Setting.choose(POOLINGS, bare, test=bare, changes=tiny)
    assert len(setting.test) == 16


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pooling"], "did you mean 'poolings'"),
        (["poolings", "--rows", "avg,gmp"], "no row 'gmp'; choose from avg, avg-l2"),
        (["poolings", "--recipe", "script-small"], "learns scripts"),
        (["poolings", "--set", "epoch=3"], "epochs"),
        (["scripts"], "none of its test pages has a script"),
    ],
)
def test_the_command_says_what_is_wrong_in_one_line(arguments, said, writers_folder, tmp_path):
    result = run(*arguments, "--data", writers_folder, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_corpus_without_test_pages_asks_for_another(writers_folder, tmp_path):
    table = tmp_path / "pages.csv"
    lines = (writers_folder / "pages.csv").read_text().replace(",test", ",train")
    for file in writers_folder.glob("*.png"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    table.write_text(lines)
    result = run("poolings", "--data", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "--test-data" in result.stderr


def test_the_command_prints_the_table_and_names_its_files(writers_folder, tmp_path, tiny):
    changes = [part for change in tiny for part in ("--set", change)]
    out = tmp_path / "out"
    common = ["poolings", "--data", writers_folder, "--out", out, "--rows", "avg", "--seeds", 1]
    result = run(*common, *changes)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("# Global poolings for writer retrieval")
    assert "Avg, seed 0 (run 1 of 1)" in result.stderr
    again = run(*common, *changes, "--json")
    assert json.loads(again.stdout)["table"] == "poolings"
    assert not re.search("seed 0", again.stderr)


def test_find_table_knows_all_tables():
    assert [find_table(name).name for name in TABLES] == list(TABLES)


def test_a_table_as_start_gives_every_row_its_own_run(made, writers, tmp_path):
    first = made[0]
    setting = Setting.choose(POOLINGS, writers, changes=TINY, weights=first)
    rows = {row.name: row for row in POOLINGS.rows}
    assert setting.start(rows["gmp-centred"]) == first / "runs" / "gmp-centred-0"
    with pytest.raises(DgmpError, match="no finished run of max with seed 0"):
        reproduce(POOLINGS, setting, tmp_path / "max", seeds=1, rows=["max"])
    assert not (tmp_path / "max").exists()
    with pytest.raises(DgmpError, match="is no weight file"):
        Setting.choose(POOLINGS, writers, changes=TINY, weights=tmp_path / "nothing")
    out = tmp_path / "second"
    paths = reproduce(POOLINGS, setting, out, seeds=1, rows=["avg-l2"])
    about = json.loads((out / "runs" / "avg-l2-0" / "run.json").read_text())
    assert str(first / "runs" / "avg-l2-0") in json.dumps(about)
    assert "its own run in the table" in paths[0].read_text()
