"""Runs as pictures, and the validation error of several."""

import pytest
from PIL import Image

from dgmp.errors import DgmpError
from dgmp.training import Run, draw_curves, error_curve


def run_of(folder, validations):
    run = Run(folder)
    folder.mkdir()
    run.write_metrics(
        [
            {"epoch": n, "loss": 1 / (n + 1), "active": 0.5, "validation": value}
            for n, value in enumerate(validations)
        ]
    )
    return run


def test_a_curve_has_mean_and_deviation_of_the_epochs_that_all_runs_checked(tmp_path):
    runs = [run_of(tmp_path / "a", [0.5, None, 0.9]), run_of(tmp_path / "b", [0.6, 0.7, 0.8])]
    curve = error_curve("gmp", runs)
    assert curve.epochs.tolist() == [1, 3]
    assert curve.mean == pytest.approx([45, 15])
    assert curve.std == pytest.approx([50**0.5, 50**0.5])
    assert curve.runs == 2


def test_one_run_has_no_deviation(tmp_path):
    assert error_curve("gmp", [run_of(tmp_path / "a", [0.5])]).std.tolist() == [0]


def test_runs_without_a_common_epoch_are_refused(tmp_path):
    runs = [run_of(tmp_path / "a", [0.5, None]), run_of(tmp_path / "b", [None, 0.7])]
    with pytest.raises(DgmpError, match="gmp: its runs have no epoch in common"):
        error_curve("gmp", runs)


def test_a_run_is_drawn(tmp_path):
    run = run_of(tmp_path / "a", [None, 0.7])
    draw_curves(run.metrics(), tmp_path / "curves.png", "mAP")
    with Image.open(tmp_path / "curves.png") as drawn:
        assert drawn.width > drawn.height > 100
