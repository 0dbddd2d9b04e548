"""The hands of a catalogue, called from Python."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from scribbles import label_writers

from dgmp.catalogue import Catalogue
from dgmp.engines import Here
from dgmp.errors import CatalogueError, DgmpError, UnknownName
from dgmp.hands import PREFERENCES, follow_hands, group_pages
from dgmp.records import Hand
from dgmp.tasks import agreement, describe, export_hands, follow, group, grouping, stored_hands
from dgmp.tasks.grouping import needed_calibration

pytestmark = pytest.mark.usefixtures("stroke_describers")


@pytest.fixture
def scans(shelf):
    return shelf / "scans"


@pytest.fixture
def catalogue(shelf):
    return Catalogue.open(shelf / "catalogue")


def test_every_page_is_in_one_hand(catalogue):
    ids = [id for hand in group(catalogue) for id in hand.page_ids]
    assert sorted(ids) == list(catalogue.descriptors().page_ids)


def test_hands_are_those_of_the_vectors_and_the_calibration(catalogue, calibrated_describer):
    expected = group_pages(catalogue.descriptors(), calibrated_describer.calibration)
    assert group(catalogue) == group(str(catalogue.folder)) == expected


def test_a_large_catalogue_is_grouped_by_neighbours_into_the_same_hands(catalogue, monkeypatch):
    expected = {frozenset(hand.page_ids) for hand in group(catalogue)}
    monkeypatch.setattr(grouping, "EXACT_PAGES", 5)
    found = group(catalogue, engine=Here())
    assert (catalogue.folder / "grouping").is_dir()
    assert {frozenset(hand.page_ids) for hand in found} == expected
    assert {frozenset(hand.page_ids) for hand in stored_hands(catalogue).hands} == expected


@pytest.mark.parametrize("prefer", PREFERENCES)
def test_a_preference_is_that_of_the_grouping(catalogue, calibrated_describer, prefer):
    pages, calibration = catalogue.descriptors(), calibrated_describer.calibration
    assert group(catalogue, prefer=prefer) == group_pages(pages, calibration, prefer=prefer)


def test_a_preference_that_is_not_known_is_refused(catalogue):
    with pytest.raises(UnknownName, match="no preference called 'most'"):
        group(catalogue, prefer="most")


def test_hands_are_written_and_drawn_where_it_is_asked_for(catalogue, tmp_path):
    table, sheet = tmp_path / "hands.csv", tmp_path / "hands.png"
    hands = group(catalogue, out=table, sheet=sheet)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["page"] for row in rows] == [id for hand in hands for id in hand.page_ids]
    assert all(Path(row["path"]).exists() for row in rows)
    assert sheet.read_bytes().startswith(b"\x89PNG")


def test_a_table_may_be_json(catalogue, tmp_path):
    hands = group(catalogue, out=tmp_path / "hands.json")
    stored = json.loads((tmp_path / "hands.json").read_text())
    assert [hand["hand"] for hand in stored["hands"]] == [hand.number for hand in hands]


def test_hands_of_before_are_exported_with_the_pages_of_the_catalogue(catalogue, tmp_path):
    hands = group(catalogue)
    out = export_hands(catalogue.folder, hands, tmp_path / "hands.tei.xml")
    assert all(f"<label>{id}</label>" in out.read_text() for id in catalogue.paths())
    assert "<title>Hands of catalogue</title>" in out.read_text()


def test_a_catalogue_that_is_not_calibrated_is_told_how_to_be(scans, tmp_path):
    raw = describe(scans, tmp_path / "raw", describer="raw", engine=Here()).catalogue
    with pytest.raises(CatalogueError, match=r"'raw' is not calibrated.*dgmp calibrate"):
        group(raw)


def test_a_calibration_of_an_earlier_version_needs_the_pages_described_anew(catalogue):
    stored = {"format": "dgmp-calibration", "version": 2}
    catalogue.take_describer(replace(catalogue.head, calibration=stored))
    with pytest.raises(CatalogueError, match=r"earlier version of dgmp.*into a new catalogue"):
        needed_calibration(catalogue)


def test_a_calibration_that_comes_later_is_taken(scans, tmp_path):
    describe(scans, tmp_path / "raw", describer="raw", engine=Here())
    done = describe(scans, tmp_path / "raw", describer="default", engine=Here())
    assert done.described == 0
    assert len(group(done.catalogue)) >= 1


def test_hands_are_scored_against_writers_that_are_known(scans, catalogue):
    label_writers(scans)
    describe(scans, catalogue.folder, engine=Here())
    agreed = agreement(catalogue, group(catalogue))
    assert agreed.writers == 4
    assert -1 <= agreed.adjusted_rand <= 1
    assert 0 < agreed.bcubed.f <= 1


def test_hands_that_are_the_writers_agree_wholly(scans, catalogue):
    label_writers(scans)
    describe(scans, catalogue.folder, engine=Here())
    hands = [
        Hand(number, tuple(f"{number}-{page}.png" for page in range(3)), (1.0,) * 3, 0.5, None)
        for number in range(4)
    ]
    agreed = agreement(catalogue, hands)
    assert (agreed.adjusted_rand, agreed.bcubed.f) == (1, 1)


def test_there_is_no_agreement_with_writers_that_are_not_known(catalogue):
    assert agreement(catalogue, group(catalogue)) is None


@pytest.fixture
def bands(books, tmp_path):
    return describe(books, tmp_path / "catalogue", by="band", engine=Here()).catalogue


def test_hands_are_those_of_the_bands_in_reading_order(bands):
    found = follow(bands)
    assert found.hands == group(bands)
    order = [(band.page, band.band) for band in found.bands]
    pages = [f"ms {book}/f{page}.png" for book in (1, 2) for page in (1, 2, 10)]
    assert order == [(page, band) for page in pages for band in range(3)]
    expected = [(band.hand, band.doubtful) for band in follow_hands(found.hands).bands]
    assert [(band.hand, band.doubtful) for band in found.bands] == expected


def test_a_preference_is_that_of_the_hands(bands):
    assert follow(bands, prefer="more").hands == group(bands, prefer="more")


def test_every_band_has_its_place_on_the_scan(bands):
    tops = [band.bounds[1] for band in follow(bands).bands[:3]]
    assert tops == pytest.approx([0, 225, 450], abs=25)


def test_a_table_and_a_strip_are_written_where_it_is_asked_for(bands, tmp_path):
    table, strip = tmp_path / "changes.csv", tmp_path / "strip.png"
    found = follow(str(bands.folder), out=table, sheet=strip)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["hand"]) for row in rows] == [band.hand for band in found.bands]
    assert {row["book"] for row in rows} == {"ms 1", "ms 2"}
    assert strip.read_bytes().startswith(b"\x89PNG")


def test_a_table_of_changes_may_be_json(bands, tmp_path):
    found = follow(bands, out=tmp_path / "changes.json")
    stored = json.loads((tmp_path / "changes.json").read_text())
    assert len(stored["bands"]) == 18
    assert len(stored["changes"]) == len(found.changes)


def test_files_that_cannot_be_written_are_refused_first(bands, tmp_path):
    with pytest.raises(CatalogueError, match=r"\.csv or \.json"):
        follow(bands, out=tmp_path / "changes.xlsx")
    with pytest.raises(DgmpError, match="no picture can be drawn"):
        follow(bands, sheet=tmp_path / "strip.csv")


def test_a_catalogue_of_pages_is_told_how_to_be_one_of_bands(scans, tmp_path):
    pages = describe(scans, tmp_path / "pages", engine=Here()).catalogue
    with pytest.raises(CatalogueError, match=r"described by page, not by band; .*--by band"):
        follow(pages)
