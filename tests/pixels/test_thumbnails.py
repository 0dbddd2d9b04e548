"""Small pictures of pages show the writing; cut-outs what they are of, in its colours."""

import io
from pathlib import Path

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.errors import ImageError
from dgmp.pixels import THUMBNAIL, PageImage, cut_out, cut_outs, thumbnail
from dgmp.records import Page, Region
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


RED = Region.rectangle(100, 40, 140, 80)


@pytest.fixture
def page(tmp_path):
    """A grey picture with a red square, stored in any format and way to lie."""

    def save(name="page.png", *, turns=0, orientation=None, turn=0):
        pixels = np.full((200, 300, 3), 128, np.uint8)
        pixels[40:80, 100:140] = (220, 20, 20)
        image = Image.fromarray(np.ascontiguousarray(np.rot90(pixels, turns)))
        exif = image.getexif()
        if orientation is not None:
            exif[0x0112] = orientation
        image.save(tmp_path / name, exif=exif, **({"quality": 95} if name[-3:] == "jpg" else {}))
        return Page(name, FileSource(tmp_path / name), turn=turn)

    return save


def colours_of(jpeg):
    return np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB")).astype(int)


def is_red(pixels):
    return bool((np.abs(pixels - (220, 20, 20)).max(axis=-1) < 40).all())


def test_a_region_is_shown_in_its_colours_at_the_height_that_is_asked_for(page):
    found = colours_of(cut_out(page(), RED, height=64, margin=0))
    assert found.shape == (64, 64, 3)
    assert is_red(found)


def test_the_margin_is_a_share_of_the_longer_side(page):
    found = colours_of(cut_out(page(), RED, height=80, margin=0.5))
    assert found.shape == (80, 80, 3)
    assert is_red(found[24:56, 24:56])
    assert not is_red(found[:8, :8])


@pytest.mark.parametrize(
    "how",
    [
        {"turns": 1, "turn": 1},
        {"turns": 3, "turn": 3},
        {"name": "exif.jpg", "turns": 1, "orientation": 6},
        {"name": "both.jpg", "turns": 2, "orientation": 6, "turn": 1},
    ],
    ids=["a turn", "three turns", "by EXIF", "by EXIF and a turn"],
)
def test_a_region_is_one_of_the_picture_as_displayed(page, how):
    assert is_red(colours_of(cut_out(page(**how), RED, height=40, margin=0))[4:-4, 4:-4])


@pytest.mark.parametrize("name", ["page.jpg", "page.png"])
def test_a_reduced_picture_shows_the_same(page, name):
    found = colours_of(cut_out(page(name), RED, height=10, margin=0))
    assert found.shape == (10, 10, 3)
    assert is_red(found[2:-2, 2:-2])


def test_several_regions_come_in_their_order(page):
    grey = Region.rectangle(0, 0, 40, 40)
    found = [colours_of(jpeg) for jpeg in cut_outs(page(), [grey, RED], height=40, margin=0)]
    assert [is_red(pixels) for pixels in found] == [False, True]


def test_no_regions_need_no_picture(tmp_path):
    assert cut_outs(Page("gone.png", FileSource(tmp_path / "gone.png")), []) == ()


def test_at_the_border_there_is_less(page):
    found = colours_of(cut_out(page(), Region.rectangle(280, 0, 320, 40), height=40, margin=0))
    assert found.shape == (40, 20, 3)


def test_a_sliver_does_not_become_a_huge_picture(page):
    found = colours_of(cut_out(page(), Region.rectangle(0, 10, 300, 11), height=1000, margin=0))
    assert found.shape[1] <= 2048


def test_a_region_outside_the_picture_is_refused(page):
    with pytest.raises(ImageError, match=r"page\.png: .*outside the picture"):
        cut_out(page(), Region.rectangle(400, 400, 500, 500))


def test_a_page_that_is_gone_is_named(tmp_path):
    with pytest.raises(ImageError, match=r"folder/gone: missing"):
        cut_out(Page("folder/gone", FileSource(tmp_path / "gone.png")), RED)
