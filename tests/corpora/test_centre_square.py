"""The square in the middle of a page, and where it lies on the scan."""

import numpy as np
import pytest

from dgmp.corpora import PageImage, centre_square
from dgmp.records import Page


def image(height, width, **where):
    pixels = np.arange(height * width, dtype=np.int64).reshape(height, width) % 251
    return PageImage(Page("page.png", None), pixels.astype(np.uint8), **where)


def test_it_is_cut_out_of_the_middle():
    whole = image(100, 81)
    np.testing.assert_array_equal(centre_square(whole, 40).pixels, whole.pixels[30:70, 20:60])


def test_it_is_found_again_on_the_scan():
    whole = image(100, 80, zoom=0.5, offset=(7.0, 9.0))
    part = centre_square(whole, 40)
    box = np.array([[3, 4, 10, 12]])
    np.testing.assert_allclose(part.to_scan(box), whole.to_scan(box + np.array([20, 30, 20, 30])))


def test_a_smaller_page_is_padded_with_paper_to_the_right_and_below():
    whole = PageImage(Page("page.png", None), np.full((30, 50), 200, np.uint8))
    whole.pixels[5, 5] = 0
    part = centre_square(whole, 40).pixels
    assert part.shape == (40, 40)
    assert (part[30:] == 200).all()
    np.testing.assert_array_equal(part[:30], whole.pixels[:, 5:45])


def test_a_square_of_nothing_is_refused():
    with pytest.raises(ValueError, match="side must be at least 1 pixel, got 0"):
        centre_square(image(10, 10), 0)
