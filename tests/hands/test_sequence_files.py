"""Hands along books as a table."""

import csv
import json

import pytest

from dgmp.errors import CatalogueError
from dgmp.hands import change_to_json, follow_hands, write_sequence
from dgmp.records import Hand

HANDS = (
    Hand(1, ("ms/f1.jpg#band=0", "ms/f1.jpg#band=1"), (0.91, 0.62), 0.75, 2),
    Hand(2, ("ms/f2.jpg#band=0",), (1.0,), 0.5, 1),
)
FOUND = follow_hands(HANDS, {"ms/f1.jpg#band=0": (0, 10.2, 90, 200.0)})


def test_csv_has_a_row_for_every_band_in_reading_order(tmp_path):
    with write_sequence(FOUND, tmp_path / "changes.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        [
            "book",
            "page",
            "band",
            "top",
            "bottom",
            "hand",
            "fit",
            "confidence",
            "doubtful",
            "change",
        ],
        ["ms", "ms/f1.jpg", "0", "10", "200", "1", "0.9100", "0.7500", "", ""],
        ["ms", "ms/f1.jpg", "1", "", "", "1", "0.6200", "0.7500", "", ""],
        ["ms", "ms/f2.jpg", "0", "", "", "2", "1.0000", "0.5000", "", "yes"],
    ]


def test_json_has_bands_and_changes(tmp_path):
    stored = json.loads(write_sequence(FOUND, tmp_path / "changes.json").read_text())
    assert (stored["format"], stored["version"]) == ("dgmp-book-hands", 1)
    assert [band["hand"] for band in stored["bands"]] == [1, 1, 2]
    assert stored["changes"] == [change_to_json(FOUND.changes[0])]


def test_a_change_names_both_sides():
    assert change_to_json(FOUND.changes[0]) == {
        "book": "ms",
        "after_page": "ms/f1.jpg",
        "after_band": 1,
        "page": "ms/f2.jpg",
        "band": 0,
        "top": None,
        "from_hand": 1,
        "to_hand": 2,
        "sure": 0.5,
    }


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(CatalogueError, match=r"written as \.csv or \.json"):
        write_sequence(FOUND, tmp_path / "changes.xlsx")


def test_no_name_is_a_formula_for_a_spreadsheet(tmp_path):
    hands = (Hand(1, ("=1+1/@f.jpg#band=0",), (1.0,), 0.5, None),)
    with write_sequence(follow_hands(hands, {}), tmp_path / "a.csv").open(newline="") as file:
        row = list(csv.reader(file))[1]
    assert row[:2] == ["'=1+1", "'=1+1/@f.jpg"]
