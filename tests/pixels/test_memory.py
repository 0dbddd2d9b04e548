"""What a page may take of memory: as much as it needs, a gigabyte and a half at most."""

import subprocess
import sys

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.errors import ImageError
from dgmp.pixels import images, pictures_in, preparation, prepare_page, read_image
from dgmp.pixels.images import read_colour
from dgmp.records import Page
from dgmp.sources import FileSource

MEASURE = """
import re, sys
from pathlib import Path
from dgmp.describers import load_describer, page_and_halves
from dgmp.pixels import find_writing, pictures_in, prepare_page
from dgmp.records import Page
from dgmp.sources import open_source
source = open_source(sys.argv[1])
page = Page("page", source, size=pictures_in(source)[0].size)
find_writing(page)
page_and_halves(load_describer("default"), prepare_page(page))
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def test_a_page_of_400_million_pixels_takes_less_than_a_gigabyte_and_a_half(tmp_path):
    text = Image.fromarray(written(seed=1)).convert("1")
    text = text.resize((8 * text.width, 8 * text.height))
    page = Image.new("1", (20_000, 20_000), 1)
    page.paste(text, (2000, 2000))
    page.save(tmp_path / "page.png", compress_level=1)
    measured = [sys.executable, "-c", MEASURE, str(tmp_path / "page.png")]
    found = subprocess.run(measured, capture_output=True, text=True, check=True)
    assert int(found.stdout) < 1_500_000  # kB


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "CMYK", "I;16", "P"])
@pytest.mark.parametrize("reduce", [2, 8])
def test_averaging_in_bands_is_averaging_the_whole(tmp_path, mode, reduce, monkeypatch):
    monkeypatch.setattr("dgmp.pixels.pixel_types._BAND", 16)
    grey = np.random.default_rng(0).integers(0, 256, (67, 45), np.uint8)
    if mode == "I;16":
        Image.fromarray(grey.astype(np.uint16) * 257).save(tmp_path / "a.tif")
    else:
        Image.fromarray(grey).convert(mode).save(tmp_path / "a.tif")
    source = FileSource(tmp_path / "a.tif")
    whole = Image.fromarray(read_image(source)).reduce(reduce)
    assert np.abs(np.asarray(whole, int) - read_image(source, reduce=reduce)).max() <= 1
    assert read_colour(source, reduce=reduce).shape[:2] == whole.size[::-1]


def test_a_picture_is_refused_by_what_its_decoder_would_take(tmp_path, monkeypatch):
    Image.new("RGB", (100, 100)).save(tmp_path / "a.png")
    monkeypatch.setattr(images, "MOST_BYTES", 30_000)
    with pytest.raises(ImageError, match="too large: 100×100 pixels of RGB"):
        read_image(FileSource(tmp_path / "a.png"))


def test_a_page_is_refused_by_the_size_that_its_writing_is_described_at(tmp_path, monkeypatch):
    Image.fromarray(written(seed=1)).save(tmp_path / "a.png")
    source = FileSource(tmp_path / "a.png")
    page = Page("a", source, size=pictures_in(source)[0].size, line_distance=20)
    monkeypatch.setattr(preparation, "LARGEST", 1_000_000)
    with pytest.raises(ImageError, match="million pixels at the size its writing"):
        prepare_page(page)
