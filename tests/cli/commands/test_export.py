"""``dgmp export``: where the network goes, and what it refuses."""

import json
import os
import shutil

import pytest

from dgmp.tasks import exporting

from ..typed import done, misused, refused, run


@pytest.fixture
def quick_export(monkeypatch):
    """In place of what tests/tasks/test_exporting.py tests."""

    def quick(model, path):
        path.write_bytes(b"onnx")
        return {"sha256": model.digest}

    monkeypatch.setattr(exporting, "export_model", quick)


@pytest.mark.usefixtures("quick_export")
def test_the_network_is_written_beside_the_model_and_its_path_printed(runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    result = done("export", folder)
    assert result.stdout == f"{folder / 'model.onnx'}\n"
    assert "onnxruntime and PyTorch agree" in result.stderr


@pytest.mark.usefixtures("quick_export")
def test_json_has_the_file_and_its_metadata(runs, tmp_path):
    out = tmp_path / "m.onnx"
    found = json.loads(done("export", runs / "writers", "--out", out, "--json").stdout)
    assert found["file"] == str(out)
    assert len(found["sha256"]) == 64


CASES = {
    "another version": ("export old", "format version 99"),
    "nothing": ("export nowhere/run", "there is no such folder"),
    "onto a folder": ("export run --out hands", "it is a folder"),
    "under a file": ("export run --out file/m.onnx", "is no folder"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_exported_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    refused(run(*line.split()), reason)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_network_is_not_written_to_a_device(place):
    refused(run("export", "run", "--out", "/dev/full"), "it is no ordinary file")


@pytest.mark.usefixtures("nothing_may_be_written")
def test_a_folder_that_may_not_be_written_to_is_told(place):
    refused(run("export", "run"), "may not be written to")


def test_wrong_usage_exits_with_2(place):
    misused(run("export", "run", "--format", "onnx"))
