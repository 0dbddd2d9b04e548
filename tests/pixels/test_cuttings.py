"""Cut-outs of scans: what they show, how large they are, what is refused."""

import io

import numpy as np
import pytest
from PIL import Image

from dgmp.errors import ImageError
from dgmp.pixels import cut_out, cut_outs
from dgmp.records import Page, Region
from dgmp.sources import FileSource

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


def shown(jpeg):
    return np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB")).astype(int)


def is_red(pixels):
    return bool((np.abs(pixels - (220, 20, 20)).max(axis=-1) < 40).all())


def test_a_region_is_shown_in_its_colours_at_the_height_that_is_asked_for(page):
    found = shown(cut_out(page(), RED, height=64, margin=0))
    assert found.shape == (64, 64, 3)
    assert is_red(found)


def test_the_margin_is_a_share_of_the_longer_side(page):
    found = shown(cut_out(page(), RED, height=80, margin=0.5))
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
    assert is_red(shown(cut_out(page(**how), RED, height=40, margin=0))[4:-4, 4:-4])


@pytest.mark.parametrize("name", ["page.jpg", "page.png"])
def test_a_reduced_picture_shows_the_same(page, name):
    found = shown(cut_out(page(name), RED, height=10, margin=0))
    assert found.shape == (10, 10, 3)
    assert is_red(found[2:-2, 2:-2])


def test_several_regions_come_in_their_order(page):
    grey = Region.rectangle(0, 0, 40, 40)
    found = [shown(jpeg) for jpeg in cut_outs(page(), [grey, RED], height=40, margin=0)]
    assert [is_red(pixels) for pixels in found] == [False, True]


def test_no_regions_need_no_picture(tmp_path):
    assert cut_outs(Page("gone.png", FileSource(tmp_path / "gone.png")), []) == ()


def test_at_the_border_there_is_less(page):
    found = shown(cut_out(page(), Region.rectangle(280, 0, 320, 40), height=40, margin=0))
    assert found.shape == (40, 20, 3)


def test_a_sliver_does_not_become_a_huge_picture(page):
    found = shown(cut_out(page(), Region.rectangle(0, 10, 300, 11), height=1000, margin=0))
    assert found.shape[1] <= 2048


def test_a_region_outside_the_picture_is_refused(page):
    with pytest.raises(ImageError, match=r"page\.png: .*outside the picture"):
        cut_out(page(), Region.rectangle(400, 400, 500, 500))


def test_a_page_that_is_gone_is_named(tmp_path):
    with pytest.raises(ImageError, match=r"folder/gone: missing"):
        cut_out(Page("folder/gone", FileSource(tmp_path / "gone.png")), RED)
