"""The house keeps its plan: the map is true, rooms and files stay small."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from room_map import BEGIN, END, PAGE, rows, table  # noqa: E402

ROOMS = sorted(file.parent for file in (ROOT / "src" / "dgmp").glob("*/__init__.py"))
MOST_FILES = 16
MOST_LINES = 400


def test_the_map_of_rooms_is_that_of_the_contract():
    text = PAGE.read_text(encoding="utf-8")
    shown = text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip()
    assert shown == table(), "run python docs/room_map.py"


def test_every_room_has_a_row():
    known = {room.strip("()") for row in rows() for room in row}
    assert {room.name for room in ROOMS} <= known


@pytest.mark.parametrize("room", [r for r in ROOMS if r.name != "pooling"], ids=lambda r: r.name)
def test_a_room_has_few_files(room):
    folders = [room, *(path for path in room.rglob("*") if path.is_dir())]
    assert max(len(list(folder.glob("*.py"))) for folder in folders) <= MOST_FILES


def test_no_file_is_long():
    folders = ("src", "tests", "benchmarks")
    files = [file for folder in folders for file in ROOT.glob(f"{folder}/**/*.py")]
    long = {f.name: n for f in files if (n := len(f.read_text("utf-8").splitlines())) > MOST_LINES}
    assert not long


def test_no_two_classes_have_one_name():
    import ast

    seen = {}
    for file in ROOT.glob("src/**/*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                seen.setdefault(node.name, []).append(file.name)
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}


def test_the_package_opens_without_torch_and_opencv():
    code = "import sys, dgmp; sys.exit(bool({'torch', 'cv2'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
