"""Rows of small pictures on one sheet."""

import io

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.errors import DgmpError
from dgmp.pixels import THUMBNAIL, draw_rows

BLACK = np.zeros((90, 120), np.uint8)


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
    assert Image.open(draw_rows([("anna", [BLACK])], tmp_path / name)).format == kind


@pytest.mark.parametrize("name", ["s.pdf", "s"])
def test_another_ending_is_refused(tmp_path, name):
    with pytest.raises(DgmpError, match=r"is \.png or \.jpg"):
        draw_rows([("anna", [BLACK])], tmp_path / name)


def test_the_sheet_has_a_column_for_every_picture_of_the_longest_row(tmp_path):
    wide = drawn(tmp_path, [("anna", [BLACK] * 5), ("bert", [BLACK])]).width
    narrow = drawn(tmp_path, [("anna", [BLACK] * 4), ("bert", [BLACK])]).width
    assert wide - narrow >= THUMBNAIL[0]


def test_the_sheet_grows_with_every_row(tmp_path):
    one, two, three = (drawn(tmp_path, [("anna", [BLACK])] * n).height for n in (1, 2, 3))
    assert three - two == two - one >= THUMBNAIL[1]


def test_pixels_and_jpeg_files_are_drawn_alike(tmp_path):
    sheet = np.asarray(drawn(tmp_path, [("anna", [BLACK, jpeg(BLACK)])])).astype(int)
    dark = (sheet < 20).sum(axis=0)
    middle = sheet.shape[1] // 2
    assert dark[:middle].sum() == pytest.approx(dark[middle:].sum(), rel=0.05)


def test_a_large_picture_is_made_small_and_keeps_its_shape(tmp_path):
    sheet = np.asarray(drawn(tmp_path, [("", [np.zeros((1800, 1200), np.uint8)])]))
    rows, columns = np.nonzero(sheet == 0)
    assert np.ptp(rows) + 1 == THUMBNAIL[1]
    assert np.ptp(columns) + 1 == THUMBNAIL[1] * 1200 // 1800


def test_a_picture_that_is_not_there_is_a_grey_cell(tmp_path):
    sheet = np.asarray(drawn(tmp_path, [("", [None])]))
    assert (sheet == 128).sum() == THUMBNAIL[0] * THUMBNAIL[1]


def test_a_line_below_all_rows_is_written(tmp_path):
    without = drawn(tmp_path, [("anna", [BLACK])])
    height = without.height
    with_line = drawn(tmp_path, [("anna", [BLACK])], "and 3 more")
    assert np.asarray(with_line)[height:].min() < 50


def test_no_rows_are_a_sheet_with_a_line(tmp_path):
    assert np.asarray(drawn(tmp_path, [], "no pages")).min() < 50


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DgmpError, match="cannot be written"):
        draw_rows([("anna", [written()])], tmp_path / "file" / "sheet.png")
