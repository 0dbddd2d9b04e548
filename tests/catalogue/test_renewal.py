"""Tables of earlier versions: read as they are, and brought up to date when written to."""

import json

import numpy as np
import pyarrow as pa
import pytest

from dgmp.catalogue import Catalogue, renewal, rounded
from dgmp.catalogue.checksums import CHECK
from dgmp.catalogue.renewal import BESIDE, renew_columns
from dgmp.catalogue.rows import TABLE, connect, list_column, schema
from dgmp.errors import CatalogueError
from dgmp.records import Page
from dgmp.sources import FileSource

from .entries import entries, unit


def renewed(folder):
    """The catalogue, after somebody wrote to it; its columns are those of now."""
    with Catalogue.open(folder).writing():
        pass
    assert set(connect(folder).open_table(TABLE).schema.names) == set(schema(8).names)
    return Catalogue.open(folder)


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
    assert json.loads((version_1 / "catalogue.json").read_text())["version"] == 5
    assert set(connect(version_1).open_table(TABLE).schema.names) == set(schema(8).names)


def test_pages_of_a_renewed_catalogue_need_not_be_described_again(version_1, tmp_path):
    catalogue = Catalogue.open(version_1)
    pages = [
        Page("a", FileSource(tmp_path / "a"), writer="w", scan="s"),
        Page("b", FileSource(tmp_path / "b")),
    ]
    with catalogue.writing():
        changes = catalogue.compare(pages)
    assert (changes.to_describe, changes.vanished) == ((), ())


@pytest.mark.parametrize("step", range(5))
def test_a_renewal_that_was_cut_off_at_any_step_is_finished(version_1, step):
    table = connect(version_1).open_table(TABLE)
    before = Catalogue.open(version_1).descriptors()
    numbers, steps = rounded(before.vectors)
    one = {"page_id": ["a"], BESIDE: list_column(numbers[:1]), "step": pa.array(steps[:1])}
    both = {"page_id": ["a", "b"], BESIDE: list_column(numbers), "step": pa.array(steps)}
    for done in (
        lambda: table.alter_columns({"path": "sheet", "rename": "scan"}),
        lambda: table.add_columns(
            pa.schema([("step", pa.float32()), (BESIDE, pa.list_(pa.int8(), 8))])
        ),
        lambda: table.merge_insert("page_id").when_matched_update_all().execute(pa.table(one)),
        lambda: table.merge_insert("page_id").when_matched_update_all().execute(pa.table(both)),
        lambda: table.alter_columns(
            {"path": "vector", "rename": renewal.BEFORE}, {"path": BESIDE, "rename": "vector"}
        ),
    )[: step + 1]:
        done()
    assert np.array_equal(Catalogue.open(version_1).descriptors().vectors, before.vectors)
    assert np.array_equal(renewed(version_1).descriptors().vectors, before.vectors)


def test_rows_are_rounded_some_at_a_time(version_1, monkeypatch):
    monkeypatch.setattr(renewal, "_AT_ONCE", 1)
    before = Catalogue.open(version_1).descriptors()
    assert np.array_equal(renewed(version_1).descriptors().vectors, before.vectors)


def test_what_is_renewed_is_not_renewed_again(version_1):
    renewed(version_1)
    table = connect(version_1).open_table(TABLE)
    version = table.version
    renew_columns(table, 8)
    assert table.version == version


def test_a_renewed_catalogue_takes_new_pages(version_1, tmp_path):
    catalogue = Catalogue.open(version_1)
    new = entries(tmp_path / "files", ["c"], unit(1, 8, seed=3))
    with pytest.raises(CatalogueError, match=r"format version 1; .* renews it"):
        catalogue.add(new)
    with catalogue.writing():
        catalogue.add(new)
    assert catalogue.descriptors().page_ids == ("a", "b", "c")
    assert catalogue.thumbnails(["a"]) == {"a": b"jpeg"}


def test_pages_of_an_older_catalogue_get_their_place_without_being_described_again(
    version_1, tmp_path
):
    page = Page("a", FileSource(tmp_path / "a"), writer="w", scan="s", size=(30, 20))
    assert Catalogue.open(version_1).pages(["a"])[0].size is None
    catalogue = Catalogue.open(version_1)
    with catalogue.writing():
        changes = catalogue.compare([page])
        assert (changes.new, changes.changed, changes.relabelled) == ((), (), (page,))
        catalogue.relabel(changes.relabelled)
    assert Catalogue.open(version_1).pages(["a"]) == (page,)


def test_checksums_come_with_the_next_writing(filled):
    before = filled.descriptors().vectors
    connect(filled.folder).open_table(TABLE).drop_columns([CHECK])
    head = filled.folder / "catalogue.json"
    head.write_text(head.read_text().replace('"version": 5', '"version": 4'))
    catalogue = renewed(filled.folder)
    made = catalogue.column(CHECK)
    assert None not in made.values()
    assert len(set(made.values())) == 40
    assert np.array_equal(catalogue.descriptors().vectors, before)
