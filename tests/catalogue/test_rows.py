"""The rows of a table: quoting, labels, and tables of version 1 that are brought up to date."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dgmp.catalogue import Catalogue
from dgmp.catalogue.rows import LABELS, TABLE, connect, quoted, refusals, row_of, schema
from dgmp.errors import CatalogueError
from dgmp.records import Page
from dgmp.sources import FileSource

from .entries import unit


@pytest.fixture
def version_1(tmp_path):
    """A catalogue of two pages as dgmp 0.1 wrote it."""
    folder = tmp_path / "old"
    folder.mkdir()
    vectors, rows = unit(2, 8), {"page_id": [], "path": [], "bytes": [], "modified": []}
    for name in "ab":
        path = tmp_path / name
        path.write_bytes(name.encode())
        rows["page_id"].append(name)
        rows["path"].append(str(path))
        rows["bytes"].append(path.stat().st_size)
        rows["modified"].append(path.stat().st_mtime_ns)
    table = pa.table(
        {
            **rows,
            "content_hash": ["1", "2"],
            "writer": ["w", None],
            "script": pa.nulls(2, pa.string()),
            "manuscript": pa.nulls(2, pa.string()),
            "sheet": ["s", None],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 8),
            "thumbnail": [b"jpeg", b"jpeg"],
        }
    )
    connect(folder).create_table(TABLE, table)
    head = {"format": "dgmp-catalogue", "version": 1, "spec": {"describer": "drawn"}, "dim": 8}
    head |= {"describer": "drawn", "calibration": None}
    (folder / "catalogue.json").write_text(json.dumps(head))
    return folder


def test_a_catalogue_of_version_1_is_read_without_being_changed(version_1):
    before = (version_1 / "catalogue.json").read_bytes()
    found = Catalogue.open(version_1)
    assert np.array_equal(found.descriptors().vectors, unit(2, 8))
    assert found.search(unit(2, 8)[0], 1).hits[0].writer == "w"
    assert found.head.spec == {"kind": "drawn"}
    assert (version_1 / "catalogue.json").read_bytes() == before


def test_a_catalogue_of_version_1_is_renewed_when_it_is_written_to(version_1):
    with Catalogue.open(version_1).writing():
        pass
    assert json.loads((version_1 / "catalogue.json").read_text())["version"] == 2
    assert set(connect(version_1).open_table(TABLE).schema.names) == set(schema(8).names)


def test_pages_of_a_renewed_catalogue_need_not_be_described_again(version_1, tmp_path):
    catalogue = Catalogue.open(version_1)
    pages = [
        Page("a", FileSource(tmp_path / "a"), writer="w", scan="s"),
        Page("b", FileSource(tmp_path / "b")),
    ]
    with catalogue.writing():
        changes = catalogue.compare(pages)
    assert (changes.to_describe, changes.relabelled, changes.vanished) == ((), (), ())


def test_a_renewal_that_was_cut_off_is_finished(version_1):
    table = connect(version_1).open_table(TABLE)
    table.alter_columns({"path": "sheet", "rename": "scan"})
    table.add_columns({"stamp": "concat(cast(bytes as string), ' ', cast(modified as string))"})
    with Catalogue.open(version_1).writing():
        pass
    assert set(connect(version_1).open_table(TABLE).schema.names) == set(schema(8).names)


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
