"""Describers by name and by folder, and what is said of names and folders that are none."""

import json
import shutil
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

from dgmp.describe import fit_describer, load_describer, load_network, zoo
from dgmp.describe.learned import LearnedDescriber
from dgmp.errors import DgmpError, UnknownName


@pytest.fixture
def classical(monkeypatch):
    """A room of classical describers with two kinds; ``obif`` needs no pages to be made."""
    room = ModuleType("dgmp.classical")
    kinds = {"hinge": True, "obif": False}
    room.CLASSICAL = {k: SimpleNamespace(needs_fitting=needs) for k, needs in kinds.items()}
    room.load_classical = lambda folder: ("loaded", folder)
    room.fit_classical = lambda name, images=(), *, seed=0, **_: (name, list(images), seed)
    monkeypatch.setattr(zoo, "find_spec", lambda name: name == "dgmp.classical")
    monkeypatch.setattr(zoo, "_classical", lambda: room)
    return room


@pytest.fixture
def no_classical(monkeypatch):
    monkeypatch.setattr(zoo, "find_spec", lambda name: None)


def test_the_folder_of_a_model_is_a_describer(runs):
    describer = load_describer(runs / "writers", device="cpu", aggregate="whole")
    assert isinstance(describer, LearnedDescriber)
    assert describer.aggregate == "whole"


def test_the_folder_of_a_classical_describer_is_read_by_its_room(classical, tmp_path):
    (tmp_path / "describer.json").write_text(json.dumps({"format": "dgmp-describer", "version": 2}))
    assert load_describer(tmp_path) == ("loaded", tmp_path)
    assert not zoo.is_network(tmp_path)
    with pytest.raises(DgmpError, match="another kind; this needs a network by dgmp train"):
        load_network(tmp_path)


def test_a_classical_kind_is_fitted_on_pages(classical):
    assert zoo.needs_fitting("hinge")
    assert fit_describer("hinge", iter([1, 2]), seed=5) == ("hinge", [1, 2], 5)
    with pytest.raises(DgmpError, match="hinge has to be fitted on training pages first"):
        load_describer("hinge")


def test_a_classical_kind_that_needs_no_pages_is_there_at_once(classical):
    assert not zoo.needs_fitting("obif")
    assert not zoo.is_network("obif")
    assert load_describer("obif") == ("obif", [], 0)


def test_a_shipped_describer_goes_by_its_name(runs, monkeypatch):
    monkeypatch.setitem(zoo.SHIPPED, "default", runs / "writers")
    assert isinstance(load_describer("default"), LearnedDescriber)


def test_a_misspelt_name_offers_the_nearest(classical, tmp_path, monkeypatch, runs):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="did you mean 'hinge'"):
        load_describer("hing")
    with pytest.raises(UnknownName, match="did you mean 'hinge'"):
        fit_describer("hinges", [])


def test_a_misspelt_run_offers_the_run_beside(no_classical, runs, monkeypatch):
    monkeypatch.chdir(runs)
    with pytest.raises(UnknownName, match="did you mean 'writers'"):
        load_describer("wirters")


def test_a_name_like_no_other_says_what_a_describer_is(no_classical, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="'xyz'; choose from default, or give the folder"):
        load_describer("xyz")


def test_folders_that_are_none(runs, tmp_path):
    with pytest.raises(DgmpError, match="there is no such folder"):
        load_describer(tmp_path / "nowhere")
    with pytest.raises(DgmpError, match="is no trained model"):
        load_describer(tmp_path)
    with pytest.raises(DgmpError, match="is a file"):
        load_describer(runs / "writers" / "model.json")


def test_a_classifier_is_no_describer(runs):
    with pytest.raises(DgmpError, match=r"gives probabilities, not descriptors.*dgmp classify"):
        load_describer(runs / "scripts")
    assert load_network(runs / "scripts").classes is not None


def test_the_room_is_imported_without_torch():
    code = "import sys, dgmp.describe; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_a_model_of_another_version_is_refused(runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(about | {"version": 99}))
    with pytest.raises(DgmpError, match="format version 99, this dgmp reads 1"):
        load_describer(folder)
