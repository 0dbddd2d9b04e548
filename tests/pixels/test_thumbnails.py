"""Small pictures of pages show the writing."""

import io
from pathlib import Path

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.pixels import THUMBNAIL, PageImage, thumbnail
from dgmp.records import Page
from dgmp.sources import FileSource


def shown(pixels):
    page = Page("a.png", FileSource(Path("a.png")))
    return Image.open(io.BytesIO(thumbnail(PageImage(page, pixels))))


def test_a_thumbnail_is_a_small_grey_jpeg():
    small = shown(written(1300, 900))
    assert (small.format, small.mode, small.size) == ("JPEG", "L", THUMBNAIL)


def test_a_page_smaller_than_a_thumbnail_is_not_enlarged():
    assert shown(written(100, 80)).size == (100, 80)


@pytest.mark.parametrize("size", [(3000, 20), (20, 3000)])
def test_a_strip_fits_into_a_thumbnail(size):
    small = shown(written(*size, distance=10, letter=4)).size
    assert small[0] <= THUMBNAIL[0]
    assert small[1] <= THUMBNAIL[1]


def test_the_part_with_the_most_writing_is_shown():
    page = np.full((2000, 3000), 230, np.uint8)
    page[1400:1800, 2200:2700] = written(500, 400)
    assert np.asarray(shown(page)).std() > 0.8 * np.asarray(shown(written(500, 400))).std()
