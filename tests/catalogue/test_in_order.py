"""All pages in the order of their ids, some at a time; short vectors, kept or made anew."""

import numpy as np
import pytest

from dgmp.catalogue import (
    Catalogue,
    Head,
    pages_in_order,
    rows_at,
    search,
    short_vectors,
    unrounded,
    vectors_digest,
)
from dgmp.catalogue.projection import SHORT
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


def test_vectors_that_are_short_already_stay(filled):
    ids, vectors = short_vectors(filled)
    assert ids == filled.descriptors().page_ids
    np.testing.assert_allclose(vectors, filled.descriptors().vectors, atol=1e-6)


@pytest.mark.parametrize(("pages", "width"), [(1, 1), (50, 50), (520, SHORT)])
def test_products_of_short_vectors_are_those_of_the_long_ones(tmp_path, pages, width):
    catalogue = Catalogue.create(tmp_path / "c", Head({"kind": "drawn"}, 600, "drawn"))
    few = unit(pages, 40) @ unit(40, 600, seed=1)  # in 40 directions of 600
    few /= np.linalg.norm(few, axis=1, keepdims=True)
    catalogue.add(entries(tmp_path / "files", [f"{i:03}" for i in range(pages)], few))
    _, vectors = short_vectors(catalogue)
    long = catalogue.descriptors().vectors
    assert vectors.shape == (pages, width)
    np.testing.assert_allclose(vectors @ vectors.T, long @ long.T, atol=2e-3)


def test_an_empty_catalogue_has_no_short_vectors(tmp_path):
    ids, vectors = short_vectors(Catalogue.create(tmp_path / "c", HEAD))
    assert ids == ()
    assert len(vectors) == 0


def test_of_a_large_catalogue_those_that_are_kept_are_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "EXACT_PAGES", 200)
    catalogue = Catalogue.create(tmp_path / "c", HEAD)
    ids = [f"{i:03}" for i in range(300)]
    catalogue.add(entries(tmp_path / "files", ids, unit(300, 8)))
    made, before = short_vectors(catalogue)
    catalogue.settle()
    catalogue.drop(["007"])
    kept, after = short_vectors(catalogue)
    assert set(made) - set(kept) == {"007"}
    np.testing.assert_allclose(np.delete(before, 7, axis=0), after, atol=4e-3)  # of 8 bits


def test_the_digest_changes_with_the_pages_and_only_then(filled, tmp_path):
    before = vectors_digest(filled)
    assert vectors_digest(Catalogue.open(filled.folder)) == before
    filled.drop(["00"])
    assert vectors_digest(filled) != before


def test_the_digest_changes_with_a_vector_of_the_same_step(filled, tmp_path):
    before = vectors_digest(filled)
    filled.add(entries(tmp_path / "files", ["00"], -unit(40, 8)[:1]))
    assert vectors_digest(filled) != before
