"""Uploaded pictures: what is taken, what is refused and with which status, and what is kept."""

import io
import struct
import zlib

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.pixels import read_image
from dgmp.web import uploads as uploads_file
from dgmp.web.uploads import KEPT, UploadRefused, Uploads


def encoded(pixels, kind="PNG", **options):
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, kind, **options)
    return target.getvalue()


def png_of(width, height):
    """A PNG of a few bytes that says it is as large as that."""

    def chunk(kind, content):
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + data + chunk(b"IEND", b"")


def tiff_of(frames, side):
    small = Image.new("1", (side, side), 1)
    target = io.BytesIO()
    small.save(
        target, "TIFF", save_all=True, append_images=[small] * (frames - 1), compression="group4"
    )
    return target.getvalue()


def kept(uploads, content):
    return uploads.keep(io.BytesIO(content))


@pytest.fixture
def uploads():
    return Uploads()


def test_a_turned_cut_out_is_that_part_of_the_turned_picture(uploads):
    pixels = np.full((60, 40), 255, np.uint8)
    pixels[:10, :10] = 0  # top left, after a turn clockwise top right
    name = kept(uploads, encoded(pixels))
    for box, turn, grey in (((0, 0, 8, 8), 0, 0), ((0, 0, 8, 8), 1, 255), ((51, 0, 8, 8), 1, 0)):
        cut = Image.open(io.BytesIO(uploads.cut_out(name, box, 88, turn)))
        assert cut.size == (8, 8)
        assert np.abs(np.asarray(cut.convert("L"), int) - grey).max() < 30


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
def test_a_picture_is_a_page_that_can_be_read(uploads, kind):
    pixels = written(180, 130)
    page = uploads.page(kept(uploads, encoded(pixels, kind)))
    assert page.size == (pixels.shape[1], pixels.shape[0])
    assert np.abs(read_image(page.source).astype(int) - pixels).mean() < 12


def test_a_picture_is_shown_as_a_small_jpeg(uploads):
    name = kept(uploads, encoded(np.full((3000, 2000, 3), (250, 240, 200), np.uint8)))
    shown = Image.open(io.BytesIO(uploads.picture(name)))
    assert shown.format == "JPEG"
    assert shown.size[0] <= 1000
    assert shown.size[1] <= 1400
    assert np.abs(np.asarray(shown)[5, 5].astype(int) - (250, 240, 200)).max() < 6


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"not a picture", 415),
        (b"%PDF-1.7", 415),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 415),
        (b"PK\x03\x04 a zip", 415),
        (png_of(50_000, 50_000), 413),
        (png_of(10_001, 10_000), 413),
        (png_of(4, 4), 400),
        (tiff_of(70, 64), 413),
        (tiff_of(20, 2300), 413),
        (encoded(written(180, 130))[:40], 400),
        (b"\xff\xd8\xff\xe0" + b"\0" * 50, 400),
    ],
    ids=["nothing", "text", "pdf", "svg", "zip", "bomb", "just too large", "tiny", "many frames",
         "frames of many pixels", "cut off", "broken"],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_one_sentence(uploads, content, status):
    with pytest.raises(UploadRefused) as caught:
        kept(uploads, content)
    assert caught.value.status == status
    assert "\n" not in str(caught.value)


def test_a_picture_whose_pixels_are_broken_is_refused_when_it_is_shown(uploads):
    name = kept(uploads, png_of(300, 300))
    with pytest.raises(UploadRefused, match="cannot be shown"):
        uploads.picture(name)


def test_more_bytes_than_the_limit_are_not_read(uploads, monkeypatch):
    monkeypatch.setattr(uploads_file, "MOST_BYTES", 1000)
    file = io.BytesIO(b"x" * 5000)
    with pytest.raises(UploadRefused) as caught:
        uploads.keep(file)
    assert caught.value.status == 413
    assert file.tell() <= 1001


def test_only_the_newest_are_kept(uploads):
    names = [kept(uploads, encoded(written(180, 130, seed=i))) for i in range(KEPT + 1)]
    assert all(uploads.page(name) for name in names[1:])
    with pytest.raises(UploadRefused, match="no longer kept"):
        uploads.page(names[0])


def test_no_more_bytes_are_kept_than_the_bound(uploads, monkeypatch):
    content = encoded(written(180, 130))
    monkeypatch.setattr(uploads_file, "KEPT_BYTES", 2 * len(content) + 10)
    names = [kept(uploads, content) for _ in range(3)]
    assert uploads.page(names[1])
    with pytest.raises(UploadRefused, match="no longer kept"):
        uploads.page(names[0])


def test_they_are_forgotten_after_a_while(uploads, monkeypatch):
    name = kept(uploads, encoded(written(180, 130)))
    monkeypatch.setattr(uploads_file, "SECONDS", -1.0)
    with pytest.raises(UploadRefused) as caught:
        uploads.page(name)
    assert caught.value.status == 404


def test_nobody_guesses_the_name_of_another(uploads):
    first, second = (kept(uploads, encoded(written(180, 130))) for _ in range(2))
    assert first != second
    assert len(first) >= 20
