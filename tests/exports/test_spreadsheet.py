"""Hands as a spreadsheet."""

from dataclasses import replace

import pytest
from openpyxl import load_workbook

from dgmp.exports import spreadsheet, write_hands
from dgmp.records import Hand

from .conftest import NAMES


@pytest.fixture
def book(going, tmp_path):
    return load_workbook(write_hands(going, tmp_path / "hands.xlsx"))


def rows(sheet):
    first, *others = sheet.iter_rows(values_only=True)
    return [dict(zip(first, row, strict=True)) for row in others]


def test_there_is_a_row_for_every_page(book, going):
    found = rows(book["pages"])
    assert [row["page"] for row in found] == [NAMES[1], NAMES[0], NAMES[3], NAMES[2]]
    assert found[0] == {
        "picture": None,
        "page": NAMES[1],
        "hand": 1,
        "name": "Märta & Co",
        "fit": 0.91,
        "confidence": 0.62,
        "decided": None,
        "nearest": 2,
        "path": going.paths[NAMES[1]],
    }


def test_there_is_a_row_for_every_hand(book):
    first, second = rows(book["hands"])
    assert (first["hand"], first["pages"], first["note"]) == (1, 3, "+ left")
    assert (second["decided"], second["first page"]) == ("yes", NAMES[2])


def test_every_page_has_its_picture_in_its_row(book):
    assert [image.anchor._from.row for image in book["pages"]._images] == [1, 2, 3, 4]


@pytest.mark.parametrize("text", ["=1+1", "+49", "-x", "@SUM(A1)", "\t=1", "=HYPERLINK(0)"])
def test_what_looks_like_a_formula_is_text(going, tmp_path, text):
    hand = Hand(1, (NAMES[0],), (1.0,), 0.5, None, name=text, note=text)
    sheet = load_workbook(write_hands(replace(going, hands=[hand]), tmp_path / "a.xlsx"))["hands"]
    for cell in (sheet["B2"], sheet["C2"]):
        assert (cell.value, cell.data_type, cell.quotePrefix) == (text, "s", True)


def test_characters_that_no_spreadsheet_holds_are_replaced(going, tmp_path):
    hand = Hand(1, (NAMES[0],), (1.0,), 0.5, None, name="a\x01b")
    sheet = load_workbook(write_hands(replace(going, hands=[hand]), tmp_path / "a.xlsx"))["hands"]
    assert sheet["B2"].value == "a\ufffdb"


def test_only_so_many_pages_have_pictures(going, tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheet, "MOST_PICTURES", 2)
    with pytest.warns(UserWarning, match="4 pages: the spreadsheet has the pictures of the first"):
        book = load_workbook(write_hands(going, tmp_path / "hands.xlsx"))
    assert len(book["pages"]._images) == 2
