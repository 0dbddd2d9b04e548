"""``dgmp demo``: what it prints, and folders it cannot use."""

import os
import re
from types import SimpleNamespace

import pytest

import dgmp.demo
from dgmp.records import Scores

from ..typed import run


@pytest.fixture
def quick_demo(monkeypatch):
    def make_demo(out, plan, watchers):
        watchers.announce("drawing …")
        scores = Scores("retrieval", {"map": 0.5, "top_1": 0.75}, {}, 4)
        classified = Scores("classification", {"accuracy": 0.9}, {}, 4)
        return out / "report.html", SimpleNamespace(
            scores={"GMP": scores}, script_scores=classified
        )

    monkeypatch.setattr(dgmp.demo, "make_demo", make_demo)


@pytest.mark.usefixtures("quick_demo")
def test_what_came_out_and_where_the_report_is_are_printed(tmp_path):
    folder = tmp_path / "new" / "folder"
    result = run("demo", "--out", folder)
    assert result.exit_code == 0
    assert "GMP" in result.stdout
    assert "mAP 0.500" in result.stdout
    assert result.stdout.splitlines()[-1] == f"report: {folder / 'report.html'}"


@pytest.mark.usefixtures("quick_demo")
def test_progress_goes_to_stderr(tmp_path):
    result = run("demo", "--out", tmp_path)
    assert "drawing …" in result.stderr
    assert "drawing" not in result.stdout


def test_an_impossible_folder_exits_with_1_and_one_line(tmp_path):
    file = tmp_path / "file"
    file.touch()
    result = run("demo", "--out", file / "demo")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert re.fullmatch(r"dgmp: .*--out .*\n", result.stderr)


def test_a_folder_that_cannot_be_written_to_exits_with_1_and_one_line(tmp_path, monkeypatch):
    # Root may write anywhere, so that taking the right away would not do.
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    result = run("demo", "--out", tmp_path)
    assert result.exit_code == 1
    assert re.fullmatch(r"dgmp: cannot write to the folder --out .*\n", result.stderr)


@pytest.mark.parametrize("missing", ["matplotlib", "lightning_fabric"])
def test_without_a_package_of_the_extra_the_extra_is_named(tmp_path, monkeypatch, missing):
    def fail(*_):
        raise ModuleNotFoundError("no", name=f"{missing}.figure")

    monkeypatch.setattr(dgmp.demo, "make_demo", fail)
    result = run("demo", "--out", tmp_path)
    assert result.exit_code == 1
    assert "pip install 'dgmp[learning]'" in result.stderr.splitlines()[-1]
