"""All pages in the order of their ids, some at a time."""

import numpy as np
import pytest

from dgmp.catalogue import Catalogue, pages_in_order, rows_at, unrounded, vectors_digest
from dgmp.errors import CatalogueError

from .entries import HEAD, entries, unit


def test_pages_come_in_the_order_of_their_ids_wherever_they_lie(tmp_path):
    catalogue = Catalogue.create(tmp_path / "c", HEAD)
    for id, vector in zip("dbca", unit(4, 8), strict=True):
        catalogue.add(entries(tmp_path / "files", [id], [vector]))
    catalogue.drop(["c"])
    ids, places, digest = pages_in_order(catalogue)
    assert digest == vectors_digest(catalogue)
    assert ids == ("a", "b", "d")
    stored, _ = rows_at(catalogue, ids, places)
    np.testing.assert_allclose(unrounded(stored), catalogue.descriptors().vectors, atol=1e-6)


def test_rows_come_in_the_order_of_the_places(filled):
    ids, places, _ = pages_in_order(filled)
    chosen = np.array([7, 3, 30, 4])
    stored, halves = rows_at(filled, [ids[i] for i in chosen], places[chosen])
    expected = filled.descriptors().vectors[chosen]
    np.testing.assert_allclose(unrounded(stored), expected, atol=1e-6)
    assert np.isnan(halves).all()


@pytest.mark.parametrize(
    "write",
    [
        lambda other: other.relabel(other.pages(["03"])),
        lambda other: other.drop(["03"]),
        lambda other: other.drop(["39"]),  # the last: no other moves
    ],
    ids=["relabelled", "taken out", "last taken out"],
)
def test_rows_that_moved_meanwhile_are_not_taken_for_those_before(filled, write):
    ids, places, _ = pages_in_order(filled)
    write(Catalogue.open(filled.folder))
    with pytest.raises(CatalogueError, match=r"catalogue: was written to meanwhile; run it again"):
        rows_at(filled, ids, places)


def test_an_empty_catalogue_has_no_pages(tmp_path):
    ids, places, _ = pages_in_order(Catalogue.create(tmp_path / "c", HEAD))
    assert (ids, len(places)) == ((), 0)
