"""The map of a catalogue: made, kept, and known to be old."""

import numpy as np
import pytest
from catalogue.entries import HEAD, entries, unit

from dgmp.web.mapping import map_layout
from dgmp.web.mapping.map_layout import FILE, lay_out, make_map, stored_map

from .test_embedding import hands


@pytest.fixture
def catalogue(tmp_path):
    from dgmp.catalogue import Catalogue

    made = Catalogue.create(tmp_path / "catalogue", HEAD)
    made.add(entries(tmp_path / "files", [f"{i:02}" for i in range(40)], unit(40, 8)))
    return made


def test_every_page_has_a_place_in_the_square(catalogue):
    found = make_map(catalogue)
    assert found.page_ids == tuple(f"{i:02}" for i in range(40))
    assert found.positions.shape == (40, 2)
    assert found.positions.min() == 0
    assert found.positions.max() == 1


def test_what_is_kept_is_what_was_made(catalogue):
    made = make_map(catalogue)
    kept = stored_map(catalogue)
    assert kept.current
    assert kept.page_ids == made.page_ids
    np.testing.assert_array_equal(kept.positions, made.positions)


def test_nothing_is_kept_where_nothing_may_be_written(catalogue):
    make_map(catalogue, keep=False)
    assert stored_map(catalogue) is None


def test_a_map_is_old_when_pages_come_or_change(catalogue, tmp_path):
    make_map(catalogue)
    catalogue.add(entries(tmp_path / "files", ["00"], unit(1, 8, seed=9)))
    assert not stored_map(catalogue).current


def test_new_labels_do_not_make_a_map_old(catalogue, tmp_path):
    make_map(catalogue)
    catalogue.relabel([entry.page for entry in entries(tmp_path / "files", ["00"], unit(1, 8))])
    assert stored_map(catalogue).current


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"\x93NUMPY"])
def test_a_damaged_file_is_no_map(catalogue, content):
    (catalogue.folder / FILE).write_bytes(content)
    assert stored_map(catalogue) is None


def test_a_map_that_is_stopped_leaves_nothing(catalogue):
    class Stop(BaseException):
        pass

    def stage(name, total):
        def progress(number):
            raise Stop

        return progress

    with pytest.raises(Stop):
        make_map(catalogue, stage)
    assert stored_map(catalogue) is None


def test_pages_beyond_the_limit_are_put_among_those_like_them(monkeypatch):
    monkeypatch.setattr(map_layout, "LAID", 120)
    vectors, hand = hands(10, 24)
    points = lay_out(vectors)
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :5]
    assert (hand[nearest] == hand[:, None]).mean() > 0.9
