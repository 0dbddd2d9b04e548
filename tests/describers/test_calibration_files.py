"""The calibration of a network, beside its weights."""

import json

import pytest

from dgmp.describers import LearnedDescriber, save_calibration
from dgmp.describers.calibration_files import FILE, load_calibration
from dgmp.errors import DgmpError

from .small_pages import CALIBRATION


@pytest.fixture
def describer(tiny):
    return LearnedDescriber(tiny())


def test_what_was_saved_is_read(describer, tmp_path):
    assert save_calibration(CALIBRATION, describer, tmp_path) == tmp_path / FILE
    assert load_calibration(describer, tmp_path) == CALIBRATION


def test_a_folder_without_one_has_none(describer, tmp_path):
    assert load_calibration(describer, tmp_path) is None


def test_that_of_another_spec_is_none(describer, tiny, tmp_path):
    save_calibration(CALIBRATION, describer, tmp_path)
    other = LearnedDescriber(tiny(), aggregate="gmp")
    assert load_calibration(other, tmp_path) is None


@pytest.mark.parametrize("version", [1, 2])
def test_that_of_an_earlier_version_is_none(describer, tmp_path, version):
    path = save_calibration(CALIBRATION, describer, tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": version}))
    assert load_calibration(describer, tmp_path) is None


def test_that_of_a_spec_with_the_older_name_of_its_kind_is_read(describer, tmp_path):
    path = save_calibration(CALIBRATION, describer, tmp_path)
    stored = json.loads(path.read_text())
    stored["describer"]["describer"] = stored["describer"].pop("kind")
    path.write_text(json.dumps(stored))
    assert load_calibration(describer, tmp_path) == CALIBRATION


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"format": "other"}, "it is no calibration"),
        ({"version": 99}, "format version 99"),
        ({"noise": -1.0}, "above 0"),
        ({"surprise": 1}, "unknown entry 'surprise'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_file_that_holds_none_is_refused(describer, tmp_path, entry, reason):
    path = save_calibration(CALIBRATION, describer, tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | entry))
    with pytest.raises(DgmpError, match=reason):
        load_calibration(describer, tmp_path)
