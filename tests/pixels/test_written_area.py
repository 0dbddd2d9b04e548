"""Where the writing is on a photograph, and what is left as it is."""

from pathlib import Path

import numpy as np
import pytest
from photographs import on_table, opening, page_of, with_ruler
from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.errors import NoWriting
from dgmp.pixels import WrittenArea, find_writing, written_area

PAGE = page_of(1)


def bounds(region):
    return np.array(region.bounds)


@pytest.mark.parametrize("writer", range(6))
def test_a_clean_page_is_left_as_it_is(writer):
    assert written_area(page_of(writer)) == WrittenArea()


def test_a_small_picture_is_left_as_it_is():
    assert written_area(on_table(PAGE[:200, :250])) == WrittenArea()


def test_a_page_is_cut_out_of_its_table():
    found = written_area(on_table(PAGE, left=90, top=70))
    (side,) = found.sides
    left, top, right, bottom = side.bounds
    assert found.turn == 0
    assert (left, top) >= (88, 68)
    assert (right, bottom) <= (90 + 642, 70 + 482)


def test_the_area_holds_the_writing():
    scene = on_table(PAGE)
    left, top, right, bottom = map(int, written_area(scene).sides[0].bounds)
    inside = scene[top:bottom, left:right]
    assert (inside < 110).sum() > 0.97 * (PAGE < 110).sum()


def test_an_opening_has_two_sides_from_left_to_right():
    scene = on_table(opening(PAGE, page_of(2)))
    first, second = written_area(scene).sides
    gutter = 90 + 640 + 120
    assert first.bounds[2] <= gutter + 8
    assert second.bounds[0] >= gutter - 8


def test_a_ruler_is_not_part_of_the_page():
    scene = with_ruler(on_table(PAGE))
    (side,) = written_area(scene).sides
    assert side.bounds[3] <= 70 + 482


@pytest.mark.parametrize("turn", [1, 3])
def test_a_photograph_on_its_side_has_the_area_of_the_upright_one(turn):
    scene = on_table(PAGE)
    found = written_area(np.ascontiguousarray(np.rot90(scene, turn)))
    assert found.turn == turn
    assert bounds(found.sides[0]) == pytest.approx(bounds(written_area(scene).sides[0]), abs=12)


def test_the_area_grows_with_the_picture():
    scene = on_table(PAGE)
    double = np.asarray(Image.fromarray(scene).resize((2 * scene.shape[1], 2 * scene.shape[0])))
    small, large = written_area(scene).sides[0], written_area(double).sides[0]
    assert bounds(large) == pytest.approx(2 * bounds(small), abs=20)


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(on_table(np.full((480, 640), 225, np.uint8)), id="an empty page"),
        pytest.param(np.full((600, 800), 225, np.uint8), id="a blank scan"),
        pytest.param(with_ruler(np.full((500, 900), 45, np.uint8)), id="a table with a ruler"),
    ],
)
def test_a_picture_without_writing_is_named(scene):
    with pytest.raises(NoWriting, match=r"scan 7: no writing: "):
        written_area(scene, "scan 7")


def test_a_single_line_is_writing():
    page = np.full((700, 640), int(np.median(PAGE)), np.uint8)
    page[200:280] = PAGE[100:180]
    assert len(written_area(on_table(page)).sides) == 1


def test_a_large_file_is_read_small_and_answered_in_its_own_pixels(tmp_path: Path):
    scene = on_table(PAGE)
    size = (3 * scene.shape[1] + 1, 3 * scene.shape[0] + 2)
    Image.fromarray(scene).resize(size).save(tmp_path / "a.jpg", quality=90)
    (page,) = open_corpus(tmp_path / "a.jpg").pages
    expected = 3 * bounds(written_area(scene).sides[0])
    assert bounds(find_writing(page).sides[0]) == pytest.approx(expected, abs=30)
