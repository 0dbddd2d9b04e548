"""Colours: kept where a picture has them, turned and reduced like grey."""

import numpy as np
import pytest
from PIL import Image

from dgmp.pixels import read_colour, read_image
from dgmp.sources import FileSource

CORNERS = np.zeros((40, 60, 3), np.uint8) + 250
CORNERS[:20, :30] = (200, 30, 20)  # red at the top left
CORNERS[20:, 30:] = (20, 40, 210)  # blue at the bottom right


@pytest.fixture
def stored(tmp_path):
    def save(image, name="page.png", **options):
        image.save(tmp_path / name, **options)
        return FileSource(tmp_path / name)

    return save


@pytest.mark.parametrize("name", ["page.png", "page.tif", "page.bmp"])
def test_colours_are_those_of_the_file(stored, name):
    found = read_colour(stored(Image.fromarray(CORNERS), name))
    np.testing.assert_array_equal(found, CORNERS)


@pytest.mark.parametrize("mode", ["P", "RGBA", "CMYK"])
def test_other_pixel_types_come_as_red_green_and_blue(stored, mode):
    name = "page.tif" if mode == "CMYK" else "page.png"
    found = read_colour(stored(Image.fromarray(CORNERS).convert(mode), name))
    assert np.abs(found.astype(int) - CORNERS).max() <= 50  # a palette has few colours


@pytest.mark.parametrize("mode", ["1", "L", "LA", "I;16"])
def test_a_picture_without_colour_is_grey_as_elsewhere(stored, mode):
    grey = Image.fromarray(CORNERS).convert("L")
    source = stored(grey.convert(mode) if mode != "I;16" else grey.convert("I").convert(mode))
    np.testing.assert_array_equal(read_colour(source), read_image(source))


def test_what_is_transparent_is_white(stored):
    clear = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    assert (read_colour(stored(clear)) == 255).all()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_turns_colours_as_it_turns_grey(stored, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    source = stored(Image.fromarray(CORNERS), exif=exif)
    colours, grey = read_colour(source), read_image(source)
    assert colours.shape == (*grey.shape, 3)
    assert np.abs(np.asarray(Image.fromarray(colours).convert("L")) - grey.astype(int)).max() <= 1


def test_a_quarter_turn_sets_the_picture_upright(stored):
    lying = stored(Image.fromarray(np.rot90(CORNERS)))
    np.testing.assert_array_equal(read_colour(lying, turn=1), CORNERS)


@pytest.mark.parametrize("name", ["page.png", "page.jpg"])
@pytest.mark.parametrize("reduce", [2, 4])
def test_a_reduced_picture_has_the_same_colours(stored, name, reduce):
    large = Image.fromarray(CORNERS).resize((480, 320), Image.Resampling.NEAREST)
    found = read_colour(stored(large, name), reduce=reduce)
    assert found.shape == (320 // reduce, 480 // reduce, 3)
    middle = found[20 // reduce, 20 // reduce].astype(int)
    assert np.abs(middle - (200, 30, 20)).max() < 12
