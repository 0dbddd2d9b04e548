"""Describers and classifiers by name and by folder; names and folders that are none."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dgmp.classical import ScriptClassifier, fit_classical, fit_linear, save_describer
from dgmp.classical import save_script_classifier as save_classifier
from dgmp.describers import (
    LearnedClassifier,
    LearnedDescriber,
    fit_describer,
    is_classifier,
    is_kind,
    load,
    load_classifier,
    load_describer,
    load_network,
    needs_fitting,
    save_calibration,
)
from dgmp.describers.registry import SHIPPED
from dgmp.errors import DgmpError, UnknownName

from .small_pages import CALIBRATION


@pytest.fixture(scope="module")
def hinge(images):
    return fit_describer("hinge", images)


@pytest.fixture(scope="module")
def by_scripts(tmp_path_factory):
    """The folder of a classical script classifier."""
    describer = fit_classical("obif")
    vectors = np.eye(2, describer.dim, dtype=np.float32)
    classifier = fit_linear(describer, vectors, ["Caroline", "Cursiva"])
    return save_classifier(classifier, tmp_path_factory.mktemp("scripts") / "run")


@pytest.fixture
def folder_called_hinge(hinge, tmp_path, monkeypatch):
    """The working folder has a describer called like a kind."""
    monkeypatch.chdir(tmp_path)
    return save_describer(hinge, tmp_path / "hinge")


def test_the_folder_of_a_model_is_a_describer(runs):
    describer = load_describer(runs / "writers", device="cpu", aggregate="whole")
    assert isinstance(describer, LearnedDescriber)
    assert describer.aggregate == "whole"


def test_the_folder_of_a_classical_describer_is_a_describer(hinge, images, tmp_path):
    loaded = load_describer(save_describer(hinge, tmp_path))
    assert loaded.spec == hinge.spec
    np.testing.assert_array_equal(loaded.describe_page(images[0]), hinge.describe_page(images[0]))


def test_a_classical_describer_is_no_network(hinge, tmp_path):
    with pytest.raises(DgmpError, match="another kind; this needs a network by dgmp train"):
        load_network(save_describer(hinge, tmp_path))


def test_the_name_of_a_kind_is_no_network():
    with pytest.raises(DgmpError, match="obif: is a describer of another kind"):
        load_network("obif")


def test_a_kind_that_needs_pages_is_fitted_on_them(images):
    assert needs_fitting("hinge")
    assert fit_describer("hinge", iter(images), seed=5).spec == (
        fit_classical("hinge", images, seed=5).spec
    )


def test_a_kind_that_needs_pages_is_not_loaded_by_its_name():
    with pytest.raises(DgmpError, match="hinge has to be fitted on training pages first"):
        load_describer("hinge")


def test_a_kind_that_needs_no_pages_is_there_at_once():
    assert not needs_fitting("obif")
    assert load_describer("obif").spec == fit_classical("obif").spec


def test_a_name_is_a_kind_even_where_a_folder_is_called_so(folder_called_hinge):
    assert is_kind("hinge")
    assert needs_fitting("hinge")
    with pytest.raises(DgmpError, match=r"has to be fitted on training pages first"):
        load_describer("hinge")


@pytest.mark.parametrize("folder", ["./hinge", Path("hinge")], ids=["text", "path"])
def test_a_folder_called_like_a_kind_is_loaded_by_its_path(folder_called_hinge, hinge, folder):
    assert not is_kind(folder)
    assert load_describer(folder).spec == hinge.spec


def test_a_shipped_describer_goes_by_its_name(runs, monkeypatch):
    monkeypatch.setitem(SHIPPED, "default", runs / "writers")
    assert isinstance(load_describer("default"), LearnedDescriber)


def test_a_misspelt_name_offers_the_nearest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="did you mean 'hinge'"):
        load_describer("hing")


def test_a_misspelt_kind_is_not_fitted_and_the_nearest_is_offered():
    with pytest.raises(UnknownName, match="did you mean 'hinge'"):
        fit_describer("hinges", [])


def test_a_misspelt_run_offers_the_run_beside(runs, monkeypatch):
    monkeypatch.chdir(runs)
    with pytest.raises(UnknownName, match="did you mean 'writers'"):
        load_describer("wirters")


def test_a_name_like_no_other_says_what_a_describer_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match=r"'xyz'; choose from default, .*, or give the folder"):
        load_describer("xyz")


def test_a_path_that_leads_nowhere_is_refused(tmp_path):
    with pytest.raises(DgmpError, match="there is no such folder"):
        load_describer(tmp_path / "nowhere")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DgmpError, match="is no trained model"):
        load_describer(tmp_path)


def test_a_file_is_refused(runs):
    with pytest.raises(DgmpError, match="is a file"):
        load_describer(runs / "writers" / "model.json")


def test_a_network_for_scripts_is_a_classifier(runs):
    classifier = load_classifier(runs / "scripts", device="cpu")
    assert isinstance(classifier, LearnedClassifier)
    assert classifier.classes == load_network(runs / "scripts").classes


def test_a_classical_script_classifier_is_a_classifier(by_scripts):
    classifier = load_classifier(by_scripts)
    assert isinstance(classifier, ScriptClassifier)
    assert classifier.classes == ("Caroline", "Cursiva")


def test_a_network_for_scripts_is_no_describer(runs):
    with pytest.raises(DgmpError, match=r"gives probabilities, not descriptors.*dgmp classify"):
        load_describer(runs / "scripts")


def test_a_classical_script_classifier_is_no_describer(by_scripts):
    with pytest.raises(DgmpError, match=r"gives probabilities, not descriptors.*dgmp classify"):
        load_describer(by_scripts)


@pytest.mark.parametrize("name", ["obif", "default"])
def test_a_describer_is_no_classifier(name):
    with pytest.raises(DgmpError, match=f"{name}: was made to tell writers apart"):
        load_classifier(name)


def test_a_network_for_writers_is_no_classifier(runs):
    with pytest.raises(DgmpError, match="has no script classes"):
        load_classifier(runs / "writers")


def test_whatever_a_folder_holds_is_loaded(runs):
    assert is_classifier(load(runs / "scripts"))
    assert not is_classifier(load(runs / "writers"))


@pytest.mark.parametrize("name", ["obif", "default"])
def test_only_networks_for_writers_put_patches_together(name):
    with pytest.raises(DgmpError, match="--aggregate is for networks trained on writers"):
        load_describer(name, aggregate="gmp")


def test_a_network_brings_the_calibration_beside_it(runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    save_calibration(CALIBRATION, load_describer(folder), folder)
    assert load_describer(folder).calibration == CALIBRATION


def test_a_calibration_is_of_the_way_patches_are_put_together(runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    save_calibration(CALIBRATION, load_describer(folder), folder)
    assert load_describer(folder, aggregate="gmp").calibration is None


def test_the_room_is_imported_without_torch():
    code = "import sys, dgmp.describers; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 0


def test_a_model_of_another_version_is_refused(runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(about | {"version": 99}))
    with pytest.raises(DgmpError, match="format version 99, this dgmp reads 1"):
        load_describer(folder)
