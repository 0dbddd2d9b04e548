"""Rankings of vectors and of given similarities."""

import numpy as np
import pytest

from dgmp.rankings import rank_pages, rank_similarities, rerank_k_reciprocal
from dgmp.rankings.ordering import cosine_table, ranks_of_pages, stacked

from . import slow_references as slow
from .clustered_pages import clustered_pages, tied_pages
from .rankings_compared import assert_ranks_by, assert_same_ranking


@pytest.mark.parametrize("make", [clustered_pages, tied_pages])
def test_pages_are_ranked_by_cosine_and_ties_by_id(make):
    vectors, _, ids = make(0)
    ranking = rank_pages(vectors, ids=ids)
    table = slow.cosines(vectors)
    assert_ranks_by(ranking, table)
    names = np.array(ids)[ranking.order]
    tied = np.diff(ranking.similarities, axis=1) == 0
    assert (names[:, :-1] < names[:, 1:])[tied].all()


def test_given_cosines_are_ranked_as_those_of_vectors():
    vectors, _, ids = clustered_pages(1)
    ranking = rank_pages(vectors, ids=ids)
    assert_same_ranking(rank_similarities(cosine_table(ranking), ids), ranking)


def test_another_gallery_is_ranked_without_the_query():
    vectors, _, ids = clustered_pages(2)
    whole = rank_pages(vectors, ids=ids)
    apart = rank_pages(vectors[:7], ids=ids[:7], gallery=vectors, gallery_ids=ids)
    np.testing.assert_array_equal(apart.order, whole.order[:7])


def test_a_row_ends_early_where_only_some_queries_are_in_the_gallery():
    ranking = rank_similarities([[3, 2, 1], [3, 2, 1]], ["b", "z"], gallery_ids=list("abc"))
    assert ranking.order.tolist() == [[0, 2, -1], [0, 1, 2]]
    assert ranks_of_pages(ranking).tolist() == [[1, 0, 2], [1, 2, 3]]


def test_a_table_of_cosines_has_ones_on_its_diagonal():
    vectors, _, ids = clustered_pages(3)
    table = cosine_table(rank_pages(vectors, ids=ids))
    np.testing.assert_allclose(table, slow.cosines(vectors), atol=1e-7)
    assert (np.diagonal(table) == 1).all()


def test_a_table_holds_the_mean_where_a_pair_has_two_similarities():
    ranking = rank_similarities([[1, 0.2, 0.6], [0.4, 1, 0.5], [0.6, 0.1, 1]])
    np.testing.assert_allclose(cosine_table(ranking), [[1, 0.3, 0.6], [0.3, 1, 0.3], [0.6, 0.3, 1]])
    found = cosine_table(rerank_k_reciprocal(rank_pages(clustered_pages(0)[0])))
    np.testing.assert_array_equal(found, found.T)


def test_what_was_done_is_named_in_its_order():
    assert stacked(None, "A") == "A"
    assert stacked("A", "B") == "A → B"
    assert stacked(None, None) is None


BAD = {
    "similarities must be finite": lambda: rank_similarities([[0, np.inf], [0, 0]]),
    "must be square": lambda: rank_similarities(np.zeros((2, 3))),
    "those of the gallery 2": lambda: rank_pages(np.eye(3), gallery=np.eye(2)),
    "has no direction": lambda: rank_pages(np.zeros((2, 2))),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
