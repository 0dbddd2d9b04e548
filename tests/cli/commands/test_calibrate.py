"""``dgmp calibrate``: from a run without probabilities to hands."""

import json
import shutil
from functools import partial

import pytest

from dgmp.hands import fit_calibration

from ..typed import done, refused, run


@pytest.fixture(autouse=True)
def few_collections(monkeypatch):
    """Drawing 200 from twelve pages takes seconds and tells no more."""
    few = partial(fit_calibration, collections=20)
    monkeypatch.setattr("dgmp.tasks.calibrating.fit_calibration", few)


@pytest.fixture
def own_run(runs, tmp_path):
    return shutil.copytree(runs / "writers", tmp_path / "run")


@pytest.fixture
def describe_into(own_run, tmp_path):
    """Describes a corpus by the run into a catalogue."""

    def describe(corpus):
        folder = tmp_path / "catalogue"
        done(
            *("describe", corpus, "--catalogue", folder, "--describer", own_run),
            *("--workers", "0"),
        )
        return folder

    return describe


def test_a_calibrated_run_groups_pages_into_hands(own_run, without_splits, describe_into):
    refused(run("hands", describe_into(without_splits)), "dgmp calibrate on pages by known writers")
    result = done("calibrate", own_run, without_splits, "--json")
    assert json.loads(result.stdout) == {
        "file": str(own_run / "calibration.json"),
        "pages": 12,
        "writers": 4,
    }
    assert "12 pages by" in done("hands", describe_into(without_splits)).stderr


def test_what_was_written_is_printed(own_run, without_splits):
    result = done("calibrate", own_run, without_splits)
    assert result.stdout == f"{own_run / 'calibration.json'}: from 12 pages by 4 writers\n"


def test_test_pages_are_left_alone(own_run, own_hands):
    refused(
        run("calibrate", own_run, own_hands), "6 pages by 2 writers cannot calibrate a describer"
    )


def test_a_calibration_of_another_state_of_the_network_counts_for_nothing(
    own_run, without_splits, describe_into
):
    done("calibrate", own_run, without_splits)
    path = own_run / "calibration.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "describer": {}}))
    refused(run("hands", describe_into(without_splits)), "is not calibrated")


def test_a_calibration_that_is_broken_is_told(own_run, own_hands, tmp_path):
    (own_run / "calibration.json").write_text("{")
    result = run("describe", own_hands, "--out", tmp_path / "d.npz", "--describer", own_run)
    refused(result, "calibration.json: is not JSON")


def test_a_folder_that_is_no_run_is_refused(own_hands, tmp_path):
    refused(run("calibrate", tmp_path / "none", own_hands), "is no folder of a run")


def test_a_run_is_not_calibrated_by_pages_it_has_learned_from(own_run, without_splits):
    (own_run / "run.json").write_text(json.dumps({"data": {"path": str(without_splits)}}))
    splits = "\n".join(f"w{w}_p{p}.png,train" for w in range(4) for p in range(3))
    (own_run / "split.csv").write_text(f"# dgmp split 1\nid,split\n{splits}\n")
    (without_splits / "w3_p2.png").rename(without_splits / "elsewhere.txt")  # others stay known
    labels = without_splits / "pages.csv"
    rows = labels.read_text().splitlines()
    labels.write_text("\n".join(row for row in rows if "w3_p2" not in row) + "\n")
    refused(
        run("calibrate", own_run, without_splits),
        "all of its 11 pages were learned from or are test pages",
    )
