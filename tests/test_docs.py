"""The documents are run: every block of Python in README and docs, every command that is named."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from dgmp.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, *languages):
    return [body for language, body in BLOCK.findall(page.read_text()) if language in languages]


@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: str(p.relative_to(ROOT))
)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path, forks):
    program = tmp_path / "program.py"  # in a file, as a reader would have it
    program.write_text("\n".join(blocks(page, "python")))
    done = forks.run(program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_block_says_its_language(page):
    assert "" not in [language for language, _ in BLOCK.findall(page.read_text())]


def commands(page, *languages):
    lines = [line for body in blocks(page, *languages) for line in body.splitlines()]
    return [line for line in lines if line.strip() and not line.startswith("#")]


# Blocks in bash run as they stand; those in sh need pages or a run that the reader has.
COMMANDS = sorted({line for page in PAGES for line in commands(page, "bash")})
READERS = sorted({line for page in PAGES for line in commands(page, "sh")})


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make")])
def test_every_make_verb_that_is_named_exists(command):
    verbs = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = [word for word in command.split()[1:] if "=" not in word]
    assert set(named) <= set(verbs)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("dgmp")])
def test_every_dgmp_command_that_is_named_runs(command, tmp_path, forks):
    program = Path(sys.executable).with_name("dgmp")
    done = forks.run(program, *command.split()[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_stand_in_blocks_of_a_shell(page):
    assert [c for c in commands(page, "text", "console") if re.match(r"(\$ |dgmp |make )", c)] == []


@pytest.mark.parametrize("command", [c for c in COMMANDS + READERS if c.startswith("dgmp")])
def test_every_word_of_a_command_is_an_argument_of_it(command):
    name, *words = shlex.split(command)[1:]
    assert "#" not in words  # a comment in bash, but an argument in zsh
    get_command(app).commands[name].make_context(name, words)  # raises what it cannot place


def test_remarks_in_a_shell_block_are_harmless_where_they_are_no_comments():
    lines = [line for page in PAGES for b in blocks(page, "bash", "sh") for line in b.splitlines()]
    assert [
        line for line in lines if line.startswith("#") and re.search(r"['\"`$*?()&;<>]", line)
    ] == []
    assert [line for line in lines if re.search(r"\S.*\s#", line)] == []


KNOWN = (
    "make",
    "dgmp",
    "git clone",
    "cd ",
    "pip install",
    "python examples/",
    "python benchmarks/",
    "torchrun",
)


@pytest.mark.parametrize("command", COMMANDS + READERS)
def test_no_other_command_is_promised(command):
    assert command.startswith(KNOWN)
    for script in re.findall(r"python ((?:examples|benchmarks)/\S+)", command):
        assert (ROOT / script).exists()


def test_every_picture_of_a_page_exists():
    for page in PAGES:
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
