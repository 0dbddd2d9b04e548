"""The describer that comes with the package, on a small folder of scans, as it is typed."""

import csv
import json
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from drawing import written
from PIL import Image
from typer.testing import CliRunner

from dgmp import __version__
from dgmp.catalogue import Catalogue
from dgmp.cli import app
from dgmp.describers import load_describer
from dgmp.describers.registry import SHIPPED
from dgmp.errors import MissingExtra
from dgmp.pixels import Preparation
from dgmp.spotting import SHIPPED_WORDS
from dgmp.tasks.opening import calibration_of

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    """Two sizes of letters on three pages each, a blank page and a file that is no picture."""
    folder = tmp_path_factory.mktemp("scans")
    for writer, letter in enumerate((14, 22)):
        for page in range(3):
            drawn = written(420, 300, distance=60, letter=letter, seed=10 * writer + page)
            Image.fromarray(drawn).save(folder / f"w{writer}p{page}.png")
    Image.new("L", (300, 200), 255).save(folder / "blank.png")
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff no more")
    return folder


@pytest.fixture(scope="module")
def catalogue(scans, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "catalogue"
    done = run("describe", scans, "--catalogue", folder, "--workers", 0)
    assert done.exit_code == 0, done.output
    assert "blank.png" in done.output
    assert "broken.jpg" in done.output
    return folder


def test_a_folder_becomes_a_catalogue_without_its_broken_files(catalogue):
    opened = Catalogue.open(catalogue)
    assert len(opened.descriptors().page_ids) == 6
    assert opened.head.describer == "default"
    assert calibration_of(opened) is not None


def test_search_gives_probabilities(catalogue):
    done = run("search", catalogue, "w0p0.png", "--json")
    hits = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(hits) == 5
    assert all(0 <= hit["probability"] <= 1 for hit in hits)


def test_every_page_gets_a_hand(catalogue, tmp_path):
    done = run("hands", catalogue, "--out", tmp_path / "hands.csv")
    assert done.exit_code == 0, done.output
    with (tmp_path / "hands.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6


def test_the_shipped_describer_is_small_and_calibrated():
    describer = load_describer("default")
    assert describer.dim <= 40_000
    assert describer.preparation == Preparation()
    assert describer.calibration is not None
    files = [path for path in SHIPPED["default"].rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 25e6


def test_loaded_twice_it_describes_alike(images):
    vector = load_describer("default").describe_page(images[0])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    np.testing.assert_array_equal(vector, load_describer("default").describe_page(images[0]))


@pytest.mark.skipif(find_spec("hatchling") is None, reason="needs hatchling")
def test_the_wheel_of_the_data_brings_it_and_that_of_the_layer_is_small(tmp_path):
    for project in (ROOT, ROOT / "packages" / "dgmp-data"):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
            cwd=project,
            check=True,
            capture_output=True,
        )
    with zipfile.ZipFile(next(tmp_path.glob("dgmp_data-*.whl"))) as packed:
        names = {entry.filename for entry in packed.infolist()}
    shipped = [path for path in SHIPPED["default"].rglob("*") if path.is_file()]
    assert {f"dgmp_data/default/{p.relative_to(SHIPPED['default'])}" for p in shipped} <= names
    assert {f"dgmp_data/default_words/{p.name}" for p in SHIPPED_WORDS.iterdir()} <= names
    assert next(tmp_path.glob("dgmp_data-*.whl")).stat().st_size < 25e6
    assert next(tmp_path.glob("dgmp-*.whl")).stat().st_size < 1e6


def test_both_wheels_have_one_version():
    layer, data = (
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        for folder in (ROOT, ROOT / "packages" / "dgmp-data")
    )
    assert layer["version"] == data["version"] == __version__
    assert f"dgmp-data=={data['version']}" in layer["optional-dependencies"]["pages"]


def test_data_that_is_not_installed_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(SHIPPED, "default", tmp_path / "nowhere")
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[pages\]'"):
        load_describer("default")


def test_git_does_not_leave_it_out():
    shipped = [str(path) for path in SHIPPED["default"].rglob("*") if path.is_file()]
    if not (ROOT / ".git").exists():
        pytest.skip("no clone")
    done = subprocess.run(["git", "check-ignore", *shipped], cwd=ROOT, capture_output=True)
    assert shipped
    assert done.stdout == b""
