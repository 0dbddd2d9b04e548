"""Where the hand changes in books, called from Python."""

import csv
import json

import pytest

from dgmp.engines import Here
from dgmp.errors import CatalogueError, DgmpError
from dgmp.hands import follow_hands
from dgmp.tasks import describe, follow, group

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def catalogue(books, tmp_path):
    return describe(books, tmp_path / "catalogue", by="band", engine=Here()).catalogue


def test_hands_are_those_of_the_bands_in_reading_order(catalogue):
    found = follow(catalogue)
    assert found.hands == group(catalogue)
    order = [(band.page, band.band) for band in found.bands]
    pages = [f"ms {book}/f{page}.png" for book in (1, 2) for page in (1, 2, 10)]
    assert order == [(page, band) for page in pages for band in range(3)]
    expected = [(band.hand, band.doubtful) for band in follow_hands(found.hands).bands]
    assert [(band.hand, band.doubtful) for band in found.bands] == expected


def test_a_preference_is_that_of_the_hands(catalogue):
    assert follow(catalogue, prefer="more").hands == group(catalogue, prefer="more")


def test_every_band_has_its_place_on_the_scan(catalogue):
    tops = [band.bounds[1] for band in follow(catalogue).bands[:3]]
    assert tops == pytest.approx([0, 225, 450], abs=25)


def test_a_table_and_a_strip_are_written_where_it_is_asked_for(catalogue, tmp_path):
    table, strip = tmp_path / "changes.csv", tmp_path / "strip.png"
    found = follow(str(catalogue.folder), out=table, sheet=strip)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["hand"]) for row in rows] == [band.hand for band in found.bands]
    assert {row["book"] for row in rows} == {"ms 1", "ms 2"}
    assert strip.read_bytes().startswith(b"\x89PNG")


def test_a_table_may_be_json(catalogue, tmp_path):
    found = follow(catalogue, out=tmp_path / "changes.json")
    stored = json.loads((tmp_path / "changes.json").read_text())
    assert len(stored["bands"]) == 18
    assert len(stored["changes"]) == len(found.changes)


def test_files_that_cannot_be_written_are_refused_first(catalogue, tmp_path):
    with pytest.raises(CatalogueError, match=r"\.csv or \.json"):
        follow(catalogue, out=tmp_path / "changes.xlsx")
    with pytest.raises(DgmpError, match="no picture can be drawn"):
        follow(catalogue, sheet=tmp_path / "strip.csv")


def test_a_catalogue_of_pages_is_told_how_to_be_one_of_bands(scans, tmp_path):
    pages = describe(scans, tmp_path / "pages", engine=Here()).catalogue
    with pytest.raises(CatalogueError, match=r"described by page, not by band; .*--by band"):
        follow(pages)
