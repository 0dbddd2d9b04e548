"""Several systems into one."""

import numpy as np
import pytest
from rankings import slow_references as slow

from dgmp.evaluation import average_probabilities, fuse_rankings, softmax, vote
from dgmp.rankings import rank_pages, rank_similarities, rerank_reciprocal

A = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
B = np.array([[0.4, 0.6, 0.0], [0.3, 0.4, 0.3]])
C = np.array([[0.4, 0.5, 0.1], [0.1, 0.2, 0.7]])


def test_the_papers_ensemble_weights_by_validation_accuracy():
    expected = (0.9 * A + 0.6 * B) / 1.5
    np.testing.assert_allclose(average_probabilities([A, B], accuracies=[0.9, 0.6]), expected)


def test_without_accuracies_it_is_the_plain_mean():
    np.testing.assert_allclose(average_probabilities([A, B, C]), (A + B + C) / 3)


def test_equal_accuracies_are_the_plain_mean():
    equal = average_probabilities([A, B], accuracies=[0.7, 0.7])
    np.testing.assert_allclose(equal, average_probabilities([A, B]))


def test_the_majority_wins_a_vote():
    shares = vote([A, B, C])
    np.testing.assert_allclose(shares, [[1 / 3, 2 / 3, 0], [0, 1 / 3, 2 / 3]], atol=1e-5)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_equal_votes_are_settled_by_the_mean_probability():
    assert vote([A, B])[0].argmax() == 0  # 0.9 + 0.4 against 0.1 + 0.6


def test_softmax_does_not_overflow():
    np.testing.assert_allclose(softmax([[1e4, 1e4], [-1e4, 0]]), [[0.5, 0.5], [0, 1]])


def rankings(count=2):
    generator = np.random.default_rng(0)
    vectors = [generator.standard_normal((12, 5)) for _ in range(count)]
    return vectors, [rank_pages(part) for part in vectors]


def test_fusing_by_similarity_ranks_by_the_mean():
    vectors, parts = rankings()
    mean = sum(slow.cosines(part) for part in vectors) / 2
    assert (fuse_rankings(parts).order == rank_similarities(mean).order).all()


def test_fusing_a_ranking_with_itself_changes_nothing():
    _, (first, _) = rankings()
    for by in ("similarity", "rank"):
        assert (fuse_rankings([first, first], by=by).order == first.order).all()


def test_fusing_by_rank_forgets_the_scale():
    vectors, parts = rankings()
    stretched = rank_similarities(1000 * slow.cosines(vectors[1]))
    first = fuse_rankings(parts, by="rank", weights=[1, 2])
    again = fuse_rankings([parts[0], stretched], by="rank", weights=[1, 2])
    assert (first.order == again.order).all()


def test_a_fused_ranking_says_that_a_part_was_re_ranked():
    _, (first, second) = rankings()
    assert fuse_rankings([first, rerank_reciprocal(second)]).reranked == "kRNN-QE(k=2)"
    assert fuse_rankings([first, first]).reranked is None


BAD = {
    "no system": lambda: vote([]),
    "same pages and classes": lambda: average_probabilities([A, B[:1]]),
    "2 systems, but 1 weights": lambda: average_probabilities([A, B], accuracies=[1]),
    "not be negative": lambda: average_probabilities([A, B], accuracies=[1, -1]),
    "system 1: row 0 must be shares": lambda: vote([A, 2 * B]),
    "logits must be finite": lambda: softmax([[np.inf, 0]]),
    "no ranking": lambda: fuse_rankings([]),
    "by must be": lambda: fuse_rankings(rankings()[1], by="votes"),
    "same query_ids": lambda: fuse_rankings([rank_pages(np.eye(3)), rank_pages(np.eye(4))]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
