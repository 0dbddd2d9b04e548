"""kRNN-QE and αQE against expanded vectors, their limits, and what they refuse."""

import numpy as np
import pytest

from dgmp.rankings import rank_pages, rank_similarities, rerank_alpha, rerank_reciprocal

from . import slow_references as slow
from .clustered_pages import clustered_pages, tied_pages
from .rankings_compared import assert_ranks_by, assert_same_ranking


@pytest.mark.parametrize("make", [clustered_pages, tied_pages])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 2, 4])
def test_reciprocal_expansion_ranks_by_the_expanded_vectors(make, seed, k):
    vectors, _, ids = make(seed)
    found = rerank_reciprocal(rank_pages(vectors, ids=ids), k=k)
    assert_ranks_by(found, slow.reciprocal_expansion(vectors, ids, k))


def test_reciprocal_expansion_takes_many_neighbours():
    vectors, _, ids = clustered_pages(4)
    found = rerank_reciprocal(rank_pages(vectors, ids=ids), k=35)
    assert_ranks_by(found, slow.reciprocal_expansion(vectors, ids, 35))


@pytest.mark.parametrize("make", [clustered_pages, tied_pages])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0, 1, 3])
def test_alpha_expansion_ranks_by_the_expanded_vectors(make, seed, alpha):
    vectors, _, ids = make(seed)
    found = rerank_alpha(rank_pages(vectors, ids=ids), alpha=alpha, neighbours=3)
    assert_ranks_by(found, slow.alpha_expansion(vectors, ids, alpha, 3))


def test_a_large_alpha_leaves_the_ranking_as_it_is():
    vectors, _, ids = clustered_pages(0)
    ranking = rank_pages(vectors, ids=ids)
    found = rerank_alpha(ranking, alpha=1e6)
    np.testing.assert_array_equal(found.order, ranking.order)
    np.testing.assert_allclose(found.similarities, ranking.similarities, atol=1e-11)


def test_orthogonal_pages_are_no_help_to_each_other():
    ranking = rank_pages(np.eye(6))
    assert_same_ranking(rerank_alpha(ranking), ranking)


def test_only_reciprocal_neighbours_count():
    # b and c are each other's nearest; a is nearest to b, but b is not nearest to a.
    vectors = np.array([[1.0, 1.2], [0.3, 1.0], [0.2, 1.0]])
    found = rerank_reciprocal(rank_pages(vectors, ids="abc"), k=1)
    middle = vectors[1] / np.linalg.norm(vectors[1]) + vectors[2] / np.linalg.norm(vectors[2])
    expected = slow.cosines([vectors[0], middle, middle])
    assert_ranks_by(found, expected)


RANKING = rank_pages(clustered_pages(0)[0])
OPPOSITE = rank_similarities([[1.0, -1.0], [-1.0, 1.0]], ["a", "b"])
BAD = {
    "k must be from 1 to 39, the number of other pages, got 40": lambda: rerank_reciprocal(
        RANKING, k=40
    ),
    "neighbours must be from 1 to 39": lambda: rerank_alpha(RANKING, neighbours=0),
    "alpha must be 0 or more": lambda: rerank_alpha(RANKING, alpha=-1),
    "'a' and its neighbours cancel": lambda: rerank_reciprocal(OPPOSITE, k=1),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
