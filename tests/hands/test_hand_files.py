"""Hands as a table."""

import csv
import json

import pytest

from dgmp.errors import CatalogueError
from dgmp.hands import hand_to_json, write_hands
from dgmp.records import Hand

HANDS = (
    Hand(1, ("b, c", "a"), (0.91, 0.62), 0.75, 2, name="Märta", note="left-handed"),
    Hand(2, ("d",), (1.0,), 0.5, None),
)
PATHS = {"a": "/scans/a.png", "b, c": "/scans/b, c.png", "d": "/scans/d.png"}


def test_csv_has_a_row_for_every_page(tmp_path):
    with write_hands(HANDS, PATHS, tmp_path / "hands.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["page", "hand", "name", "fit", "confidence", "path"],
        ["b, c", "1", "Märta", "0.9100", "0.7500", "/scans/b, c.png"],
        ["a", "1", "Märta", "0.6200", "0.7500", "/scans/a.png"],
        ["d", "2", "", "1.0000", "0.5000", "/scans/d.png"],
    ]


def test_json_has_an_object_for_every_hand(tmp_path):
    stored = json.loads(write_hands(HANDS, PATHS, tmp_path / "hands.json").read_text())
    assert (stored["format"], stored["version"]) == ("dgmp-hands", 1)
    assert stored["hands"] == [hand_to_json(hand) for hand in HANDS]


def test_a_hand_as_json_names_its_pages_with_their_fits():
    assert hand_to_json(HANDS[0]) == {
        "hand": 1,
        "name": "Märta",
        "note": "left-handed",
        "confidence": 0.75,
        "decided": False,
        "nearest": 2,
        "pages": [{"page": "b, c", "fit": 0.91}, {"page": "a", "fit": 0.62}],
    }


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(CatalogueError, match=r"written as \.csv or \.json"):
        write_hands(HANDS, PATHS, tmp_path / "hands.xlsx")
