"""The rows of a table: quoting, labels, errors."""

from pathlib import Path

import pytest

from dgmp.catalogue.rows import LABELS, quoted, refusals, row_of
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
