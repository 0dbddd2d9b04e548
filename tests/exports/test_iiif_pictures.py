"""Where the pictures of exported canvases are."""

from dataclasses import replace

import pytest
from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.errors import ImageError
from dgmp.exports.iiif_pictures import LONGEST, link_picture

from .conftest import NAMES


@pytest.fixture
def linked(tmp_path):
    """A function that gives the link of a page and the file that was written, if one was."""

    def link(page, shared=tmp_path):
        file = tmp_path / "out" / "1.jpg"
        return link_picture(page, shared, "http://here/", file, "http://here/out/1.jpg"), file

    return link


def test_a_jpeg_below_the_shared_folder_is_linked_to(linked, going):
    link, file = linked(going.pages[NAMES[0]])
    assert (link.address, link.format) == ("http://here/scans/ms%2012/f2.jpg", "image/jpeg")
    assert not file.exists()


@pytest.mark.parametrize("case", ["a TIFF", "turned", "elsewhere"])
def test_what_cannot_be_linked_to_is_written(linked, going, tmp_path, case):
    page = going.pages[NAMES[3] if case == "a TIFF" else NAMES[0]]
    page = replace(page, turn=1, size=page.size[::-1]) if case == "turned" else page
    link, file = linked(page, tmp_path / "other" if case == "elsewhere" else tmp_path)
    assert link.address == "http://here/out/1.jpg"
    with Image.open(file) as image:
        assert image.size == link.size == page.size


def test_a_large_scan_is_written_smaller(linked, going, scans):
    Image.new("L", (5000, 3000), 200).save(scans / NAMES[3])
    link, _ = linked(replace(going.pages[NAMES[3]], size=(5000, 3000)))
    assert LONGEST / 2 < link.size[0] <= LONGEST


def test_the_size_of_a_page_that_has_none_is_read(linked, going):
    link, _ = linked(replace(going.pages[NAMES[0]], size=None))
    assert link.size == going.pages[NAMES[0]].size


def test_what_was_written_is_no_page(linked, going, tmp_path):
    linked(going.pages[NAMES[3]])
    assert open_corpus(tmp_path / "out").pages == ()


def test_a_scan_that_is_gone_is_an_error(linked, going, scans):
    (scans / NAMES[3]).unlink()
    with pytest.raises(ImageError, match="missing"):
        linked(going.pages[NAMES[3]])
