"""What a corpus holds, called from Python."""

import shutil

import numpy as np
import pytest
from photographs import on_table, page_of, with_ruler
from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError, DgmpError
from dgmp.tasks import survey


@pytest.fixture
def with_blank_page(hands, tmp_path):
    folder = shutil.copytree(hands, tmp_path / "hands")
    Image.fromarray(np.full((90, 90), 255, np.uint8)).save(folder / "w0_p0.png")
    return folder


def test_pages_writers_and_splits_are_counted(hands):
    found = survey(hands).as_dict()
    assert found["pages"] == 12
    assert [(split["split"], split["pages"], split["writers"]) for split in found["splits"]] == [
        ("train", 6, 2),
        ("test", 6, 2),
    ]


def test_an_opened_corpus_is_surveyed_as_it_is(hands):
    assert survey(open_corpus(hands)).as_dict() == survey(hands).as_dict()


def test_a_sheet_is_drawn_where_it_is_asked_for(hands, tmp_path):
    survey(hands, sheet=tmp_path / "sheet.png")
    assert (tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")


def test_blank_pages_are_found_by_reading_them(with_blank_page):
    assert [remark.file for remark in survey(with_blank_page).corpus.left_out] == ["w0_p0.png"]


def test_headers_alone_do_not_tell_blank_pages(with_blank_page):
    assert len(survey(with_blank_page, decode=False).corpus) == 12


def test_progress_counts_every_page_that_is_read(hands):
    stages, steps = [], []

    def stage(name, pages):
        stages.append((name, pages))
        return steps.append

    survey(hands, stage=stage)
    assert stages == [("reading pages", 12)]
    assert sum(steps) == 12


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="there is no such folder"):
        survey(tmp_path / "nowhere")


def test_the_sheet_of_areas_leaves_out_pictures_without_writing(tmp_path):
    folder = tmp_path / "scans"
    folder.mkdir()
    Image.fromarray(on_table(page_of(1))).save(folder / "a.png")
    Image.fromarray(with_ruler(np.full((500, 900), 45, np.uint8))).save(folder / "b.png")
    found = survey(open_corpus(folder), regions=tmp_path / "areas.png").corpus
    assert [page.id for page in found] == ["a.png"]
    assert found.left_out == (("b.png", "no writing: nothing has the size of letters"),)
    assert (tmp_path / "areas.png").exists()


def test_a_sheet_that_cannot_be_written_is_refused_before_pages_are_read(hands, tmp_path):
    with pytest.raises(DgmpError, match=r"areas.pdf: a contact sheet is .png or .jpg"):
        survey(hands, regions=tmp_path / "areas.pdf")
