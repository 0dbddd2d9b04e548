"""The nearest pages: those of a full sort, with an index as without."""

from dataclasses import replace

import numpy as np
import pytest

from dgmp.catalogue import Catalogue, sample_rows
from dgmp.catalogue import search as searching

from .entries import HEAD, entries, unit


def ids_of(found):
    return [hit.page_id for hit in found.hits]


@pytest.mark.parametrize("leave_out", [None, "11"])
def test_search_is_that_of_the_full_sort(filled, leave_out):
    query = filled.page("11").vectors[0]
    found = filled.search(query, 5, leave_out=leave_out)
    cosines = filled.descriptors().vectors.astype(float) @ query
    slow = sorted((-c, f"{i:02}") for i, c in enumerate(cosines) if f"{i:02}" != leave_out)[:5]
    assert ids_of(found) == [id for _, id in slow]
    assert np.allclose([hit.cosine for hit in found.hits], [-c for c, _ in slow], atol=1e-6)


def test_a_hit_has_its_path_and_writer_and_no_probability(filled, tmp_path):
    (hit,) = filled.search(filled.page("11").vectors[0], 1).hits
    assert (hit.page_id, hit.path) == ("11", str(tmp_path / "files" / "11"))
    assert (hit.writer, hit.probability) == ("1", None)


def test_the_vectors_are_those_of_the_hits(filled):
    found = filled.search(filled.page("11").vectors[0], 5)
    assert np.array_equal(
        found.vectors, np.stack([filled.page(id).vectors[0] for id in ids_of(found)])
    )


def test_equal_vectors_are_ranked_by_page_id(filled, tmp_path):
    filled.add(entries(tmp_path / "files", ["c", "a", "b"], np.repeat(unit(1, 8, seed=4), 3, 0)))
    assert ids_of(filled.search(filled.page("b").vectors[0], 2, leave_out="b")) == ["a", "c"]


def test_a_copy_of_a_page_has_the_cosine_1_with_it(filled, tmp_path):
    generator = np.random.default_rng(5)
    vector = generator.standard_normal(8).astype(np.float32)  # rounding changes this one
    vector /= np.linalg.norm(vector)
    filled.add(entries(tmp_path / "files", ["x"], vector[None]))
    (hit,) = filled.search(vector, 1).hits
    assert hit.page_id == "x"
    assert hit.cosine == pytest.approx(1, abs=1e-6)


def test_search_lists_all_pages_where_more_are_asked_for(filled):
    assert len(filled.search(filled.page("11").vectors[0], 100, leave_out="11").hits) == 39


def test_an_empty_catalogue_has_nothing_to_find(tmp_path):
    found = Catalogue.create(tmp_path / "new", HEAD).search(unit(8), 3)
    assert found.hits == ()
    assert found.vectors.shape == (0, 8)


def test_a_search_sees_what_another_process_added(filled, tmp_path):
    reader = Catalogue.open(filled.folder)
    reader.search(unit(8), 1)
    filled.add(entries(tmp_path / "files", ["new"], unit(1, 8, seed=6)))
    assert ids_of(reader.search(unit(1, 8, seed=6)[0], 1)) == ["new"]


def test_a_large_catalogue_is_searched_by_its_index(tmp_path, monkeypatch):
    monkeypatch.setattr(searching, "EXACT_PAGES", 500)
    catalogue = Catalogue.create(tmp_path / "large", replace(HEAD, dim=32))
    vectors = unit(200, 32)[np.repeat(np.arange(200), 3)] + 0.05 * unit(600, 32, seed=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [f"{i:03}" for i in range(600)]
    catalogue.add(entries(tmp_path / "files", ids, vectors.astype(np.float32)))

    def all_hits():
        return [catalogue.search(vectors[i], 10, leave_out=ids[i]).hits for i in range(0, 600, 50)]

    exact = all_hits()
    catalogue.settle()
    assert catalogue._searcher.shorts.ready
    assert all_hits() == exact


@pytest.mark.parametrize(
    ("vector", "n", "words"),
    [(unit(9), 1, r"shape \(8,\)"), (unit(8), 0, "n must be at least 1")],
)
def test_search_says_what_it_needs(filled, vector, n, words):
    with pytest.raises(ValueError, match=words):
        filled.search(vector, n)


def test_the_sample_of_a_small_catalogue_is_all_of_it(filled):
    sample, everything = filled.sample(), filled.descriptors()
    assert sample.page_ids == everything.page_ids
    assert np.array_equal(sample.vectors, everything.vectors)


def test_the_sample_of_a_large_catalogue_is_the_same_every_time():
    rows = sample_rows(5000)
    assert np.array_equal(rows, sample_rows(5000))
    assert len(np.unique(rows)) == searching.SAMPLE
    assert 0 <= rows.min() <= rows.max() < 5000


def test_a_sample_has_the_vectors_of_its_pages(filled, monkeypatch):
    monkeypatch.setattr(searching, "SAMPLE", 7)
    monkeypatch.setattr(searching, "EXACT_PAGES", 10)
    sample = filled.sample()
    assert len(sample.page_ids) == 7
    assert np.array_equal(
        sample.vectors, np.stack([filled.page(id).vectors[0] for id in sample.page_ids])
    )
