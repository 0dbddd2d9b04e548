"""Pictures as archives have them."""

import io
import threading

import numpy as np
import pytest
from drawing import written
from numpy.testing import assert_array_equal
from PIL import Image

from dgmp.errors import ImageError
from dgmp.pixels import pictures_in, read_image
from dgmp.sources import FileSource

INK = np.where(written() < 128, 0, 255).astype(np.uint8)
FORMATS = {
    "png": ("a.png", lambda i: i, {}),
    "one bit, group 4": ("a.tif", lambda i: i.convert("1"), {"compression": "group4"}),
    "one bit png": ("a.png", lambda i: i.convert("1"), {}),
    "palette": ("a.png", lambda i: i.convert("P"), {}),
    "cmyk": ("a.tif", lambda i: i.convert("CMYK"), {}),
    "colour, lzw": ("a.tif", lambda i: i.convert("RGB"), {"compression": "tiff_lzw"}),
    "white is zero": ("a.tif", lambda i: i, {"tiffinfo": {262: 0}}),
    "jpeg 2000": ("a.jp2", lambda i: i, {}),
    "webp": ("a.webp", lambda i: i.convert("RGB"), {"lossless": True}),
    "bmp": ("a.bmp", lambda i: i, {}),
    "16 bit tiff": ("a.tif", lambda i: Image.fromarray(np.asarray(i).astype(np.uint16) * 257), {}),
    "16 bit png": ("a.png", lambda i: Image.fromarray(np.asarray(i).astype(np.uint16) * 257), {}),
    "12 bit": ("a.tif", lambda i: Image.fromarray(np.asarray(i).astype(np.uint16) * 16), {}),
    "float": ("a.tif", lambda i: Image.fromarray((np.asarray(i) / 255).astype(np.float32)), {}),
    "alpha over white": ("a.png", lambda i: Image.merge(
        "RGBA", [Image.new("L", i.size)] * 3 + [Image.fromarray(255 - np.asarray(i))]), {}),
    "grey with alpha": ("a.png", lambda i: Image.merge(
        "LA", [Image.new("L", i.size), Image.fromarray(255 - np.asarray(i))]), {}),
    "tiled": ("a.tif", lambda i: i, {"tiled": True}),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_page(kind, tmp_path):
    name, change, options = FORMATS[kind]
    path = tmp_path / name
    if options.pop("tiled", False):
        write_tiled(path, INK)
    else:
        change(Image.fromarray(INK)).save(path, **options)
    read = read_image(FileSource(path))
    assert read.dtype == np.uint8
    assert_array_equal(np.abs(read.astype(int) - INK) <= 16, True)
    (picture,) = pictures_in(FileSource(path))
    assert picture.size == (INK.shape[1], INK.shape[0])


def write_tiled(path, pixels, side=128):
    """A plain tiled TIFF, which Pillow reads and does not write."""
    import struct

    height, width = pixels.shape
    down, across = -(-height // side), -(-width // side)
    padded = np.pad(pixels, ((0, down * side - height), (0, across * side - width)))
    tiles = padded.reshape(down, side, across, side).swapaxes(1, 2).reshape(-1, side * side)
    number = len(tiles)
    entries = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1)]
    entries += [(262, 3, 1), (277, 3, 1), (322, 3, side), (323, 3, side)]
    lists = 8 + 2 + 12 * (len(entries) + 2) + 4
    data = lists + 8 * number
    directory = struct.pack("<2sHIH", b"II", 42, 8, len(entries) + 2)
    for tag, kind, value in entries:
        directory += struct.pack("<HHII", tag, kind, 1, value)
    directory += struct.pack("<HHII", 324, 4, number, lists)
    directory += struct.pack("<HHII", 325, 4, number, lists + 4 * number) + bytes(4)
    offsets = struct.pack(f"<{number}I", *(data + i * side * side for i in range(number)))
    counts = struct.pack(f"<{number}I", *([side * side] * number))
    path.write_bytes(directory + offsets + counts + tiles.tobytes())


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.tif", "lzw.tif"])
def test_rotation_in_the_header_is_applied(name, orientation, tmp_path):
    exif = Image.Exif()
    exif[0x0112] = orientation
    extra = {"tiffinfo": {274: orientation}} if name.endswith("tif") else {"exif": exif}
    more = {"a.jpg": {"quality": 95}, "lzw.tif": {"compression": "tiff_lzw"}}.get(name, {})
    stored = Image.fromarray(INK)
    stored.save(tmp_path / name, **extra, **more)
    ways = [None, 0, 3, 1, 5, 4, 6, 2]  # Pillow's transpositions, by orientation
    way = ways[orientation - 1]
    shown = np.asarray(stored if way is None else stored.transpose(Image.Transpose(way)))
    read = read_image(FileSource(tmp_path / name))
    assert pictures_in(FileSource(tmp_path / name))[0].size == (shown.shape[1], shown.shape[0])
    assert np.mean((read < 128) == (shown < 128)) > 0.99


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.jp2"])
@pytest.mark.parametrize("reduce", [2, 4])
def test_a_page_can_be_read_smaller(name, reduce, tmp_path):
    Image.fromarray(INK).save(tmp_path / name)
    assert read_image(FileSource(tmp_path / name), reduce=reduce).shape == (
        300 // reduce,
        420 // reduce,
    )


@pytest.mark.parametrize("reduce", [2, 4, 8])
def test_a_jpeg_of_any_size_is_read_smaller_by_what_was_asked(reduce, tmp_path):
    Image.fromarray(INK).resize((421, 303)).save(tmp_path / "a.jpg")
    height, width = read_image(FileSource(tmp_path / "a.jpg"), reduce=reduce).shape
    assert (height, width) == (-(-303 // reduce), -(-421 // reduce))


def test_pillows_own_guard_is_left_as_it_was(tmp_path):
    before = Image.MAX_IMAGE_PIXELS
    Image.fromarray(INK).save(tmp_path / "a.png")
    source = FileSource(tmp_path / "a.png")
    threads = [threading.Thread(target=read_image, args=(source,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert before == Image.MAX_IMAGE_PIXELS


def test_a_page_beyond_pillows_guard_is_read(tmp_path):
    Image.new("1", (16_000, 12_000), 1).save(tmp_path / "a.tif", compression="group4")
    assert read_image(FileSource(tmp_path / "a.tif")).shape == (12_000, 16_000)


@pytest.fixture
def book(tmp_path):
    """A TIFF of two pages and a thumbnail."""
    frames = [Image.fromarray(written(seed=seed)) for seed in range(3)]
    frames[2].encoderinfo = {"tiffinfo": {254: 1}}
    frames[0].save(tmp_path / "book.tif", save_all=True, append_images=frames[1:])
    return FileSource(tmp_path / "book.tif")


def test_every_picture_of_a_tiff_is_found_but_not_its_thumbnail(book):
    assert [picture.frame for picture in pictures_in(book)] == [0, 1]


def test_a_tiff_of_more_pictures_than_allowed_is_refused(book):
    assert len(pictures_in(book, most=3)) == 2
    with pytest.raises(ImageError, match="too large: more than 2 pictures in the file"):
        pictures_in(book, most=2)


@pytest.mark.parametrize("frame", [0, 1])
def test_every_picture_of_a_tiff_can_be_read(book, frame):
    assert_array_equal(read_image(book, frame), written(seed=frame))


def test_a_frame_that_is_not_there_is_named(book):
    with pytest.raises(ImageError, match="has no frame 7"):
        read_image(book, 7)


def test_a_fraction_that_no_decoder_knows_is_refused(book):
    with pytest.raises(ValueError, match="reduce must be 1, 2, 4 or 8, got 3"):
        read_image(book, reduce=3)


@pytest.mark.parametrize("read", [read_image, pictures_in])
def test_an_error_names_the_address_of_the_source(read, tmp_path):
    with pytest.raises(ImageError) as error:
        read(FileSource(tmp_path / "gone.png"))
    assert error.value.file == str(tmp_path / "gone.png")
    assert error.value.reason == "missing: there is no such file"


class InMemory:
    """A source that is no file."""

    address = "memory://page"

    def __init__(self, content):
        self.content = content

    def open(self):
        return io.BytesIO(self.content)


def test_a_picture_need_not_be_a_file():
    encoded = io.BytesIO()
    Image.fromarray(INK).save(encoded, "PNG")
    assert_array_equal(read_image(InMemory(encoded.getvalue())), INK)


@pytest.mark.parametrize("ending", ["jpg", "png", "tif"])
@pytest.mark.parametrize(("tag", "dpi"), [(300, 300), (72, None), (96, None), (1, None)])
def test_a_believable_resolution_tag_is_read(tmp_path, ending, tag, dpi):
    path = tmp_path / f"page.{ending}"
    Image.new("L", (40, 30), 200).save(path, dpi=(tag, tag))
    (picture,) = pictures_in(FileSource(path))
    assert picture.dpi == (None if dpi is None else pytest.approx(dpi, rel=0.001))


def test_a_tag_that_differs_across_and_down_is_not_believed(tmp_path):
    Image.new("L", (40, 30), 200).save(tmp_path / "page.png", dpi=(300, 150))
    (picture,) = pictures_in(FileSource(tmp_path / "page.png"))
    assert picture.dpi is None


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_quarter_turns_are_clockwise(turn, tmp_path):
    Image.fromarray(INK).save(tmp_path / "a.png")
    turned = read_image(FileSource(tmp_path / "a.png"), turn=turn)
    assert_array_equal(turned, np.asarray(Image.fromarray(INK).rotate(-90 * turn, expand=True)))
