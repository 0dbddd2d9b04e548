"""Hands along books as a picture."""

import numpy as np
import pytest
from PIL import Image

from dgmp.errors import DgmpError
from dgmp.hands import draw_strip, follow_hands
from dgmp.hands.strip import MOST_PAGES
from dgmp.records import Hand


def book(pages, hands=2, name="ms", fit=0.95):
    """A book in which hands take turns, page by page, with two bands to a page."""
    ids = [
        [f"{name}/f{page}.jpg#band={band}" for page in range(own, pages, hands) for band in (0, 1)]
        for own in range(hands)
    ]
    made = [
        Hand(number, tuple(own), (fit,) * len(own), 0.5, None)
        for number, own in enumerate(ids, 1)
        if own
    ]
    return follow_hands(made)


def pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


@pytest.mark.parametrize("hands", [1, 3, 30])
def test_a_strip_is_drawn_of_any_number_of_hands(tmp_path, hands):
    assert pixels(draw_strip(book(30, hands), tmp_path / "strip.png")).std() > 10


def test_a_long_book_goes_on_in_the_next_row(tmp_path):
    short = pixels(draw_strip(book(MOST_PAGES), tmp_path / "short.png"))
    long = pixels(draw_strip(book(MOST_PAGES + 1), tmp_path / "long.png"))
    assert long.shape[0] > short.shape[0] + 100
    assert long.shape[1] == short.shape[1]


def test_the_second_hand_has_a_colour_of_its_own(tmp_path):
    reddish = [
        (pixels(draw_strip(book(4, hands), tmp_path / f"{hands}.png")) @ (1, 0, -1)).max()
        for hands in (1, 2)
    ]
    assert reddish[0] < 50 < 150 < reddish[1]


def test_a_band_that_fits_less_well_is_paler(tmp_path):
    firm = pixels(draw_strip(book(4, 1), tmp_path / "firm.png"))
    loose = pixels(draw_strip(book(4, 1, fit=0.1), tmp_path / "loose.png"))
    assert loose.mean() > firm.mean()


def test_names_that_look_like_formulas_are_drawn(tmp_path):
    draw_strip(book(3, name="$x^$"), tmp_path / "strip.png")


def test_nothing_gives_an_empty_strip(tmp_path):
    assert draw_strip(follow_hands([]), tmp_path / "strip.png").exists()


def test_an_ending_that_is_no_picture_is_refused(tmp_path):
    with pytest.raises(DgmpError, match="no picture can be drawn as csv"):
        draw_strip(book(3), tmp_path / "strip.csv")
