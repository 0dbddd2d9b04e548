"""The program: help, exit codes, one-line errors, and no torch before it is needed."""

import errno
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from typer.main import get_command

import dgmp
from dgmp.cli import app, main
from dgmp.cli.app import COMMANDS as NAMES
from dgmp.cli.app import make_app
from dgmp.errors import DgmpError

from .typed import run

MANUAL = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS = get_command(app).commands
EVERY_COMMAND = pytest.mark.parametrize("name", COMMANDS)
ALIKE = ("--kind", "--labels", "--variant", "--split-file")  # in the manual once, at its head


def words(text):
    return " ".join(re.findall(r"\w+", text))


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", **options.pop("environment", {})},
        text=True,
        encoding="utf-8",
        timeout=300,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def options_of(name):
    named = [option for p in COMMANDS[name].params for option in p.opts if option[0] == "-"]
    return [option for option in named if option != "--help"]


def help_of(name, option):
    return [p.help for p in COMMANDS[name].params if option in p.opts]


@pytest.fixture
def failing(monkeypatch):
    """``dgmp search`` raises the error that it is given."""

    def fail_with(error):
        def fail(*_):
            raise error

        monkeypatch.setattr("dgmp.catalogue.Catalogue.open", fail)
        return run("search", "catalogue", "page")

    return fail_with


def test_the_commands_are_those_that_are_listed():
    assert tuple(COMMANDS) == NAMES


def test_a_program_of_some_commands_has_no_others():
    assert tuple(get_command(make_app(["search", "hands"])).commands) == ("search", "hands")


@EVERY_COMMAND
def test_help_lists_every_command_with_a_sentence(name):
    sentence = COMMANDS[name].get_short_help_str(limit=1000)
    assert sentence.endswith(".")
    assert f"{name} {words(sentence)}" in words(run("--help").stdout)


@EVERY_COMMAND
def test_every_command_has_help_of_its_own(name):
    result = run(name, "--help")
    assert result.exit_code == 0
    assert words(COMMANDS[name].get_short_help_str(limit=1000)) in words(result.stdout)


@EVERY_COMMAND
def test_the_manual_has_a_section_for_every_command_and_names_its_options(name):
    section = MANUAL.split(f"## `dgmp {name}`\n")[1].split("\n## ")[0]
    assert all(f"`{option}" in section for option in options_of(name) if option not in ALIKE)


@pytest.mark.parametrize("option", ALIKE)
def test_the_manual_names_the_options_of_a_corpus_at_its_head(option):
    assert f"| `{option} " in MANUAL.split("\n## ")[0]


def test_the_manual_has_no_section_for_a_command_that_is_not_there():
    assert re.findall(r"^## `dgmp (\S+)`$", MANUAL, flags=re.MULTILINE) == list(COMMANDS)


def test_version_is_that_of_the_package():
    assert run("--version").stdout == f"dgmp {dgmp.__version__}\n"


@pytest.mark.parametrize("arguments", [["no-such-command"], ["demo", "--no-such-option"]])
def test_wrong_usage_exits_with_2(arguments):
    assert run(*arguments).exit_code == 2


def test_an_error_of_several_lines_is_printed_in_one(failing):
    result = failing(DgmpError("first line\nsecond line"))
    assert result.exit_code == 1
    assert result.stderr == "dgmp: first line second line\n"


@pytest.mark.parametrize(
    ("missing", "extra"), [("matplotlib.figure", "learning"), ("lancedb", "catalogue")]
)
def test_a_package_that_is_not_installed_names_the_extra(failing, missing, extra):
    result = failing(ModuleNotFoundError("no", name=missing))
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].endswith(f"pip install 'dgmp[{extra}]'")


@pytest.mark.parametrize(
    "error",
    [RuntimeError("a bug"), ModuleNotFoundError("no", name="dgmp.nowhere")],
    ids=lambda error: type(error).__name__,
)
def test_a_bug_is_one_line_that_says_where_the_full_report_lies(
    failing, error, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = failing(error)
    assert result.exit_code == 1
    (report,) = tmp_path.iterdir()
    assert len(result.stderr.splitlines()) == 1
    assert f"{report}: {type(error).__name__}" in result.stderr
    assert "Traceback" in report.read_text()


def test_what_the_system_refuses_names_the_file(failing):
    result = failing(OSError(errno.ENAMETOOLONG, "File name too long", "aaa.png"))
    assert (result.exit_code, result.stderr) == (1, "dgmp: aaa.png: File name too long\n")


def test_control_characters_are_escaped_when_they_are_printed(failing):
    result = failing(DgmpError("page \x1b[31m.png"))
    assert result.stderr == "dgmp: page \\x1b[31m.png\n"


def test_help_works_as_a_process_and_imports_neither_torch_nor_numpy():
    code = (
        "import sys, dgmp.cli\n"
        "try: dgmp.cli.main()\n"
        "finally: print(sorted({'torch', 'numpy', 'cv2', 'matplotlib'} & sys.modules.keys()))"
    )
    process = python("-c", code, "--help")
    assert process.returncode == 0, process.stderr
    assert "demo" in process.stdout
    assert process.stdout.splitlines()[-1] == "[]"


def test_a_real_process_exits_with_1_and_one_line_even_where_greek_cannot_be_printed(tmp_path):
    process = python(
        *("-c", "import dgmp.cli; dgmp.cli.main()", "hands", str(tmp_path / "ρ")),
        environment={"PYTHONIOENCODING": "ascii"},
    )
    assert process.returncode == 1
    assert process.stdout == ""
    assert re.fullmatch(r"dgmp: .*\n", process.stderr)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_results_that_cannot_be_written_are_no_success(runs, hands):
    arguments = ("classify", str(hands / "w0_p0.png"), "--model", str(runs / "scripts"), "--json")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        process = python("-c", "import dgmp.cli; dgmp.cli.main()", *arguments, stdout=full)
    assert process.returncode == 1
    assert process.stderr == "dgmp: results cannot be written: No space left on device\n"


def test_main_runs_the_arguments_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["dgmp", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"dgmp {dgmp.__version__}\n"


def test_json_is_one_object_per_line_where_a_command_lists():
    lists = [name for name in COMMANDS if "per line" in str(help_of(name, "--json"))]
    assert lists == ["search", "spot", "hands", "classify"]
