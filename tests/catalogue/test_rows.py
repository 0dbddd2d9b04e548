"""The rows of a table: quoting, labels, errors."""

from pathlib import Path

import pytest

from dgmp.catalogue import Catalogue
from dgmp.catalogue.rows import LABELS, TABLE, quoted, refusals, row_of
from dgmp.errors import CatalogueError
from dgmp.records import Page
from dgmp.sources import FileSource


def test_a_row_has_the_labels_of_its_page():
    page = Page("p", FileSource(Path("p.png")), writer="w", scan="s")
    row = row_of(page, "stamp")
    assert {name: row[name] for name in LABELS} == {
        "writer": "w",
        "script": None,
        "manuscript": None,
        "scan": "s",
    }


def test_quotes_in_a_text_are_doubled():
    assert quoted("Jürg's page") == "'Jürg''s page'"


@pytest.mark.parametrize("error", [OSError, RuntimeError, ValueError])
def test_what_the_table_refuses_names_the_catalogue_in_one_line(error):
    message = r"^c: its table cannot be used: one$"
    with pytest.raises(CatalogueError, match=message), refusals(Path("c")):
        raise error("one\ntwo")


@pytest.mark.parametrize("left", [-17, -60, 40], ids=["one byte", "some bytes", "most"])
def test_a_version_that_was_cut_while_the_catalogue_is_open_is_refused_in_words(filled, left):
    newest = min((filled.folder / f"{TABLE}.lance" / "_versions").glob("*.manifest"))
    data = newest.read_bytes()
    cut = newest.with_name(f"{int(newest.stem) - 1}.manifest")  # version n is 2⁶⁴ − 1 − n
    cut.write_bytes(data[:left] + data[-16:])
    for use in (len, Catalogue.descriptors, Catalogue.paths, lambda catalogue: catalogue.version):
        with pytest.raises(CatalogueError, match="its table cannot be used"):
            use(filled)


def test_a_link_to_itself_means_no_page(filled, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert filled.find(str(tmp_path / "loop")) is None
