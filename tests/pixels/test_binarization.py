"""Binarisation agrees with the libraries and leaves two-valued pages alone."""

import numpy as np
import pytest
from drawing import written
from numpy.testing import assert_array_equal

from dgmp.errors import UnknownName
from dgmp.pixels import binarize, has_ink, ink_middle, ink_share


def shaded():
    page = written(700, 1200, distance=60, letter=22).astype(float)
    light = np.linspace(0.5, 1, 700) * np.linspace(1, 0.8, 1200)[:, None]
    noise = np.random.default_rng(0).normal(0, 4, page.shape)
    return (page * light + noise).clip(0, 255).astype(np.uint8)


def test_sauvola_is_that_of_scikit_image():
    from skimage.filters import threshold_sauvola

    page = shaded()
    theirs = np.where(page > threshold_sauvola(page, 51, k=0.2), 255, 0)
    assert np.mean(binarize(page, "sauvola") != theirs) < 1e-5
    assert_array_equal(binarize(page), binarize(page, "sauvola"))


def test_sauvola_does_not_depend_on_bands(monkeypatch):
    page = shaded()
    whole = binarize(page)
    monkeypatch.setattr("dgmp.pixels.binarization._BAND", 100)
    assert_array_equal(binarize(page), whole)


def test_otsu_is_that_of_scikit_image():
    from skimage.filters import threshold_otsu

    page = shaded()
    assert_array_equal(binarize(page, "otsu"), np.where(page > threshold_otsu(page), 255, 0))


@pytest.mark.parametrize(("ink", "paper"), [(0, 255), (0, 1), (30, 200), (0, 254)])
def test_auto_leaves_two_values_apart(ink, paper):
    marks = written() < 128
    page = np.where(marks, ink, paper).astype(np.uint8)
    assert_array_equal(binarize(page), np.where(marks, 0, 255))


def test_none_gives_the_page_back():
    page = shaded()
    assert binarize(page, "none") is page


def test_an_unknown_binarization_is_named_with_those_there_are():
    with pytest.raises(UnknownName, match="'niblack'; choose from auto, otsu, sauvola, none"):
        binarize(written(), "niblack")


@pytest.mark.parametrize("window", [1, 50])
def test_the_neighbourhood_of_sauvola_has_a_middle(window):
    with pytest.raises(ValueError, match=f"window must be odd and at least 3, got {window}"):
        binarize(shaded(), "sauvola", window=window)


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_page_of_one_grey_has_no_ink(value):
    assert not has_ink(np.full((300, 400), value, np.uint8))


def test_a_word_is_ink():
    page = np.full((840, 1100), 230, np.uint8)
    page[400:440, 500:640] = written(140, 40, distance=30, letter=14)
    assert has_ink(page)


def test_the_share_of_ink_is_that_of_dark_pixels():
    page = np.full((100, 200), 255, np.uint8)
    page[10:20, :50] = 0
    assert ink_share(page) == 500 / 20000


def test_the_share_of_ink_of_a_grey_page_is_that_of_its_binarization():
    page = shaded()
    assert ink_share(page) == np.mean(binarize(page) == 0)


def test_the_upper_half_of_the_writing_has_half_of_the_ink():
    page = np.full((100, 200), 255, np.uint8)
    page[10:20, :50] = 0
    page[60:70, :50] = 0
    page[70:80, :100] = 0
    assert ink_middle(page) == 70


@pytest.mark.parametrize("rows", [1, 2, 41, 100])
def test_the_middle_of_an_even_page_is_its_middle_row(rows):
    for grey in (0, 200, 255):
        page = np.full((rows, 20), grey, np.uint8)
        assert ink_middle(page) == len(np.array_split(page, 2)[0])


def test_both_halves_of_the_writing_have_rows():
    page = np.full((50, 20), 255, np.uint8)
    page[-1] = 0
    assert ink_middle(page) == 49
