"""Hands as a table."""

import csv
from dataclasses import replace

import pytest

from dgmp.corpora import open_corpus
from dgmp.exports import write_hands

from .conftest import NAMES


def test_csv_has_a_row_for_every_page(going, tmp_path):
    with write_hands(going, tmp_path / "hands.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    path = going.paths
    assert rows == [
        ["page", "hand", "name", "fit", "confidence", "decided", "nearest", "path"],
        [NAMES[1], "1", "Märta & Co", "0.9100", "0.6200", "", "2", path[NAMES[1]]],
        [NAMES[0], "1", "Märta & Co", "0.7500", "0.6200", "", "2", path[NAMES[0]]],
        ["'" + NAMES[3], "1", "Märta & Co", "0.5000", "0.6200", "", "2", path[NAMES[3]]],
        [NAMES[2], "2", "", "1.0000", "0.5000", "yes", "", path[NAMES[2]]],
    ]


def test_a_table_beside_the_scans_is_no_label_file(going, scans):
    write_hands(going, scans / "hands.csv")
    corpus = open_corpus(scans)
    assert corpus.kind == "plain"
    assert len(corpus) == len(NAMES)


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_a_name_that_a_spreadsheet_would_compute_is_text(going, tmp_path, first):
    hands = [replace(hand, name=f'{first}HYPERLINK("x")') for hand in going.hands]
    out = write_hands(replace(going, hands=hands), tmp_path / "hands.csv")
    with out.open(newline="", encoding="utf-8") as file:
        names = {row["name"] for row in csv.DictReader(file)}
    assert names == {f'\'{first}HYPERLINK("x")'}
