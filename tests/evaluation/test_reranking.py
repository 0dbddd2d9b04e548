"""Re-ranking against slow versions from the definitions, and what all of it has in common."""

from functools import partial

import numpy as np
import pytest
import slow_references as slow

from dgmp.evaluation import (
    alpha_expansion,
    rank_pages,
    rank_similarities,
    ranking_scores,
    reciprocal_expansion,
    rerank_k_reciprocal,
    rerank_similarity_graph,
    retrieval_scores,
    similarity_graph,
)
from dgmp.records import Descriptors

CLOSE = {"rtol": 0, "atol": 1e-6}  # cosines are of rows rounded to 2⁻²⁶, tables are float32


def corpus(seed, writers=8, pages=5, dim=24, noise=1.2):
    generator = np.random.default_rng(seed)
    hands = generator.standard_normal((writers, dim)).repeat(pages, axis=0)
    vectors = hands + noise * generator.standard_normal(hands.shape)
    ids = [f"p{number:03d}" for number in generator.permutation(len(vectors))]
    return vectors, [str(n // pages) for n in range(len(vectors))], ids


def tied_corpus(seed):
    """Unit rows of multiples of a half, every row twice: ties everywhere."""
    generator = np.random.default_rng(seed)
    vectors = np.zeros((20, 6))
    for row in vectors:
        row[generator.choice(6, 4, replace=False)] = generator.choice([-1.0, 1.0], 4)
    vectors[10:] = vectors[:10]
    ids = [f"p{number:03d}" for number in generator.permutation(20)]
    return vectors, [str(n % 7) for n in range(20)], ids


@pytest.mark.parametrize("make", [corpus, tied_corpus])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 2, 4])
def test_reciprocal_expansion_agrees_with_its_definition(make, seed, k):
    vectors, _, ids = make(seed)
    found = reciprocal_expansion(vectors, k=k, ids=ids)
    np.testing.assert_allclose(found, slow.reciprocal_expansion(vectors, ids, k), **CLOSE)


def test_so_it_does_with_many_neighbours():
    vectors, _, ids = corpus(4)
    found = reciprocal_expansion(vectors, k=35, ids=ids)
    np.testing.assert_allclose(found, slow.reciprocal_expansion(vectors, ids, 35), **CLOSE)


@pytest.mark.parametrize("make", [corpus, tied_corpus])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0, 1, 3])
def test_alpha_expansion_agrees_with_its_definition(make, seed, alpha):
    vectors, _, ids = make(seed)
    found = alpha_expansion(vectors, alpha=alpha, neighbours=3, ids=ids)
    np.testing.assert_allclose(found, slow.alpha_expansion(vectors, ids, alpha, 3), **CLOSE)


def test_alpha_expansion_in_another_gallery_agrees_with_its_definition():
    vectors, _, ids = corpus(1)
    shelf, _, shelf_ids = corpus(2)  # half of the ids of the queries are among these
    shelf, shelf_ids = shelf[:20], shelf_ids[:20]
    found = alpha_expansion(vectors, gallery=shelf, ids=ids, gallery_ids=shelf_ids)
    expected = slow.alpha_expansion(vectors, ids, 3, 4, shelf, shelf_ids)
    np.testing.assert_allclose(found, expected, **CLOSE)


@pytest.mark.parametrize("make", [corpus, tied_corpus])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("k", "layers", "gamma"), [(2, 1, 0.4), (1, 1, 0.9), (4, 1, 0.1)])
def test_similarity_graph_agrees_with_its_definition(make, seed, k, layers, gamma):
    vectors, _, ids = make(seed)
    found = similarity_graph(vectors, k=k, layers=layers, gamma=gamma, ids=ids)
    expected = slow.similarity_graph(slow.cosines(vectors), ids, k, layers, gamma)
    np.testing.assert_allclose(found, expected, **CLOSE)


@pytest.mark.parametrize("layers", [2, 3])
def test_similarity_graph_of_several_layers_agrees_with_its_definition(layers):
    vectors, _, ids = corpus(5)
    found = similarity_graph(vectors, layers=layers, ids=ids)
    expected = slow.similarity_graph(slow.cosines(vectors), ids, 2, layers, 0.4)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_similarity_graph_of_a_ranking_is_that_of_its_vectors(seed):
    vectors, _, ids = corpus(seed)
    ranking = rerank_similarity_graph(rank_pages(vectors, ids=ids))
    expected = rank_pages(similarity_graph(vectors, ids=ids), ids=ids)
    np.testing.assert_allclose(ranking.similarities, expected.similarities, **CLOSE)
    assert (ranking.order == expected.order).mean() > 0.99  # the last bits of float32 may swap two
    assert ranking.reranked == expected.reranked


@pytest.mark.parametrize("make", [corpus, tied_corpus])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("k1", "k2", "weight"), [(5, 2, 0.3), (4, 1, 0.0), (3, 3, 0.7)])
def test_k_reciprocal_agrees_with_its_definition(make, seed, k1, k2, weight):
    vectors, _, ids = make(seed)
    found = rerank_k_reciprocal(rank_pages(vectors, ids=ids), k1=k1, k2=k2, weight=weight)
    expected = slow.k_reciprocal(slow.cosines(vectors), ids, k1, k2, weight)
    distances = np.take_along_axis(expected, found.order, axis=1)
    np.testing.assert_allclose(1 - found.similarities, distances, **CLOSE)
    assert (np.diff(distances, axis=1) > -1e-6).all()


def k_reciprocal_of_all(vectors, ids):
    return rerank_k_reciprocal(rank_pages(vectors, ids=ids))


def scored(result, labels, ids):
    if isinstance(result, np.ndarray):
        return retrieval_scores(result, labels, ids=ids, resamples=0)
    return ranking_scores(result, labels, resamples=0)


METHODS = {
    "kRNN-QE(k=2)": lambda vectors, ids: reciprocal_expansion(vectors, ids=ids),
    "αQE(α=3, neighbours=4)": lambda vectors, ids: alpha_expansion(vectors, ids=ids),
    "SGR(k=2, layers=1, γ=0.4)": lambda vectors, ids: similarity_graph(vectors, ids=ids),
    "k-reciprocal(k1=5, k2=2, λ=0.3)": k_reciprocal_of_all,
}


@pytest.mark.parametrize("name", METHODS)
def test_scores_say_which_re_ranking_was_used(name):
    vectors, labels, ids = corpus(0)
    scores = scored(METHODS[name](vectors, ids), labels, ids)
    assert scores.reranking == name
    assert f"re-ranking: {name}" in str(scores)
    assert retrieval_scores(vectors, labels, resamples=0).reranking is None


@pytest.mark.parametrize("name", METHODS)
def test_re_ranking_helps_where_writers_have_several_pages(name):
    vectors, labels, ids = corpus(0, writers=20, noise=1.5)
    plain = scored(vectors, labels, ids)
    assert scored(METHODS[name](vectors, ids), labels, ids).map > plain.map + 0.02


@pytest.mark.parametrize("name", METHODS)
def test_the_order_of_the_pages_does_not_matter(name):
    vectors, labels, ids = corpus(3)
    order = np.random.default_rng(0).permutation(len(vectors))
    first = scored(METHODS[name](vectors, ids), labels, ids)
    moved_labels, moved_ids = [labels[n] for n in order], [ids[n] for n in order]
    again = scored(METHODS[name](vectors[order], moved_ids), moved_labels, moved_ids)
    assert again.map == pytest.approx(first.map, abs=1e-12)


def test_methods_stack_and_say_so_in_their_order():
    vectors, labels, ids = corpus(0)
    spread = similarity_graph(reciprocal_expansion(vectors, ids=ids), ids=ids)
    both = "kRNN-QE(k=2) → SGR(k=2, layers=1, γ=0.4)"
    assert retrieval_scores(spread, labels, ids=ids, resamples=0).reranking == both
    ranking = rerank_k_reciprocal(rank_pages(spread, ids=ids))
    assert ranking.reranked == f"{both} → k-reciprocal(k1=5, k2=2, λ=0.3)"
    assert rerank_similarity_graph(ranking).reranked.endswith(" → SGR(k=2, layers=1, γ=0.4)")


def test_what_vectors_were_made_by_survives_descriptors_and_cutting():
    vectors, labels, ids = corpus(0)
    expanded = reciprocal_expansion(vectors.astype(np.float32), ids=ids)
    pages = Descriptors(tuple(ids), expanded, {}, tuple(labels))
    assert retrieval_scores(pages, resamples=0).reranking == "kRNN-QE(k=2)"
    assert retrieval_scores(expanded[5:], labels[5:], resamples=0).reranking == "kRNN-QE(k=2)"
    plain = np.asarray(expanded)
    assert retrieval_scores(plain, labels, reranking="mine", resamples=0).reranking == "mine"


@pytest.mark.parametrize("method", [reciprocal_expansion, alpha_expansion, similarity_graph])
def test_new_vectors_are_unit_rows(method):
    rows = method(corpus(1)[0].astype(np.float32))
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)


VECTORS = corpus(0)[0]
ELSEWHERE = rank_similarities(np.ones((2, 3)), ["q", "r"], gallery_ids=["a", "b", "c"])
BAD = {
    "k must be from 1 to 39": partial(reciprocal_expansion, VECTORS, k=40),
    "neighbours must be from 1 to 39": partial(alpha_expansion, VECTORS, neighbours=0),
    "alpha must be 0 or more": partial(alpha_expansion, VECTORS, alpha=-1),
    "those of the gallery 2": partial(alpha_expansion, VECTORS, gallery=np.eye(2)),
    "k must be from 1 to 39, the number of other pages, got 0": partial(
        similarity_graph, VECTORS, k=0
    ),
    "layers must be at least 1": partial(similarity_graph, VECTORS, layers=0),
    "gamma must be positive": partial(similarity_graph, VECTORS, gamma=0),
    "rank queries and gallery together": partial(rerank_k_reciprocal, ELSEWHERE),
    "pages among themselves": partial(rerank_similarity_graph, ELSEWHERE),
    "k1 must be from 1 to 39": partial(rerank_k_reciprocal, rank_pages(VECTORS), k1=40),
    "k2 must be from 1 to k1": partial(rerank_k_reciprocal, rank_pages(VECTORS), k2=9),
    "weight must be from 0 to 1": partial(rerank_k_reciprocal, rank_pages(VECTORS), weight=2),
    "has no direction": partial(reciprocal_expansion, np.zeros((4, 2))),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
