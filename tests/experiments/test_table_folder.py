"""A folder is one table's, and stays recognised as what it was written."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dgmp.errors import DgmpError
from dgmp.experiments import Setting
from dgmp.experiments.table_folder import claim_table, finished_seeds, is_table
from dgmp.files import from_plain
from dgmp.training import Recipe

from .conftest import POOLINGS, TINY

OLD = Path(__file__).with_name("table_version_1.json")


@pytest.fixture
def old(tmp_path, writers):
    """A table that an earlier dgmp began, and what it was made of."""
    shutil.copy(OLD, tmp_path / "table.json")
    recipe = from_plain(json.loads(OLD.read_text())["recipe"], Recipe, OLD)
    corpus = replace(writers, root=Path("writers"))
    return tmp_path, replace(Setting.choose(POOLINGS, corpus), recipe=recipe)


def test_a_table_of_version_1_is_taken_up_again(old):
    folder, setting = old
    assert is_table(folder)
    claim_table(folder, setting.to_json())
    assert (folder / "table.json").read_text() == OLD.read_text()


def test_a_new_table_is_written_as_the_old_one_was(old, tmp_path):
    _, setting = old
    claim_table(tmp_path / "new", setting.to_json())
    written = json.loads((tmp_path / "new" / "table.json").read_text())
    assert list(written.items()) == list(json.loads(OLD.read_text()).items())


def test_a_folder_of_another_recipe_is_refused_with_what_differs(made, writers):
    other = Setting.choose(POOLINGS, writers, changes=[*TINY, "epochs=3"])
    with pytest.raises(DgmpError, match=r"made of other things \(recipe\.epochs: 2 there, 3 now\)"):
        claim_table(made.out, other.to_json())


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(DgmpError, match="is not empty and no table"):
        claim_table(tmp_path, {})


@pytest.mark.parametrize(
    ("text", "why"),
    [("{", "is not JSON"), ('{"format": "dgmp-run"}', "it is no table")],
    ids=["damaged", "another format"],
)
def test_a_table_json_that_is_none_is_refused(tmp_path, text, why):
    (tmp_path / "table.json").write_text(text)
    with pytest.raises(DgmpError, match=why):
        claim_table(tmp_path, {})


def test_runs_of_a_row_whose_name_begins_alike_are_not_counted(tmp_path):
    rows = {row.name: row for row in POOLINGS.rows}
    for name in ("avg-l2-1", "avg-l2-0", "avg-l2-whitened-0"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "scores-square.json").touch()
    assert finished_seeds(tmp_path, rows["avg-l2"], "square") == [0, 1]
    assert finished_seeds(tmp_path, rows["avg"], "square") == []
