"""Damage to a row is seen, named, and mended by describing its page again."""

import numpy as np
import pyarrow as pa
import pytest

from dgmp.catalogue import Catalogue, Changes, pages_in_order, rows_at
from dgmp.catalogue.checksums import CHECK, checksums
from dgmp.catalogue.rows import TABLE, connect, list_column, stored_rows
from dgmp.errors import CatalogueError
from dgmp.records import Page
from dgmp.sources import FileSource

from .entries import HEAD, entries, unit


def check(ids=("a", "b"), numbers=None, step=0.5, halves=0.25):
    numbers = np.arange(2 * 19, dtype=np.int8).reshape(2, 19) if numbers is None else numbers
    return checksums(list(ids), numbers, np.float32([step, 1]), np.float32([halves, np.nan]))


@pytest.mark.parametrize("place", [0, 7, 8, 15, 16, 18])
@pytest.mark.parametrize("bit", [0, 3, 7])
def test_every_flipped_bit_of_a_vector_changes_the_checksum_of_its_row_only(place, bit):
    numbers = np.arange(2 * 19, dtype=np.int8).reshape(2, 19)
    numbers.view(np.uint8)[1, place] ^= 1 << bit
    assert (check(numbers=numbers) == check()).tolist() == [True, False]


@pytest.mark.parametrize("other", [{"ids": ("c", "b")}, {"step": 0.25}, {"halves": 0.5}])
def test_id_step_and_halves_are_part_of_it(other):
    assert (check(**other) == check()).tolist() == [False, True]


@pytest.fixture
def damaged(filled):
    """The catalogue with one bit of page 07 flipped, as a bad disk does."""
    table = connect(filled.folder).open_table(TABLE)
    rows = table.search().where("page_id = '07'").select(["page_id", "vector"]).to_arrow()
    numbers = stored_rows(rows).copy()
    numbers[0, 3] ^= 1
    flipped = pa.table({"page_id": ["07"], "vector": list_column(numbers)})
    table.merge_insert("page_id").when_matched_update_all().execute(flipped)
    return Catalogue.open(filled.folder)


def test_reading_names_the_damaged_page_and_says_what_mends_it(damaged):
    for read in (
        damaged.descriptors,
        damaged.sample,
        lambda: damaged.page("07"),
        lambda: damaged.search(unit(8)),
        lambda: rows_at(damaged, *pages_in_order(damaged)[:2]),
    ):
        with pytest.raises(CatalogueError, match=r"catalogue: page '07' is damaged.*dgmp describe"):
            read()
    assert damaged.page("08").page_ids == ("08",)


@pytest.fixture
def pages(tmp_path):
    ids = [f"{i:02}" for i in range(40)]
    return [Page(id, FileSource(tmp_path / "files" / id), writer=id[0]) for id in ids]


def test_a_damaged_row_is_described_again(damaged, pages, tmp_path):
    assert [page.id for page in damaged.compare(pages).changed] == ["07"]
    damaged.add(entries(tmp_path / "files", ["07"], unit(1, 8)))
    assert not damaged.compare(pages).changed
    assert len(damaged.descriptors().page_ids) == 40


def test_pages_that_are_left_alone_are_not_verified(damaged, pages):
    seven = pages.pop(7)
    assert damaged.compare(pages, [seven]) == Changes()


@pytest.mark.parametrize("other", ["x7", "17"], ids=["of no page", "of another page"])
def test_a_row_whose_id_is_damaged_is_taken_out_and_its_page_is_new(filled, pages, tmp_path, other):
    filled._table.update(where="page_id = '07'", values={"page_id": other})
    changes = filled.compare(pages)
    assert [page.id for page in changes.new] == ["07"]
    assert changes.damaged == (other,)
    filled.drop(changes.damaged)
    again = [page.id for page in changes.to_describe]
    filled.add(entries(tmp_path / "files", again, unit(len(again), 8)))
    assert filled.compare(pages) == Changes()
    assert len(filled.descriptors().page_ids) == 40


def test_a_damaged_row_whose_scan_is_gone_is_lost_and_has_not_merely_vanished(damaged, pages):
    for place in (7, 8):
        pages[place].source.path.unlink()
    changes = damaged.compare([page for page in pages if page.id not in ("07", "08")])
    assert (changes.lost, changes.vanished) == (("07",), ("08",))


def test_a_row_without_a_checksum_is_read_as_it_is(tmp_path):
    catalogue = Catalogue.create(tmp_path / "catalogue", HEAD)
    catalogue.add(entries(tmp_path / "files", ["a"], unit(1, 8)))
    table = connect(catalogue.folder).open_table(TABLE)
    table.drop_columns([CHECK])
    assert Catalogue.open(catalogue.folder).descriptors().page_ids == ("a",)
