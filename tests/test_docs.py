"""The documents are run: every block of Python in README and docs, every command that is named."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, *languages):
    return [body for language, body in BLOCK.findall(page.read_text()) if language in languages]


@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: str(p.relative_to(ROOT))
)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    program = tmp_path / "program.py"  # in a file, as a reader would have it
    program.write_text("\n".join(blocks(page, "python")))
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_block_says_its_language(page):
    assert "" not in [language for language, _ in BLOCK.findall(page.read_text())]


COMMANDS = sorted(
    {
        line.removeprefix("$ ").split("#")[0].strip()
        for page in PAGES
        for body in blocks(page, "bash", "console")
        for line in body.splitlines()
        if line.strip() and not line.startswith("#")
    }
)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make")])
def test_every_make_verb_that_is_named_exists(command):
    verbs = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = [word for word in command.split()[1:] if "=" not in word]
    assert set(named) <= set(verbs)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("dgmp")])
def test_every_dgmp_command_that_is_named_runs(command, tmp_path):
    program = Path(sys.executable).with_name("dgmp")
    done = subprocess.run(
        [program, *command.split()[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]


KNOWN = (
    "make",
    "dgmp",
    "git clone",
    "cd ",
    "pip install",
    "python examples/",
    "python benchmarks/",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_other_command_is_promised(command):
    assert command.startswith(KNOWN)
    for script in re.findall(r"python ((?:examples|benchmarks)/\S+)", command):
        assert (ROOT / script).exists()


def test_every_picture_of_a_page_exists():
    for page in PAGES:
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
