"""The command line: help, exit codes, one-line errors, and no torch before it is needed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import dgmp
from dgmp import experiments
from dgmp.cli import app
from dgmp.errors import DgmpError
from dgmp.records import Scores

MANUAL = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS = get_command(app).commands
EVERY_COMMAND = pytest.mark.parametrize("name", COMMANDS)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def words(text):
    return " ".join(re.findall(r"\w+", text))


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


@pytest.fixture
def quick_demo(monkeypatch, tmp_path):
    def make_demo(out, plan, watchers):
        watchers.announce("drawing …")
        scores = Scores("retrieval", {"map": 0.5, "top_1": 0.75}, {}, 4)
        classified = Scores("classification", {"accuracy": 0.9}, {}, 4)
        return out / "report.html", SimpleNamespace(
            scores={"GMP": scores}, script_scores=classified
        )

    monkeypatch.setattr(experiments, "make_demo", make_demo)


@EVERY_COMMAND
def test_help_lists_every_command_with_a_sentence(name):
    sentence = COMMANDS[name].get_short_help_str(limit=1000)
    assert sentence.endswith(".")
    assert f"{name} {words(sentence)}" in words(run("--help").stdout)


@EVERY_COMMAND
def test_the_manual_has_a_section_for_every_command_and_names_its_options(name):
    section = MANUAL.split(f"## `dgmp {name}`\n")[1].split("\n## ")[0]
    named = [option for p in COMMANDS[name].params for option in p.opts if option[0] == "-"]
    options = [option for option in named if option != "--help"]
    assert all(f"`{option}" in section for option in options)


def test_the_manual_has_no_section_for_a_command_that_is_not_there():
    assert re.findall(r"^## `dgmp (\S+)`$", MANUAL, flags=re.MULTILINE) == list(COMMANDS)


def test_version_is_that_of_the_package():
    assert run("--version").stdout == f"dgmp {dgmp.__version__}\n"


@pytest.mark.parametrize("arguments", [["no-such-command"], ["demo", "--no-such-option"]])
def test_wrong_usage_exits_with_2(arguments):
    assert run(*arguments).exit_code == 2


def test_the_demo_prints_what_came_out_and_where_the_report_is(tmp_path, quick_demo):
    folder = tmp_path / "new" / "folder"
    result = run("demo", "--out", folder)
    assert result.exit_code == 0
    assert "GMP" in result.stdout
    assert "mAP 0.500" in result.stdout
    assert result.stdout.splitlines()[-1] == f"report: {folder / 'report.html'}"


def test_progress_goes_to_stderr(tmp_path, quick_demo):
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
def test_without_a_package_of_the_extra_the_demo_names_the_extra(tmp_path, monkeypatch, missing):
    def fail(*_):
        raise ModuleNotFoundError("no", name=f"{missing}.figure")

    monkeypatch.setattr(experiments, "make_demo", fail)
    result = run("demo", "--out", tmp_path)
    assert result.exit_code == 1
    assert "pip install 'dgmp[learning]'" in result.stderr.splitlines()[-1]


def test_an_error_of_several_lines_is_printed_in_one(tmp_path, monkeypatch):
    def fail(*_):
        raise DgmpError("first line\nsecond line")

    monkeypatch.setattr(experiments, "make_demo", fail)
    assert run("demo", "--out", tmp_path).stderr.splitlines()[-1] == "dgmp: first line second line"


def test_help_works_as_a_process_and_imports_neither_torch_nor_numpy():
    code = (
        "import sys, dgmp.cli\n"
        "try: dgmp.cli.main()\n"
        "finally: print(sorted({'torch', 'numpy', 'matplotlib'} & sys.modules.keys()))"
    )
    process = python("-c", code, "--help")
    assert process.returncode == 0, process.stderr
    assert "demo" in process.stdout
    assert process.stdout.splitlines()[-1] == "[]"


def test_a_real_process_exits_with_1_and_one_line_even_where_greek_cannot_be_printed(tmp_path):
    file = tmp_path / "ρ"
    file.touch()
    process = python(
        *("-c", "import dgmp.cli; dgmp.cli.main()", "demo", "--out", str(file)),
        PYTHONIOENCODING="ascii",
    )
    assert process.returncode == 1
    assert process.stdout == ""
    assert re.fullmatch(r"dgmp: .*\n", process.stderr)
