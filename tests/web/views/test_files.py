"""What is sent as a file."""

import csv
import io
import zipfile

import pytest

from dgmp.web.views.decisions import EXPORTS


@pytest.mark.parametrize("kind", EXPORTS)
def test_hands_are_exported_in_every_form(reader, kind):
    answer = reader.get(f"/export/{kind}")
    assert answer.status_code == 200
    assert f'filename="{kind}"' in answer.headers["content-disposition"]
    assert answer.content


def test_a_table_has_a_row_per_page(reader, page_ids):
    text = reader.get("/export/hands.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert sorted(row["page"] for row in rows) == page_ids


def test_a_folder_comes_as_one_archive(reader):
    archive = zipfile.ZipFile(io.BytesIO(reader.get("/export/iiif.zip").content))
    assert all(name.startswith("iiif/") for name in archive.namelist())


def test_an_unknown_form_is_said(reader):
    assert reader.get("/export/hands.doc").status_code == 404


def test_there_is_nothing_to_export_before_grouping(client, catalogue):
    (catalogue / "hands.json").unlink()
    assert "have not been grouped" in client.get("/export/hands.csv").text


@pytest.mark.parametrize("key", ["bm9uZQ", "..%2f..%2fetc", "%00"])
def test_a_thumbnail_is_of_a_page_of_the_catalogue_only(reader, key):
    assert reader.get(f"/thumbnails/{key}.jpg").status_code == 404
