"""From a page to its pixels: text regions, one scale, two values, their place on the scan."""

import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawing import written

from dgmp.engines import Processes, map_pages
from dgmp.errors import ImageError
from dgmp.pixels import (
    OnPixels,
    PageImage,
    Preparation,
    centre_patch,
    measure_page,
    needs_measuring,
    page_reader,
    prepare_page,
    read_image,
    read_pages,
    text_scale,
)
from dgmp.pixels.preparation import paper_of
from dgmp.records import Page, Region
from dgmp.sources import FileSource

AS_IT_IS = Preparation(canonical=None, binarization="none")
BLANK = np.full((100, 100), 255, np.uint8)


def image(height, width, **where):
    pixels = np.arange(height * width, dtype=np.int64).reshape(height, width) % 251
    page = Page("page.png", FileSource(Path("page.png")))
    return PageImage(page, pixels.astype(np.uint8), **where)


@pytest.fixture
def page(make_page):
    known = {"regions": (Region.rectangle(100, 100, 600, 450),), "line_distance": 40}
    return make_page("a.png", written(900, 700, distance=50, letter=18), known=known)


def test_the_line_distance_of_the_page_decides_the_zoom(page):
    assert prepare_page(page).zoom == pytest.approx(76 / 40)


def test_a_line_distance_that_is_set_wins_over_that_of_the_page(page):
    assert prepare_page(page, Preparation(line_distance=38)).zoom == 2


def test_the_scale_can_be_switched_off(page):
    assert prepare_page(page, Preparation(canonical=None)).zoom == 1


def test_a_line_distance_that_nobody_knows_is_estimated(make_page):
    page = make_page("a.png", written(900, 700, distance=50, letter=18))
    assert prepare_page(page).line_distance == pytest.approx(50, rel=0.05)


def test_only_text_regions_are_used(page):
    prepared = prepare_page(page, AS_IT_IS)
    whole = read_image(page.source)
    assert prepared.offset == (100, 100)
    assert prepared.pixels.shape == (351, 501)
    np.testing.assert_array_equal(prepared.pixels[:350, :500], whole[100:450, 100:600])


def test_what_lies_between_regions_becomes_paper(make_page):
    regions = Region.rectangle(50, 50, 250, 650), Region.rectangle(600, 50, 800, 650)
    page = make_page("b.png", written(900, 700, distance=50, letter=18), known={"regions": regions})
    prepared = prepare_page(page, Preparation(canonical=None))
    assert np.all(prepared.pixels[:, 210:540] == 255)
    assert np.any(prepared.pixels[:, :200] == 0)


def test_where_regions_overlap_there_is_text(make_page):
    regions = Region.rectangle(50, 50, 500, 250), Region.rectangle(50, 50, 500, 250)
    page = make_page("b.png", written(600, 300), known={"regions": regions})
    whole = read_image(page.source)
    prepared = prepare_page(page, AS_IT_IS)
    np.testing.assert_array_equal(prepared.pixels[:200, :450], whole[50:250, 50:500])


def test_regions_outside_the_picture_are_an_error(make_page):
    page = make_page("a.png", known={"regions": (Region.rectangle(900, 900, 950, 950),)})
    with pytest.raises(ImageError, match=r"a\.png: no text: its text regions lie outside"):
        prepare_page(page)


def test_a_page_of_two_values_keeps_two_values_at_another_scale(make_page):
    pixels = np.where(written(900, 700, distance=50, letter=18) < 128, 0, 255).astype(np.uint8)
    prepared = prepare_page(make_page("a.png", pixels), Preparation(binarization="none"))
    assert prepared.zoom > 1.2
    assert set(np.unique(prepared.pixels)) == {0, 255}


@pytest.mark.parametrize(
    ("distance", "letter", "decoded"), [(310, 110, [2]), (100, 36, [2, 1])], ids=["large", "small"]
)
def test_a_large_jpeg_is_decoded_no_larger_than_its_writing_needs(
    make_page, monkeypatch, distance, letter, decoded
):
    page = make_page("big.jpg", written(3200, 2400, distance=distance, letter=letter), quality=90)
    seen = []

    def watched(source, frame, *, turn, reduce):
        seen.append(reduce)
        return read_image(source, frame, turn=turn, reduce=reduce)

    monkeypatch.setattr("dgmp.pixels.preparation.read_image", watched)
    prepared = prepare_page(page)
    zoom = 76 / distance
    assert seen == decoded
    assert prepared.zoom == pytest.approx(zoom, rel=0.05)
    assert prepared.pixels.shape == pytest.approx((2400 * zoom, 3200 * zoom), rel=0.05)


def test_the_error_of_a_blank_page_names_the_page(make_page):
    with pytest.raises(ImageError, match=r"^a\.png: no ink: the page is blank or all black"):
        prepare_page(make_page("a.png", BLANK))


def test_the_error_of_a_file_names_the_page(tmp_path):
    page = Page("book/7", FileSource(tmp_path / "gone.png"))
    with pytest.raises(ImageError, match=r"^book/7: missing: there is no such file"):
        prepare_page(page)


def test_the_error_of_a_huge_file_names_the_page(tmp_path):
    page = Page("book/7", FileSource(tmp_path / "gone.jpg"), size=(10_000, 10_000))
    with pytest.raises(ImageError, match=r"^book/7: missing: there is no such file"):
        prepare_page(page)


def test_the_grey_of_most_pixels_is_paper():
    assert paper_of(written(paper=201)) == 201


def test_rectangles_are_regions_of_the_scan():
    whole = image(100, 80, zoom=0.5, offset=(7.0, 9.0))
    (region,) = whole.on_scan(np.array([[10, 20, 30, 40]]), "patch", [0.5])
    assert region == Region.rectangle(27, 49, 67, 89, "patch", 0.5)


def test_rectangles_are_cut_off_at_the_border_of_the_scan():
    (region,) = image(100, 80, zoom=2.0).on_scan(np.array([[40, 60, 140, 160]]))
    assert region.bounds == (20, 30, 40, 50)


def test_a_last_pixel_that_reaches_over_the_scan_is_cut_off_as_well():
    page = Page("page.png", FileSource(Path("page.png")), size=(400, 420))
    enlarged = PageImage(page, np.zeros((437, 417), np.uint8), zoom=1.04)  # 400.96 × 420.19
    (region,) = enlarged.on_scan(np.array([[400, 430, 417, 437]]))
    assert region.bounds[2:] == (400, 420)


def test_the_centre_patch_is_cut_out_of_the_middle():
    whole = image(100, 81)
    np.testing.assert_array_equal(centre_patch(whole, 40).pixels, whole.pixels[30:70, 20:60])


def test_a_place_in_the_centre_patch_is_found_again_on_the_scan():
    whole = image(100, 80, zoom=0.5, offset=(7.0, 9.0))
    rectangle = np.array([[3, 4, 10, 12]])
    moved = rectangle + np.array([20, 30, 20, 30])
    assert centre_patch(whole, 40).on_scan(rectangle) == whole.on_scan(moved)


def test_a_smaller_page_is_padded_with_paper_to_the_right_and_below():
    page = Page("page.png", FileSource(Path("page.png")))
    whole = PageImage(page, np.full((30, 50), 200, np.uint8))
    whole.pixels[5, 5] = 0
    part = centre_patch(whole, 40).pixels
    assert part.shape == (40, 40)
    assert (part[30:] == 200).all()
    np.testing.assert_array_equal(part[:30], whole.pixels[:, 5:45])


def test_a_patch_of_nothing_is_refused():
    with pytest.raises(ValueError, match="side must be at least 1 pixel, got 0"):
        centre_patch(image(10, 10), 0)


@pytest.fixture
def pages(make_page):
    made = [make_page(f"{number}.png", written(200 + number, 150)) for number in range(3)]
    return [made[0], make_page("blank.png", BLANK), *made[1:]]


@pytest.mark.parametrize("engine", [None, Processes(2)], ids=["here", "processes"])
def test_many_pages_are_those_of_prepare_page_in_order(pages, engine):
    read = list(read_pages(pages, AS_IT_IS, engine))
    assert [found.page for found in read] == [pages[0], *pages[2:]]
    for found in read:
        np.testing.assert_array_equal(found.pixels, prepare_page(found.page, AS_IT_IS).pixels)


def test_pages_that_cannot_be_used_are_kept_with_their_reason(pages):
    reader = read_pages(pages, AS_IT_IS)
    list(reader)
    assert reader.failures == [("blank.png", "no ink: the page is blank or all black")]


def test_a_second_reading_counts_failures_anew(pages):
    reader = read_pages(pages, AS_IT_IS)
    list(reader)
    list(reader)
    assert len(reader.failures) == 1


def shape(prepared):
    return prepared.pixels.shape


def test_a_function_of_pixels_is_called_with_what_was_read(pages):
    on_pixels = OnPixels(shape, partial(prepare_page, preparation=AS_IT_IS))
    assert on_pixels(pages[2]) == (150, 201)


def test_a_function_of_pixels_can_be_given_the_middle_only(pages):
    on_pixels = OnPixels(shape, partial(prepare_page, preparation=AS_IT_IS), crop=64)
    assert on_pixels(pages[2]) == (64, 64)


def test_a_function_of_pixels_can_be_pickled(pages):
    on_pixels = OnPixels(shape, partial(prepare_page, preparation=AS_IT_IS), crop=64)
    assert pickle.loads(pickle.dumps(on_pixels))(pages[0]) == (64, 64)


def test_a_function_of_pixels_goes_through_pages_with_errors_in_their_place(pages):
    on_pixels = OnPixels(shape, partial(prepare_page, preparation=AS_IT_IS))
    results = [result for _, result in map_pages(pages, on_pixels)]
    assert isinstance(results[1], ImageError)
    assert [results[0], *results[2:]] == [(150, 200), (150, 201), (150, 202)]


def saved(tmp_path, pixels, name="page.png", **more):
    cv2.imwrite(str(tmp_path / name), pixels)
    height, width = pixels.shape
    return Page(name, FileSource(tmp_path / name), size=(width, height), **more)


def test_a_distance_that_is_given_takes_the_place_of_the_estimate(tmp_path):
    page = saved(tmp_path, written(700, 600, distance=40))
    assert prepare_page(page, distance=38).zoom == 2
    assert page_reader(Preparation(), {page.id: 38.0})(page).zoom == 2
    assert prepare_page(page).line_distance == pytest.approx(40, rel=0.05)


def test_layout_files_and_preparations_win_over_a_distance_that_is_given(tmp_path):
    page = saved(tmp_path, written(700, 600, distance=40), line_distance=30.0)
    assert prepare_page(page, distance=50).line_distance == 30
    assert prepare_page(page, Preparation(line_distance=20), 50).line_distance == 20


def test_a_page_is_measured_only_where_nothing_else_gives_its_scale(tmp_path):
    page = Page("page.png", FileSource(tmp_path / "page.png"))
    assert needs_measuring(page, Preparation())
    assert not needs_measuring(page, Preparation(canonical=None))
    assert not needs_measuring(page, Preparation(line_distance=40))
    assert not needs_measuring(replace(page, line_distance=40), Preparation())


@pytest.mark.parametrize("distance", [40, 100])
def test_a_large_jpeg_is_measured_the_same_though_decoded_smaller(tmp_path, distance):
    pixels = written(2600, 3400, distance=distance, letter=distance // 3)
    page = saved(tmp_path, pixels, "page.jpg", dpi=300.0)
    found = measure_page(page)
    assert found.distance == pytest.approx(text_scale(pixels), rel=0.02)
    assert (found.dpi, found.folder, found.size) == (300, "", (2600, 3400))


def test_a_blank_page_cannot_be_measured(tmp_path):
    with pytest.raises(ImageError, match="no ink"):
        measure_page(saved(tmp_path, BLANK))
