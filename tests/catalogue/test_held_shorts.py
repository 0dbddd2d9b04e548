"""Short vectors in memory: the pages they propose, found in two steps."""

import numpy as np
import pyarrow as pa
import pytest

from dgmp.catalogue import held_shorts, rounded
from dgmp.catalogue.held_shorts import HeldShorts
from dgmp.catalogue.rows import connect
from dgmp.catalogue.shorts import _arrow

from .entries import unit


def held(vectors):
    numbers, steps = rounded(vectors)
    leading, others = np.split(numbers, [held_shorts.LEADING], axis=1)
    names = pa.array([str(i) for i in range(len(vectors))])
    return HeldShorts(names, leading, others, steps), numbers * steps[:, None]


def arrow_rows(vectors):
    steps = np.ones(len(vectors), np.float32)
    return _arrow([str(i) for i in range(len(vectors))], steps, vectors)


@pytest.fixture
def falling(monkeypatch):
    """Vectors of lengths of their own, whose entries get smaller and smaller."""
    monkeypatch.setattr(held_shorts, "LEADING", 8)
    lengths = np.random.default_rng(2).uniform(0.5, 2, (400, 1))
    return (lengths * unit(400, 32) / (1 + np.arange(32))).astype(np.float32)


def test_the_pages_with_the_largest_products_are_found(falling, monkeypatch):
    monkeypatch.setattr(held_shorts, "FOUND", 400)  # all of them: the first step leaves out none
    shorts, vectors = held(falling)
    for query in falling[::40]:
        best = np.argsort(-(vectors @ query))[:10]
        assert set(shorts.nearest(query, 10)) == set(map(str, best))


def test_leading_entries_choose_among_which_all_entries_decide(falling, monkeypatch):
    monkeypatch.setattr(held_shorts, "FOUND", 40)
    shorts, vectors = held(falling)
    query = falling[7]
    first = np.argsort(-(vectors[:, :8] @ query[:8]))[:40]
    best = first[np.argsort(-(vectors[first] @ query))[:10]]
    assert set(shorts.nearest(query, 10)) == set(map(str, best))


def test_vectors_that_are_no_projections_are_held_whole(tmp_path):
    table = connect(tmp_path).create_table("short", arrow_rows(unit(30, 200)))
    whole, parted = (HeldShorts.read(table, projected=projected) for projected in (False, True))
    assert (whole.leading.shape, whole.others.shape) == ((30, 200), (30, 0))
    assert (parted.leading.shape, parted.others.shape) == ((30, 128), (30, 72))
    both = np.hstack([parted.leading, parted.others])
    np.testing.assert_array_equal(whole.leading, both)


def test_of_fewer_pages_than_are_asked_for_all_are_found(falling):
    shorts, _ = held(falling[:5])
    assert shorts.nearest(falling[0], 10) == ["0", "1", "2", "3", "4"]


def test_pages_that_tie_with_the_last_are_all_found():
    shorts, _ = held(np.ones((30, 16), np.float32))
    assert len(shorts.nearest(np.ones(16, np.float32), 3)) == 30


def test_vectors_shorter_than_the_leading_entries_are_compared_whole():
    shorts, vectors = held(unit(50, 4))
    assert shorts.others.shape == (50, 0)
    best = np.argsort(-(vectors @ unit(50, 4)[3]))[:5]
    assert set(shorts.nearest(unit(50, 4)[3], 5)) == set(map(str, best))
