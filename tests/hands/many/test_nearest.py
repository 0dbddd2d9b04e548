"""Neighbours by short vectors."""

import numpy as np
import pytest

from dgmp.hands.many import nearest
from dgmp.hands.many.cells import find_cells
from dgmp.hands.many.nearest import propose

from .test_cells import vectors


@pytest.fixture
def pages():
    return vectors(400)


def slow(pages, number):
    products = pages.astype(np.float32) @ pages.astype(np.float32).T
    np.fill_diagonal(products, -np.inf)
    return np.argsort(-products, axis=1)[:, :number]


def test_where_all_cells_are_looked_through_those_proposed_are_the_nearest(pages, monkeypatch):
    monkeypatch.setattr(nearest, "PROBES", 1_000)
    found = propose(pages, find_cells(pages), np.arange(400, dtype=np.int32))
    expected = slow(pages, nearest.PROPOSED)
    assert [set(row) for row in found.tolist()] == [set(row) for row in expected.tolist()]


def test_those_proposed_come_nearest_first(pages):
    found = propose(pages, find_cells(pages), np.arange(400, dtype=np.int32))
    wide = pages.astype(np.float32)
    products = np.einsum("pd,pnd->pn", wide, wide[found])
    assert (np.diff(products, axis=1) <= 1e-6).all()


def test_most_of_the_nearest_are_in_the_cells_looked_through(pages, monkeypatch):
    monkeypatch.setattr(nearest, "PROBES", 16)  # of 40
    found = propose(pages, find_cells(pages), np.arange(400, dtype=np.int32))
    expected = slow(pages, 10)
    assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, expected, strict=True)]) > 0.9


def test_no_page_is_proposed_to_itself_or_twice(pages):
    found = propose(pages, find_cells(pages), np.arange(400, dtype=np.int32))
    for page, row in enumerate(found.tolist()):
        there = [other for other in row if other >= 0]
        assert page not in there
        assert len(set(there)) == len(there)


def test_of_few_pages_all_others_are_proposed():
    pages = vectors(5)
    found = propose(pages, find_cells(pages), np.arange(5, dtype=np.int32))
    assert [sorted(row) for row in found.tolist()] == [
        [other for other in range(5) if other != page] for page in range(5)
    ]
