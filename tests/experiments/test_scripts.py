"""The paper's figures of scripts, and the systems it compares itself with."""

import csv
import json

import numpy as np
import pytest

from dgmp.experiments import Setting, reproduce

from .conftest import SCRIPTS, TINY


def test_the_figures_of_the_paper_are_those_of_its_table():
    dgmp = next(row for row in SCRIPTS.rows if row.name == "dgmp")
    assert dgmp.paper["CLaMM 2017"] == {"accuracy": 83.3, "ensemble": 85.1}


@pytest.fixture(scope="module")
def others(scripts, tmp_path_factory):
    """T-DeepCNN, with the five networks it consists of, multi-size testing and ZCA."""
    out = tmp_path_factory.mktemp("others") / "out"
    setting = Setting.choose(SCRIPTS, scripts, changes=TINY)
    rows = ["t-deepcnn", "avg-sizes", "zca"]
    return out, reproduce(SCRIPTS, setting, out, seeds=1, rows=rows)


def shares(out, row):
    with np.load(out / "runs" / f"{row}-0" / "probabilities.npz") as stored:
        return stored["shares"]


def test_the_systems_of_others_are_rows_of_the_table(others):
    with others[1][1].open() as file:
        rows = {line["row"]: line for line in csv.DictReader(file)}
    assert {"t-deepcnn", "avg-sizes", "zca", "avg", "size-0.64", "size-1.5625"} == {
        *rows,
    } - {"size-0.8", "size-1.25"}
    assert rows["t-deepcnn"]["minutes"] == rows["avg-sizes"]["minutes"] == ""
    assert rows["zca"]["minutes"] != ""


def test_t_deepcnn_is_the_mean_of_networks_that_were_trained_at_their_sizes(others):
    out, _ = others
    members = next(row for row in SCRIPTS.rows if row.name == "t-deepcnn").members
    sides = [
        json.loads((out / "runs" / f"{name}-0" / "model.json").read_text())["input"]["side"]
        for name in members
    ]
    assert sides == [20, 26, 32, 40, 50]
    expected = np.mean([shares(out, name) for name in members], axis=0)
    np.testing.assert_allclose(shares(out, "t-deepcnn"), expected, atol=1e-6)


def test_one_network_at_five_sizes_is_not_five_networks(others):
    out, _ = others
    assert not (out / "runs" / "avg-sizes-0" / "model.json").exists()
    assert np.abs(shares(out, "avg-sizes") - shares(out, "avg")).max() > 0


def test_a_whitened_network_keeps_its_filter(others):
    out, _ = others
    stored = json.loads((out / "runs" / "zca-0" / "model.json").read_text())["input"]
    assert np.shape(stored["standardization"]["zca"]) == (9, 9)
    assert stored["view"] == "patches"
