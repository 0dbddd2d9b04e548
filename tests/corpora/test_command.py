"""`dgmp corpus` prints what there is and saves a sheet."""

import json

import pytest
from PIL import Image
from typer.testing import CliRunner

from dgmp.cli import app


@pytest.fixture
def opened(page_file, corpus_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("train/anna/1.png", "train/anna/2.png", "test/bert/1.png"):
        page_file(name)
    (corpus_folder / "test" / "bert" / "2.png").write_bytes(b"")
    return corpus_folder


def test_the_table_names_splits_and_what_is_left_out(opened, tmp_path):
    done = CliRunner().invoke(app, ["corpus", str(opened), "--out", "sheet.png"])
    assert done.exit_code == 0
    assert "3 pages, read as writers" in done.output
    assert "test/bert/2.png: empty" in done.output
    assert Image.open(tmp_path / "sheet.png").size[0] > 500


def test_json_is_one_object(opened):
    done = CliRunner().invoke(app, ["corpus", str(opened), "--json", "--headers-only"])
    told = json.loads(done.stdout)
    assert told["splits"][0] == {
        "split": "train", "pages": 2, "writers": 1, "scripts": 0, "manuscripts": 0
    }  # fmt: skip
    assert told["left_out"] == [
        {"file": "test/bert/2.png", "reason": "empty: the file has no bytes"}
    ]


def test_what_a_user_can_put_right_is_told_in_one_line(tmp_path):
    done = CliRunner().invoke(app, ["corpus", str(tmp_path / "nowhere")])
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
