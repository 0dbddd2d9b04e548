"""Rows of small pictures on one sheet."""

import io

import numpy as np
import pytest
from drawing import written
from PIL import Image, ImageFont

from dgmp.errors import DgmpError
from dgmp.pixels import THUMBNAIL, draw_rows
from dgmp.pixels.contact_sheets import shortened

BLACK = np.zeros((90, 120), np.uint8)
CELLS = [("", BLACK)]
FONT = ImageFont.load_default(size=12)


def drawn(tmp_path, rows, last=""):
    return Image.open(draw_rows(rows, tmp_path / "sheet.png", last))


def jpeg(pixels):
    encoded = io.BytesIO()
    Image.fromarray(pixels).save(encoded, "JPEG")
    return encoded.getvalue()


@pytest.mark.parametrize(
    ("name", "kind"), [("s.png", "PNG"), ("s.jpg", "JPEG"), ("s.JPEG", "JPEG")]
)
def test_the_ending_of_the_file_decides_its_format(tmp_path, name, kind):
    assert Image.open(draw_rows([("anna", CELLS)], tmp_path / name)).format == kind


@pytest.mark.parametrize("name", ["s.pdf", "s"])
def test_another_ending_is_refused(tmp_path, name):
    with pytest.raises(DgmpError, match=r"is \.png or \.jpg"):
        draw_rows([("anna", CELLS)], tmp_path / name)


def test_the_sheet_has_a_column_for_every_picture_of_the_longest_row(tmp_path):
    wide = drawn(tmp_path, [("anna", CELLS * 5), ("bert", CELLS)]).width
    narrow = drawn(tmp_path, [("anna", CELLS * 4), ("bert", CELLS)]).width
    assert wide - narrow >= THUMBNAIL[0]


def test_the_sheet_grows_with_every_row(tmp_path):
    one, two, three = (drawn(tmp_path, [("anna", CELLS)] * n).height for n in (1, 2, 3))
    assert three - two == two - one >= THUMBNAIL[1]


def test_pixels_and_jpeg_files_are_drawn_alike(tmp_path):
    sheet = np.asarray(drawn(tmp_path, [("anna", [("", BLACK), ("", jpeg(BLACK))])])).astype(int)
    dark = (sheet < 20).sum(axis=0)
    middle = sheet.shape[1] // 2
    assert dark[:middle].sum() == pytest.approx(dark[middle:].sum(), rel=0.05)


def test_a_large_picture_is_made_small_and_keeps_its_shape(tmp_path):
    sheet = np.asarray(drawn(tmp_path, [("", [("", np.zeros((1800, 1200), np.uint8))])]))
    rows, columns = np.nonzero(sheet == 0)
    assert np.ptp(rows) + 1 == THUMBNAIL[1]
    assert np.ptp(columns) + 1 == THUMBNAIL[1] * 1200 // 1800


def test_a_picture_that_is_not_there_is_a_grey_cell(tmp_path):
    sheet = np.asarray(drawn(tmp_path, [("", [("", None)])]))
    assert (sheet == 128).sum() == THUMBNAIL[0] * THUMBNAIL[1]


def test_a_line_below_all_rows_is_written(tmp_path):
    without = drawn(tmp_path, [("anna", CELLS)])
    height = without.height
    with_line = drawn(tmp_path, [("anna", CELLS)], "and 3 more")
    assert np.asarray(with_line)[height:].min() < 50


def test_no_rows_are_a_sheet_with_a_line(tmp_path):
    assert np.asarray(drawn(tmp_path, [], "no pages")).min() < 50


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DgmpError, match="cannot be written"):
        draw_rows([("anna", [("", written())])], tmp_path / "file" / "sheet.png")


def test_a_name_is_written_below_its_picture(tmp_path):
    without, named = (
        np.asarray(drawn(tmp_path, [("", [(name, BLACK)])])) for name in ("", "f003r.jpg")
    )
    changed = np.nonzero((without != named).any(axis=1))[0]
    assert changed.min() > THUMBNAIL[1]


@pytest.mark.parametrize("width", [20, 60, 240])
def test_a_long_name_is_shortened_to_the_width_and_keeps_its_end(width):
    name = "Staatsbibliothek zu Berlin/Ms. germ. fol. 1234/Band 2/blatt_0123_recto_neu.jpg"
    short = shortened(name, FONT, width)
    assert FONT.getlength(short) <= width
    front, _, end = short.partition("…")
    assert name.startswith(front)
    assert name.endswith(end)
    assert len(end) >= len(front)


def test_a_name_that_fits_stays_as_it_is():
    assert shortened("f003r.jpg", FONT, 240) == "f003r.jpg"


def test_letters_with_accents_are_drawn_as_themselves(tmp_path):
    sheets = [
        np.asarray(drawn(tmp_path, [("", [(name, BLACK)])])) for name in ("ü" * 9, "é" * 9, "ж" * 9)
    ]
    assert not any(np.array_equal(sheets[i], sheets[i - 1]) for i in range(3))  # no boxes
