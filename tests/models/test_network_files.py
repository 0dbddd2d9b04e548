"""Trained models on disk: what was saved is what is read, or an error that says why not."""

import json
import resource
import shutil
from dataclasses import replace

import pytest
import torch

from dgmp.errors import DgmpError, WeightsError
from dgmp.models import load_model, save_model


@pytest.fixture
def saved(runs, tmp_path):
    return shutil.copytree(runs / "scripts", tmp_path / "run")


def change(folder, **entries):
    about = json.loads((folder / "model.json").read_text())
    about = {key: value for key, value in (about | entries).items() if value != "gone"}
    (folder / "model.json").write_text(json.dumps(about))


@pytest.mark.parametrize("classes", [None, ("a", "b")])
def test_what_was_saved_is_read(tiny, tmp_path, classes):
    before = tiny("attentive-gmp", classes, seed=4)
    save_model(before, tmp_path)
    after = load_model(tmp_path)
    assert (after.spec, after.input, after.classes) == (before.spec, before.input, classes)
    assert after.made == before.made
    assert not after.network.training
    images = torch.randn(2, 1, 32, 32)
    with torch.inference_mode():
        assert torch.equal(after.network(images), before.network(images))


def test_saving_again_gives_the_same_digest(tiny, tmp_path):
    model = tiny()
    save_model(model, tmp_path / "one")
    save_model(load_model(tmp_path / "one"), tmp_path / "two")
    one, two = (load_model(tmp_path / name).digest for name in ("one", "two"))
    assert one == two


def test_a_model_whose_options_name_no_ridge_is_what_its_state_says(tiny, tmp_path):
    bare = tiny("gmp", center=64)  # targets of energy
    save_model(bare, tmp_path / "new")
    assert load_model(tmp_path / "new").network.pooling.target == "energy"
    old = tiny("gmp", ridge=700.0, center=64)
    save_model(replace(old, spec=bare.spec), tmp_path / "old")  # as version 0.1 described it
    again = load_model(tmp_path / "old")
    assert again.spec == bare.spec
    images = torch.randn(2, 1, 32, 32)
    with torch.inference_mode():
        assert torch.equal(again.network(images), old.network(images))


def cut(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def other_weights(folder):
    model = load_model(folder)
    with torch.no_grad():
        model.network.fc.bias += 1
    beside = folder.parent / "other"
    save_model(model, beside)
    shutil.copy(beside / "model.safetensors", folder)


DAMAGES = {
    "another version": (lambda f: change(f, version=2), "format version 2, this dgmp reads 1"),
    "another format": (lambda f: change(f, format="x"), "it is no trained model"),
    "an entry too few": (lambda f: change(f, classes="gone"), "missing required field `classes`"),
    "an entry too many": (lambda f: change(f, model={"colour": 1}), "unknown entry 'model.colour'"),
    "cut description": (lambda f: (f / "model.json").write_text("{"), "cannot be read"),
    "no description": (lambda f: (f / "model.json").unlink(), "is no trained model"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "there is no such file"),
    "cut weights": (cut, "cut off"),
    "swapped weights": (other_weights, "not the weights that model.json describes"),
    "other classes": (lambda f: change(f, classes=["a"]), "does not fit"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_model_that_cannot_be_read_says_why(saved, damage):
    do, reason = DAMAGES[damage]
    do(saved)
    with pytest.raises(DgmpError, match=reason):
        load_model(saved)


def test_swapped_weights_are_an_error_of_weights(saved):
    other_weights(saved)
    with pytest.raises(WeightsError):
        load_model(saved)


def test_a_full_disk_leaves_the_old_model(saved, tiny):
    before = load_model(saved).digest
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # as a disk with 10 kB left
    try:
        with pytest.raises(DgmpError, match=r"model\.safetensors: cannot be written"):
            save_model(tiny(), saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert load_model(saved).digest == before
    assert sorted(file.name for file in saved.iterdir()) == ["model.json", "model.safetensors"]


def test_weights_with_a_ridge_of_another_meaning_are_refused(tiny, tmp_path):
    save_model(tiny(), tmp_path)  # a relative ridge
    about = json.loads((tmp_path / "model.json").read_text())
    options = {"relative": False, "center": True}
    change(tmp_path, model=about["model"] | {"pooling_options": options})
    with pytest.raises(WeightsError, match=r"model\.safetensors: .* relative to the energy"):
        load_model(tmp_path)
