"""A row of small pages for each writer or script."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from dgmp.corpora import contact_sheet, draw_contact_sheet, open_corpus
from dgmp.pixels import THUMBNAIL


@pytest.fixture
def rows(monkeypatch):
    """The rows that are drawn: their texts and their pictures."""
    drawn = []

    def spy(rows, path, last=""):
        drawn.extend(rows)
        return path

    monkeypatch.setattr(contact_sheet, "draw_rows", spy)
    return drawn


@pytest.fixture
def pages(page_file, corpus_folder):
    for name in ("anna/1.png", "anna/2.png", "anna/3.png", "bert/1.png"):
        page_file(name)
    return open_corpus(corpus_folder, kind="writers").pages


def test_the_sheet_is_a_picture_of_that_many_columns(pages, tmp_path):
    sheet = Image.open(draw_contact_sheet(pages, tmp_path / "sheet.png"))
    assert 3 * THUMBNAIL[0] < sheet.width < 4 * THUMBNAIL[0]


def test_every_writer_has_a_row_with_the_number_of_its_pages(pages, tmp_path, rows):
    draw_contact_sheet(pages, tmp_path / "sheet.png")
    assert [text for text, _ in rows] == ["anna  (3)", "bert  (1)"]


def test_pages_without_writers_go_by_script(pages, tmp_path, rows):
    by_script = [replace(page, writer=None, script="Uncial") for page in pages]
    draw_contact_sheet(by_script[:3], tmp_path / "sheet.png")
    assert [text for text, _ in rows] == ["Uncial  (3)"]


def test_pages_without_labels_fill_several_rows(pages, tmp_path, rows):
    plain = [replace(page, writer=None) for page in pages]
    draw_contact_sheet(plain, tmp_path / "sheet.png", columns=3)
    assert [(text, len(pictures)) for text, pictures in rows] == [("4 pages", 3), ("", 1)]


def test_pages_whose_writer_is_not_known_have_a_row(pages, tmp_path, rows):
    draw_contact_sheet([replace(pages[0], writer=None), pages[3]], tmp_path / "sheet.png")
    assert [text for text, _ in rows] == ["bert  (1)", "no writer  (1)"]


def test_there_are_no_more_rows_and_columns_than_wanted(pages, tmp_path, rows):
    draw_contact_sheet(pages, tmp_path / "sheet.png", rows=1, columns=2)
    ((_, pictures),) = rows
    assert len(pictures) == 2


def test_a_page_that_cannot_be_read_leaves_its_cell_empty(pages, tmp_path, rows):
    pages[1].source.path.write_bytes(b"broken")
    draw_contact_sheet(pages, tmp_path / "sheet.png")
    assert [picture is None for _, picture in rows[0][1]] == [False, True, False]


def test_a_large_page_is_read_no_larger_than_needed(page_file, corpus_folder, tmp_path, rows):
    page_file("big.jpg", np.zeros((3000, 4000), np.uint8))
    draw_contact_sheet(open_corpus(corpus_folder).pages, tmp_path / "sheet.png")
    ((_, ((_, picture),)),) = rows
    assert picture.shape == (375, 500)
