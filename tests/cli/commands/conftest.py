"""A folder with everything that can be wrong in it, a corpus to change, drawn pages."""

import csv
import json
import os
import shutil

import numpy as np
import pytest
from drawing import written
from page_files import corpus_folder, page_file  # noqa: F401
from PIL import Image
from scribbles import (  # noqa: F401
    books,
    calibrated_describer,
    classical_scripts,
    described_once,
    scans,
    shelf,
    stroke_describers,
)


@pytest.fixture
def own_hands(hands, tmp_path):
    """A corpus that a test may change."""
    return shutil.copytree(hands, tmp_path / "hands")


@pytest.fixture
def without_splits(own_hands):
    """The same without splits."""
    with (own_hands / "pages.csv").open() as file:
        rows = list(csv.reader(file))
    with (own_hands / "pages.csv").open("w") as file:
        csv.writer(file).writerows(row[:-1] for row in rows)
    return own_hands


@pytest.fixture
def place(tmp_path, hands, runs, monkeypatch):
    """A folder with everything that can be wrong in it, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(hands, "hands")
    shutil.copytree(runs / "writers", "run")
    shutil.copytree(runs / "scripts", "scripts")
    (tmp_path / "empty").mkdir()
    _corpus(tmp_path / "one", [("a.png", "w0", "s"), ("b.png", "w0", "s")])
    _corpus(tmp_path / "single", [("a.png", "w0", "s"), ("b.png", "w1", "t")])
    (tmp_path / "bare").mkdir()
    shutil.copy(hands / "w0_p0.png", "bare")
    (tmp_path / "broken").mkdir()
    for name in ("a.png", "b.png"):
        (tmp_path / "broken" / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "blank").mkdir()
    for name in "abcd":
        Image.fromarray(np.full((90, 90), 255, np.uint8)).save(f"blank/{name}.png")
    rows = "".join(f"{n}.png,w{i // 2}\n" for i, n in enumerate("abcd"))
    (tmp_path / "blank" / "pages.csv").write_text("file,writer\n" + rows)
    (tmp_path / "file").write_text("just a file")
    shutil.copytree("run", "old")
    about = json.loads((tmp_path / "old" / "model.json").read_text())
    (tmp_path / "old" / "model.json").write_text(json.dumps(about | {"version": 99}))
    shutil.copytree("run", "cut")
    content = (tmp_path / "cut" / "model.safetensors").read_bytes()
    (tmp_path / "cut" / "model.safetensors").write_bytes(content[: len(content) // 2])
    return tmp_path


@pytest.fixture
def nothing_may_be_written(monkeypatch):
    """Root may write anywhere, so that taking the right away would not do."""
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)


def _corpus(folder, files):
    folder.mkdir()
    lines = ["file,writer,script"]
    for name, *values in files:
        Image.fromarray(written(190, 130, distance=30, seed=len(lines))).save(folder / name)
        lines.append(",".join([name, *values]))
    (folder / "pages.csv").write_text("\n".join(lines) + "\n")
