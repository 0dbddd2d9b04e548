"""SGR against the slow version of its definition."""

from functools import partial

import pytest

from dgmp.rankings import rank_pages, rerank_similarity_graph

from . import slow_references as slow
from .clustered_pages import clustered_pages, tied_pages
from .rankings_compared import assert_ranks_by


@pytest.mark.parametrize("make", [clustered_pages, tied_pages])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("k", "gamma"), [(2, 0.4), (1, 0.9), (4, 0.1)])
def test_one_layer_agrees_with_its_definition(make, seed, k, gamma):
    vectors, _, ids = make(seed)
    found = rerank_similarity_graph(rank_pages(vectors, ids=ids), k=k, gamma=gamma)
    assert_ranks_by(found, slow.similarity_graph(slow.cosines(vectors), ids, k, 1, gamma))


@pytest.mark.parametrize("layers", [2, 3])
def test_several_layers_agree_with_their_definition(layers):
    vectors, _, ids = clustered_pages(5)
    found = rerank_similarity_graph(rank_pages(vectors, ids=ids), layers=layers)
    assert_ranks_by(found, slow.similarity_graph(slow.cosines(vectors), ids, 2, layers, 0.4))


RERANK = partial(rerank_similarity_graph, rank_pages(clustered_pages(0)[0]))
BAD = {
    "k must be from 1 to 39, the number of other pages, got 0": partial(RERANK, k=0),
    "layers must be at least 1": partial(RERANK, layers=0),
    "gamma must be positive": partial(RERANK, gamma=0),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
