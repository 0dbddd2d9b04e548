"""The table of short vectors: made, kept up, and finished after a kill."""

from dataclasses import replace
from threading import Thread

import numpy as np
import pyarrow as pa
import pytest

from dgmp.catalogue import Catalogue, projection, short_vectors, shorts
from dgmp.catalogue import search as searching
from dgmp.catalogue.held_shorts import HeldShorts, short_rows
from dgmp.catalogue.projection import load_projection, save_projection
from dgmp.catalogue.rows import connect

from .entries import HEAD, entries, unit

IDS = [f"{i:03}" for i in range(600)]
DIM = 48


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A catalogue of 200 writers with three pages each, too large for exact search."""
    monkeypatch.setattr(searching, "EXACT_PAGES", 500)
    monkeypatch.setattr(projection, "SHORT", 24)
    monkeypatch.setattr(shorts, "_WRITTEN", 250)
    monkeypatch.setattr(shorts, "_AT_ONCE", 100)
    catalogue = Catalogue.create(tmp_path / "large", replace(HEAD, dim=DIM))
    vectors = unit(200, DIM)[np.repeat(np.arange(200), 3)] + 0.3 * unit(600, DIM, seed=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    catalogue.add(entries(tmp_path / "files", IDS, vectors))
    return catalogue


def found(catalogue):
    queries = IDS[::60]
    return [catalogue.search(catalogue.page(id).vectors[0], 2, leave_out=id).hits for id in queries]


def stored(catalogue):
    rows = connect(catalogue.folder).open_table(shorts.TABLE).to_arrow().sort_by("page_id")
    numbers, steps = short_rows(rows)
    return rows["page_id"].to_pylist(), numbers * steps[:, None]


def test_pages_found_by_short_vectors_are_those_of_the_full_reading(large):
    exact = found(large)
    assert not large._searcher.shorts.ready
    large.settle()
    assert large._searcher.shorts.ready
    assert found(large) == exact


def test_every_page_has_the_short_vector_of_its_long_one(large):
    large.settle()
    ids, short = stored(large)
    assert ids == IDS
    made = projection.load_projection(large.folder, DIM)
    expected = made(large.descriptors().vectors)
    steps = np.abs(expected).max(axis=1, keepdims=True) / 127
    assert (np.abs(short - expected) <= 0.51 * steps).all()


def test_another_process_sees_short_vectors_as_soon_as_they_are_there(large):
    reader = Catalogue.open(large.folder)
    exact = found(reader)
    large.settle()
    assert found(reader) == exact
    assert reader._searcher._state() == (600, True)


def test_a_page_that_is_added_later_is_found_before_and_after_settling(large, tmp_path):
    large.settle()
    new = unit(1, DIM, seed=8)
    large.add(entries(tmp_path / "files", ["new"], new))
    assert large.search(new[0], 1).hits[0].page_id == "new"
    large.settle()
    assert large.search(new[0], 1).hits[0].page_id == "new"


def test_a_page_that_changed_is_found_by_its_new_vector(large, tmp_path):
    large.settle()
    new = unit(1, DIM, seed=8)
    large.add(entries(tmp_path / "files", ["300"], new))
    assert large.search(new[0], 1).hits[0].page_id == "300"


def test_a_page_that_was_dropped_has_no_short_vector(large):
    large.settle()
    large.drop(["300"])
    assert stored(large)[0] == [id for id in IDS if id != "300"]


def test_what_a_kill_left_out_or_behind_is_put_right(large):
    large.settle()
    expected = stored(large)
    table = connect(large.folder).open_table(shorts.TABLE)
    table.delete("page_id IN ('001', '002')")
    table.update(where="page_id = '003'", values={"step": 0.5})  # of an earlier vector
    table.update(where="page_id = '004'", values={"page_id": "gone"})
    large.settle()
    ids, short = stored(large)
    assert ids == expected[0]
    np.testing.assert_array_equal(short, expected[1])


@pytest.mark.parametrize("damage", [b"", None])
def test_a_projection_that_is_lost_is_made_anew_with_all_that_came_of_it(large, damage):
    exact = found(large)
    large.settle()
    if damage is None:
        (large.folder / projection.FILE).unlink()
    else:
        (large.folder / projection.FILE).write_bytes(damage)
    assert found(large) == exact
    assert not large._searcher.shorts.ready
    large.settle()
    assert large._searcher.shorts.ready
    assert found(large) == exact


def test_while_another_process_makes_short_vectors_anew_the_same_is_found(large, monkeypatch):
    exact = found(large)
    large.settle()
    assert found(large) == exact
    (large.folder / projection.FILE).unlink()
    meanwhile = []

    def rows(*arguments):
        for part in read(*arguments):
            meanwhile.append((found(large), set(short_vectors(large)[0])))
            yield part

    read = shorts._rows
    monkeypatch.setattr(shorts, "_rows", rows)
    Catalogue.open(large.folder).settle()
    assert meanwhile == [(exact, set(IDS))] * 6
    assert found(large) == exact


def test_a_thread_that_finds_another_projection_does_not_use_rows_made_by_an_earlier_one(
    large, monkeypatch
):
    large.settle()
    read, reads = HeldShorts.read, []
    searching = Thread(target=found, args=[large])

    def reading(*arguments, **options):
        reads.append(1)
        if len(reads) == 1:
            save_projection(load_projection(large.folder, DIM), large.folder)
            searching.start()
            searching.join(0.5)
        return read(*arguments, **options)

    monkeypatch.setattr(HeldShorts, "read", reading)
    found(large)
    searching.join()
    assert len(reads) == 2


def test_short_vectors_of_an_earlier_version_are_made_anew(large, monkeypatch):
    exact = found(large)
    large.settle()
    with monkeypatch.context() as before:
        before.setattr(projection, "VERSION", 1)
        made = projection.fit_projection(large.descriptors().vectors)
        projection.save_projection(made, large.folder)
    connection = connect(large.folder)
    connection.drop_table(shorts.TABLE)
    rows = {"page_id": IDS, "step": np.ones(len(IDS), np.float32), "short": [[0.5] * 8] * len(IDS)}
    connection.create_table(shorts.TABLE, pa.table(rows))
    assert not large._searcher.shorts.ready
    assert found(large) == exact
    large.settle()
    assert large._searcher.shorts.ready
    assert found(large) == exact


def test_a_small_catalogue_has_no_short_vectors(filled):
    filled.settle()
    assert not filled._searcher.shorts.ready
    assert not (filled.folder / projection.FILE).exists()
