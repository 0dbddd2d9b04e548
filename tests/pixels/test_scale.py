"""The same page at another size comes out at the same scale."""

import cv2
import numpy as np
import pytest
from drawing import written

from dgmp.corpora import open_corpus
from dgmp.errors import ImageError
from dgmp.pixels import measure_lines, read_image, text_scale, to_canonical
from dgmp.pixels.scale import LARGEST_ZOOM, ink_at, letter_height


@pytest.mark.parametrize("distance", [24, 40, 76, 130])
def test_the_line_distance_of_drawn_lines_is_found(distance):
    page = written(15 * distance, 10 * distance, distance=distance, letter=distance // 3)
    assert text_scale(page) == pytest.approx(distance, rel=0.05)


def test_fine_lines_of_a_large_page_are_found():
    page = written(6000, 4800, distance=50, letter=18)
    assert text_scale(page) == pytest.approx(50, rel=0.05)


def test_lines_may_slope():
    page = written(1100, 840, distance=76, letter=28)
    turned = cv2.warpAffine(
        page, cv2.getRotationMatrix2D((550, 420), 3, 1), (1100, 840), borderValue=230
    )
    assert text_scale(turned) == pytest.approx(76, rel=0.05)


def test_a_single_line_goes_by_its_ink():
    assert 0.4 < text_scale(written(900, 120, distance=76, letter=26)) / 76 < 2.5


def test_pages_of_the_hands_set_keep_their_scale_at_other_sizes(shared_data):
    good = []
    for page in open_corpus(shared_data / "hands").pages[::45]:
        pixels = read_image(page.source)
        here = text_scale(pixels)
        for factor in (0.5, 2, 3):
            way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
            other = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=way)
            _, zoom = to_canonical(other, text_scale(other))
            good.append(abs(zoom * factor * here / 76 - 1) < 0.1)
    assert np.mean(good) >= 0.9


def test_resampling_brings_lines_to_the_canonical_distance():
    page, zoom = to_canonical(written(600, 400, distance=38, letter=14), 38)
    assert zoom == 2
    assert text_scale(page) == pytest.approx(76, rel=0.05)


def test_a_page_that_is_nearly_right_is_left_alone():
    page = written()
    same, zoom = to_canonical(page, 77)
    assert same is page
    assert zoom == 1


def test_no_page_is_enlarged_beyond_the_limit():
    _, zoom = to_canonical(written(100, 80), 2)
    assert zoom == LARGEST_ZOOM


@pytest.mark.parametrize(("line_distance", "canonical"), [(0, 76), (50, -1)])
def test_line_distances_that_are_not_positive_are_refused(line_distance, canonical):
    with pytest.raises(ValueError, match="line distances must be positive"):
        to_canonical(written(), line_distance, canonical=canonical)


def test_paper_has_no_scale():
    with pytest.raises(ImageError, match="no ink"):
        text_scale(np.full((300, 400), 240, np.uint8))


def test_ink_is_1_on_strokes_at_the_size_that_is_wanted():
    ink = ink_at(written(400, 300), 0.5)
    assert ink.shape == (150, 200)
    assert set(np.unique(ink)) == {0, 1}


def test_letters_are_measured_and_dust_is_not():
    ink = np.zeros((100, 300), np.uint8)
    for left in range(10, 290, 40):
        ink[40:64, left : left + 20] = 1
    ink[::5, ::5][:4] = 1  # specks of one pixel
    assert letter_height(ink) == 24


def test_dust_alone_has_no_letter_height():
    ink = np.zeros((100, 100), np.uint8)
    ink[::10, ::10] = 1
    assert letter_height(ink) is None


def test_lines_that_repeat_are_surer_than_a_single_one():
    _, many = measure_lines(written(900, 900, distance=76, letter=26))
    _, single = measure_lines(written(900, 120, distance=76, letter=26))
    assert 0 <= single < many <= 1
