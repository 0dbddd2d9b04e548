"""Pages of PDF documents: the picture that a page is, or a drawing of it."""

import io
import pickle
import re
import struct
from contextlib import closing

import numpy as np
import pypdfium2
import pytest
from drawing import written
from PIL import Image

from dgmp.errors import ImageError
from dgmp.pixels import pictures_in, read_image
from dgmp.sources import PdfPage, open_source, pdf, sources_at

PIXELS = written(630, 450)


def saved(path, *pictures, **options):
    first, *others = [each if isinstance(each, Image.Image) else Image.fromarray(each)
                      for each in pictures]  # fmt: skip
    first.save(path, save_all=True, append_images=others, resolution=150, **options)
    return path


def changed(path, change):
    """The document after ``change(document)``."""
    with closing(pypdfium2.PdfDocument(path.read_bytes())) as document:
        change(document)
        document.save(path)
    return path


def turn(document):
    document[0].set_rotation(90)


def blank_page(document):
    document.new_page(595, 842)  # A4


def written_pdf(body, size=(595, 842), more=b""):
    """A document of one page with that content, by hand."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents 4 0 R "
        b"/Resources << /XObject << /I 5 0 R >> >> >>" % size,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(body), body),
        *([more] if more else []),
    ]
    text = b"%PDF-1.7\n"
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    start = len(text)
    text += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    text += b"".join(b"%010d 00000 n \n" % place for place in places)
    return text + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        start,
    )


def image_object(data, size, entries):
    head = b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 " % size
    head += b"/ColorSpace /DeviceGray /Length %d %s >>" % (len(data), entries)
    return head + b"\nstream\n" + data + b"\nendstream"


def jpeg(pixels=PIXELS):
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", quality=90)
    return stream.getvalue()


def jpeg_pdf(path, entries=b"", matrix=b"302.4 0 0 216 0 0", data=None, size=(630, 450)):
    drawn = image_object(data or jpeg(), size, b"/Filter /DCTDecode " + entries)
    path.write_bytes(written_pdf(b"q %s cm /I Do Q" % matrix, (302.4, 216), drawn))
    return path


def test_every_page_is_a_source_with_its_number(tmp_path):
    path = saved(tmp_path / "a.pdf", PIXELS, written(300, 200))
    found = sources_at(path)
    assert [source.part for source in found] == ["#page=1", "#page=2"]
    assert [source.address for source in found] == [f"{path}#page=1", f"{path}#page=2"]


def test_a_page_is_found_again_by_its_address(tmp_path):
    folder = tmp_path / "box #3"
    folder.mkdir()
    for source in sources_at(saved(folder / "a#page=9.pdf", PIXELS, PIXELS)):
        assert open_source(source.address) == source
        assert source.size == (630, 450)


def test_a_page_that_is_a_jpeg_is_that_jpeg_byte_for_byte(tmp_path):
    (page,) = sources_at(jpeg_pdf(tmp_path / "a.pdf"))
    assert page.open().read() == jpeg()


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "P"])
def test_a_scanned_page_has_the_pixels_of_its_picture(tmp_path, mode):
    picture = Image.fromarray(PIXELS).convert(mode)
    (page,) = sources_at(saved(tmp_path / "a.pdf", picture))
    pixels = read_image(page)
    assert pixels.shape == PIXELS.shape
    expected = np.asarray(picture.convert("L")).astype(int)
    assert np.abs(pixels - expected).mean() < 4  # JPEG, but for mode 1


def test_a_page_in_black_and_white_keeps_every_pixel(tmp_path):
    picture = Image.fromarray(PIXELS).convert("1")
    (page,) = sources_at(saved(tmp_path / "a.pdf", picture))
    np.testing.assert_array_equal(read_image(page), np.asarray(picture.convert("L")))


def test_a_turned_page_is_turned_as_it_is_shown(tmp_path):
    (page,) = sources_at(changed(jpeg_pdf(tmp_path / "a.pdf"), turn))
    pixels = read_image(page)
    expected = np.rot90(np.asarray(Image.open(io.BytesIO(jpeg()))), -1)
    assert page.size == pixels.shape[::-1] == expected.shape[::-1]
    assert np.abs(pixels.astype(int) - expected).mean() < 1


def test_a_mirrored_picture_is_mirrored(tmp_path):
    (page,) = sources_at(jpeg_pdf(tmp_path / "a.pdf", matrix=b"-302.4 0 0 216 302.4 0"))
    expected = np.asarray(Image.open(io.BytesIO(jpeg())))[:, ::-1]
    assert np.abs(read_image(page).astype(int) - expected).mean() < 1


def test_a_jpeg_that_is_shown_inverted_is_not_taken_as_it_is(tmp_path):
    (page,) = sources_at(jpeg_pdf(tmp_path / "a.pdf", b"/Decode [1 0]", data=jpeg(255 - PIXELS)))
    assert np.abs(read_image(page).astype(int) - PIXELS).mean() < 4


def test_the_size_is_known_before_anything_is_decoded(tmp_path, monkeypatch):
    path = saved(tmp_path / "a.pdf", PIXELS)
    monkeypatch.setattr(pdf, "_drawn", None)
    monkeypatch.setattr(pdf, "_own_picture", None)
    (page,) = sources_at(path)
    assert pictures_in(page)[0].size == (630, 450)


def test_a_page_of_letters_is_drawn_at_300_dpi(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(written_pdf(b"3 w 50 100 m 500 700 l S"))
    (page,) = sources_at(path)
    pixels = read_image(page)
    assert page.size == pixels.shape[::-1] == (2480, 3509)
    assert pixels.min() < 20
    assert np.median(pixels) == 255


def test_a_colour_page_keeps_its_colours(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(written_pdf(b"1 0 0 rg 0 0 300 800 re f", size=(100, 100)))
    (page,) = sources_at(path)
    assert Image.open(page.open()).getpixel((50, 50)) == (255, 0, 0)


def test_a_huge_page_is_drawn_within_the_bound(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(written_pdf(b"3 w 50 100 m 500 700 l S", size=(14000, 14000)))
    (page,) = sources_at(path)
    assert 0.99 * pdf.MOST_PIXELS < page.size[0] * page.size[1] < 1.01 * pdf.MOST_PIXELS


def test_a_picture_that_is_a_bomb_is_refused_before_it_is_drawn(tmp_path):
    path = jpeg_pdf(tmp_path / "a.pdf", size=(60000, 60000))
    (page,) = sources_at(path)
    with pytest.raises(ImageError, match="too large: a picture of 60000×60000"):
        pictures_in(page)


@pytest.mark.parametrize("side", [700, 9000, 30000])
def test_a_jpeg_larger_than_the_document_says_has_the_size_that_is_said(tmp_path, side):
    data = jpeg()
    place = data.index(b"\xff\xc0") + 5  # the height and the width of its header
    larger = data[:place] + struct.pack(">HH", side, side) + data[place + 4 :]
    (page,) = sources_at(jpeg_pdf(tmp_path / "a.pdf", data=larger))
    assert page.size == (630, 450)
    np.testing.assert_allclose(read_image(page).shape, (450, 630), atol=1)  # as PDFium rounds


def test_whatever_goes_wrong_in_a_document_is_an_error_of_its_page(tmp_path, monkeypatch):
    def stumble(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(pdf, "_own_picture", stumble)
    (page,) = sources_at(jpeg_pdf(tmp_path / "a.pdf"))
    with pytest.raises(ImageError, match="broken: ZeroDivisionError"):
        page.open()


def test_more_pages_than_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "MOST_PAGES", 1)
    with pytest.raises(ImageError, match="too large: 2 pages"):
        sources_at(saved(tmp_path / "a.pdf", PIXELS, PIXELS))


def test_more_objects_than_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "MOST_OBJECTS", 1)
    path = tmp_path / "a.pdf"
    path.write_bytes(written_pdf(b"0 0 m 1 1 l S 0 0 m 2 2 l S"))
    with pytest.raises(ImageError, match="more than 1 objects"):
        pictures_in(sources_at(path)[0])


ENCRYPTED = (
    b"trailer << /Size 9 /Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 "
    b"/P -4 /O <" + b"11" * 32 + b"> /U <" + b"22" * 32 + b"> >> >>"
)
BROKEN = {
    "nothing": (b"", "empty: the file has no bytes"),
    "words": (b"just some words", "broken: "),
    "half": (written_pdf(b"")[:60], "broken: "),
    "no pages": (
        written_pdf(b"").replace(b"[3 0 R] /Count 1", b"[     ] /Count 0"),
        "empty|broken",
    ),
    "password": (re.sub(rb"trailer <<.*>>", ENCRYPTED, written_pdf(b"")), "encrypted: needs a"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_document_that_cannot_be_read_says_why(tmp_path, name):
    content, reason = BROKEN[name]
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with pytest.raises(ImageError) as error:
        sources_at(path)
    assert re.match(reason, error.value.reason)


def test_a_page_that_is_not_there_is_named(tmp_path):
    path = saved(tmp_path / "a.pdf", PIXELS)
    with pytest.raises(ImageError, match="has no page 7, only 1"):
        read_image(open_source(f"{path}#page=7"))


def test_the_content_follows_the_file_and_the_page(tmp_path):
    path = saved(tmp_path / "a.pdf", PIXELS, PIXELS)
    first, second = sources_at(path)
    before = first.content_hash
    assert before != second.content_hash
    changed(path, turn)
    assert first.content_hash != before


def test_the_stamp_is_that_of_the_file(tmp_path):
    path = saved(tmp_path / "a.pdf", PIXELS)
    (page,) = sources_at(path)
    before = page.stamp()
    changed(path, blank_page)
    assert page.stamp() not in ("", before)
    path.unlink()
    assert page.stamp() == ""


def test_a_page_travels_to_other_processes(tmp_path):
    page = PdfPage(tmp_path / "a.pdf", 3)
    assert pickle.loads(pickle.dumps(page)) == page


def test_without_its_package_a_document_says_what_to_install(tmp_path, monkeypatch):
    path = saved(tmp_path / "a.pdf", PIXELS)
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    with pytest.raises(ImageError, match=r"not read here: .*dgmp\[sources\]"):
        sources_at(path)
