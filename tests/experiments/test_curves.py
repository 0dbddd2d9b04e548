"""The figure of the paper: validation error per epoch."""

import csv

import numpy as np
import pytest

from dgmp.experiments import reproduce
from dgmp.training import Run

from .conftest import CURVES


def test_curves_use_the_runs_of_scripts(made_scripts, monkeypatch):
    monkeypatch.setattr("dgmp.experiments.tables.train", None)
    out, setting = made_scripts.out, made_scripts.setting
    paths = reproduce(CURVES, setting, out, seeds=2, rows=["avg-l2", "dgmp"])
    with paths[1].open() as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["1", "2", "1", "2"]
    runs = [Run(out / f"runs/dgmp-{seed}").metrics() for seed in (0, 1)]
    errors = [100 * (1 - epochs[1]["validation"]) for epochs in runs]
    assert float(rows[-1]["error"]) == pytest.approx(np.mean(errors), abs=1e-3)
    assert float(rows[-1]["std"]) == pytest.approx(np.std(errors, ddof=1), abs=1e-3)
    assert paths[2].read_bytes().startswith(b"\x89PNG")
