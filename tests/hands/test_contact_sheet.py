"""Hands as a picture."""

import pytest
from PIL import Image

from dgmp.hands import draw_hands, shown_pages
from dgmp.hands.contact_sheet import COLUMNS
from dgmp.records import Hand

HANDS = [Hand(n, tuple(f"{n}-{p}" for p in range(9)), (1.0,) * 9, 0.5, None) for n in range(1, 9)]


@pytest.mark.parametrize("name", ["hands.png", "hands.jpg"])
def test_a_sheet_is_drawn_even_of_more_hands_than_fit(tmp_path, name):
    path = draw_hands(HANDS, {}, tmp_path / name, rows=3)
    with Image.open(path) as picture:
        assert picture.height < 4 * 210


def test_the_first_pages_of_the_first_hands_are_shown():
    assert shown_pages(HANDS, rows=2) == [f"{n}-{p}" for n in (1, 2) for p in range(COLUMNS)]
