"""The sheet of found areas: what it says of a picture, how it is drawn, what is left off."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from dgmp.corpora.area_sheet import COLUMNS, FoundAreas, draw_area_sheet, note
from dgmp.errors import DgmpError
from dgmp.records import Page, Region
from dgmp.sources import FileSource

LEFT, RIGHT = Region.rectangle(10, 10, 90, 90), Region.rectangle(110, 10, 190, 90)


@pytest.fixture
def picture(tmp_path):
    Image.fromarray(np.full((100, 200), 220, np.uint8)).save(tmp_path / "a.png")
    return Page("a.png", FileSource(tmp_path / "a.png"), size=(200, 100))


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def red(sheet):
    return (sheet[..., 0] - sheet[..., 2] > 100).sum()


def test_a_picture_that_is_used_as_it_is_has_no_outline(picture, tmp_path):
    sheet = draw_area_sheet([FoundAreas(picture, [picture])], tmp_path / "sheet.png")
    assert red(pixels(sheet)) == 0


def test_the_area_is_outlined_and_the_rest_dimmed(picture, tmp_path):
    cut = replace(picture, regions=(LEFT,))
    shown = pixels(draw_area_sheet([FoundAreas(picture, [cut])], tmp_path / "sheet.png"))
    assert red(shown) > 100
    assert (shown == 220).all(-1).sum() == pytest.approx(78 * 78, rel=0.1)


def test_a_sheet_says_how_many_pictures_it_leaves_off(picture, tmp_path):
    many = [FoundAreas(picture, [picture])] * 7
    few = pixels(draw_area_sheet(many, tmp_path / "few.png", most=COLUMNS))
    all_of_them = pixels(draw_area_sheet(many, tmp_path / "all.png"))
    assert len(few) < len(all_of_them)


@pytest.mark.parametrize(
    ("turn", "regions", "words"),
    [
        (0, [None], "used as it is"),
        (3, [None], "turned by 270°"),
        (0, [(LEFT,)], "cut to the writing"),
        (1, [(LEFT,), (RIGHT,)], "turned by 90°, an opening"),
    ],
)
def test_a_few_words_say_what_was_found(picture, turn, regions, words):
    pages = [replace(picture, turn=turn, regions=each) for each in regions]
    assert note(FoundAreas(picture, pages)) == words


def test_the_reason_stands_under_a_picture_without_writing(picture):
    assert note(FoundAreas(picture, [], "no writing: nothing but a ruler")).endswith("a ruler")


def test_other_endings_are_refused(picture, tmp_path):
    with pytest.raises(DgmpError, match=r"sheet.pdf: a contact sheet is .png or .jpg"):
        draw_area_sheet([FoundAreas(picture, [picture])], tmp_path / "sheet.pdf")
