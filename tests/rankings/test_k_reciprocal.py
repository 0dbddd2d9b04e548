"""k-reciprocal re-ranking against the slow version of its definition, and its limits."""

from functools import partial

import numpy as np
import pytest

from dgmp.rankings import rank_pages, rerank_k_reciprocal

from . import slow_references as slow
from .clustered_pages import clustered_pages, tied_pages
from .rankings_compared import assert_ranks_by


@pytest.mark.parametrize("make", [clustered_pages, tied_pages])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("k1", "k2", "weight"), [(5, 2, 0.3), (4, 1, 0.0), (3, 3, 0.7)])
def test_distances_agree_with_their_definition(make, seed, k1, k2, weight):
    vectors, _, ids = make(seed)
    found = rerank_k_reciprocal(rank_pages(vectors, ids=ids), k1=k1, k2=k2, weight=weight)
    assert_ranks_by(found, 1 - slow.k_reciprocal(slow.cosines(vectors), ids, k1, k2, weight))


def test_with_all_weight_on_the_original_distance_the_order_stays():
    vectors, _, ids = clustered_pages(0)
    ranking = rank_pages(vectors, ids=ids)
    np.testing.assert_array_equal(rerank_k_reciprocal(ranking, weight=1).order, ranking.order)


RERANK = partial(rerank_k_reciprocal, rank_pages(clustered_pages(0)[0]))
BAD = {
    "k1 must be from 1 to 39": partial(RERANK, k1=40),
    "k2 must be from 1 to k1": partial(RERANK, k2=9),
    "weight must be from 0 to 1": partial(RERANK, weight=2),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
