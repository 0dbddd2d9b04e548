"""Fitted describers on disk: what was saved is what is read, or an error that says why not."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from dgmp.classical import (
    config_of,
    fingerprint,
    load_classical,
    load_fitted,
    read_head,
    save_describer,
    save_fitted,
)
from dgmp.errors import DgmpError


@dataclass(frozen=True, eq=False)
class Tree:
    """Something fitted: settings, arrays and a further such thing."""

    name: str
    matrix: np.ndarray
    steps: tuple["Tree", ...] = ()


def tree(value=1.0):
    leaf = Tree("leaf", np.full(3, value, np.float32))
    return Tree("root", np.eye(2), (leaf, leaf))


def test_what_was_saved_is_read(tmp_path):
    loaded = load_fitted(save_fitted(tree(), tmp_path, "tree"), {"Tree": Tree})
    assert config_of(loaded) == config_of(tree())
    np.testing.assert_array_equal(loaded.steps[1].matrix, tree().steps[1].matrix)


def test_the_kind_stands_in_the_head(tmp_path):
    assert read_head(save_fitted(tree(), tmp_path, "tree"))["kind"] == "tree"


def test_a_fingerprint_depends_on_every_array():
    assert fingerprint(tree()) == fingerprint(tree())
    assert fingerprint(tree()) != fingerprint(tree(2.0))


def test_classes_that_are_not_listed_are_refused(tmp_path):
    save_fitted(tree(), tmp_path, "tree")
    with pytest.raises(DgmpError, match="does not describe what was fitted"):
        load_fitted(tmp_path, {})


def test_what_json_cannot_hold_is_refused(tmp_path):
    with pytest.raises(TypeError, match="name: object cannot be saved"):
        save_fitted(Tree(object(), np.eye(2)), tmp_path, "tree")


@pytest.fixture
def saved(fitted, tmp_path):
    return save_describer(fitted["hinge"], tmp_path / "hinge")


def test_a_folder_without_a_describer_is_refused(tmp_path):
    with pytest.raises(DgmpError, match=r"is no describer .it has no describer\.json"):
        load_classical(tmp_path)


def test_a_cut_file_of_arrays_is_refused(saved):
    path = saved / "arrays.npz"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DgmpError, match="cut off"):
        load_classical(saved)


def test_a_folder_without_its_arrays_is_refused(saved):
    (saved / "arrays.npz").unlink()
    with pytest.raises(DgmpError, match=r"arrays\.npz: there is no such file"):
        load_classical(saved)


def test_arrays_of_another_describer_are_refused(saved, fitted, tmp_path):
    other = save_describer(fitted["srs-lbp"], tmp_path / "other")
    (other / "arrays.npz").replace(saved / "arrays.npz")
    with pytest.raises(DgmpError, match="does not belong"):
        load_classical(saved)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 4}, "format version 4, this dgmp reads 3"),
        ({"format": "else"}, "is no describer"),
        ({"config": {"class": "Nothing"}}, "does not describe what was fitted"),
        ({"config": {"class": "Hinge", "wrong": 1}}, "does not describe what was fitted"),
        ({"config": {"class": "Hinge"}}, "holds a Hinge, no classical describer"),
    ],
)
def test_a_changed_head_is_refused(saved, change, reason):
    head = json.loads((saved / "describer.json").read_text())
    (saved / "describer.json").write_text(json.dumps(head | change))
    with pytest.raises(DgmpError, match=reason):
        load_classical(saved)


def test_a_head_that_is_no_json_is_refused(saved):
    (saved / "describer.json").write_text("{")
    with pytest.raises(DgmpError, match="not JSON"):
        load_classical(saved)
