"""`dgmp corpus` prints what there is and saves a contact sheet."""

import json

import pytest
from drawing import written
from PIL import Image
from sources.iiif_server import cache, server
from typer.testing import CliRunner

from dgmp.cli import app
from dgmp.pixels import THUMBNAIL

__all__ = ["cache", "server"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two pages that train, one that tests, and an empty file."""
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("train/anna/1.png", "train/anna/2.png", "test/bert/1.png")):
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(written(seed=seed)).save(path)
    (tmp_path / "corpus" / "test" / "bert" / "2.png").write_bytes(b"")
    return tmp_path / "corpus"


def test_the_table_names_the_format_and_what_is_left_out(folder):
    done = CliRunner().invoke(app, ["corpus", str(folder), "--kind", "writers"])
    assert done.exit_code == 0, done.output
    assert "3 pages, read as writers" in done.output
    assert "test/bert/2.png: empty" in done.output


def test_a_contact_sheet_is_saved(folder, tmp_path):
    CliRunner().invoke(app, ["corpus", str(folder), "--out", "sheet.png"])
    assert Image.open(tmp_path / "sheet.png").width > 2 * THUMBNAIL[0]


def test_only_the_sheets_that_were_asked_for_are_saved(folder, tmp_path):
    CliRunner().invoke(app, ["corpus", str(folder), "--regions", "areas.png"])
    assert [file.name for file in tmp_path.glob("*.png")] == ["areas.png"]
    CliRunner().invoke(app, ["corpus", str(folder), "--headers-only"])
    assert sorted(file.name for file in tmp_path.glob("*.png")) == ["areas.png", "contact.png"]


def test_json_is_one_object(folder):
    done = CliRunner().invoke(app, ["corpus", str(folder), "--json", "--headers-only"])
    found = json.loads(done.stdout)
    assert found["splits"][0] == {
        "split": "train", "pages": 2, "writers": 0, "scripts": 0, "manuscripts": 0
    }  # fmt: skip
    assert found["left_out"] == [
        {"file": "test/bert/2.png", "reason": "empty: the file has no bytes"}
    ]


def test_what_a_user_can_put_right_is_an_error_of_one_line(tmp_path):
    done = CliRunner().invoke(app, ["corpus", str(tmp_path / "nowhere")])
    assert done.exit_code == 1
    assert done.output.count("\n") == 1


def test_an_address_is_surveyed_as_it_was_typed(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address = server.add_book("b", 2)
    server.documents["/b.json"]["items"][1]["items"] = []
    done = CliRunner().invoke(app, ["corpus", address])
    assert f"{address}: 1 pages, read as iiif" in done.output
    assert "b/2r: no picture: the canvas has none" in done.output


def test_a_corpus_without_a_usable_page_is_no_success(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans" / "a.png").write_bytes(b"no picture")
    result = CliRunner().invoke(app, ["corpus", "scans"])
    assert result.exit_code == 1
    assert "none of its files can be used" in result.stderr.splitlines()[-1]
