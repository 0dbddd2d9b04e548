"""All pages in the order of their ids, some at a time."""

import numpy as np

from dgmp.catalogue import Catalogue, pages_in_order, rows_at, unrounded

from .entries import HEAD, entries, unit


def test_pages_come_in_the_order_of_their_ids_wherever_they_lie(tmp_path):
    catalogue = Catalogue.create(tmp_path / "c", HEAD)
    for id, vector in zip("dbca", unit(4, 8), strict=True):
        catalogue.add(entries(tmp_path / "files", [id], [vector]))
    catalogue.drop(["c"])
    ids, places = pages_in_order(catalogue)
    assert ids == ("a", "b", "d")
    stored, _ = rows_at(catalogue, places)
    np.testing.assert_allclose(unrounded(stored), catalogue.descriptors().vectors, atol=1e-6)


def test_rows_come_in_the_order_of_the_places(filled):
    _, places = pages_in_order(filled)
    chosen = np.array([7, 3, 30, 4])
    stored, halves = rows_at(filled, places[chosen])
    expected = filled.descriptors().vectors[chosen]
    np.testing.assert_allclose(unrounded(stored), expected, atol=1e-6)
    assert np.isnan(halves).all()


def test_an_empty_catalogue_has_no_pages(tmp_path):
    ids, places = pages_in_order(Catalogue.create(tmp_path / "c", HEAD))
    assert (ids, len(places)) == ((), 0)
