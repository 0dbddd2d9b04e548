"""What all re-rankings have in common."""

import itertools

import numpy as np
import pytest

from dgmp.errors import UnknownName
from dgmp.evaluation import ranking_scores
from dgmp.rankings import RERANKINGS, rank_pages, rank_similarities, rerank
from dgmp.rankings import cosines as cosines_file
from dgmp.records import Ranking

from .clustered_pages import clustered_pages, tied_pages
from .rankings_compared import assert_same_ranking

NAMES = {
    "sgr": "SGR(k=2, layers=1, γ=0.4)",
    "krnn": "kRNN-QE(k=2)",
    "aqe": "αQE(α=3, neighbours=4)",
    "k-reciprocal": "k-reciprocal(k1=5, k2=2, λ=0.3)",
}


def map_of(ranking, labels):
    return ranking_scores(ranking, labels, resamples=0).map


def reordered(ranking, order):
    """The same ranking with its pages listed in another order."""
    new_place = np.argsort(order)
    ids = tuple(ranking.query_ids[n] for n in order)
    return Ranking(ids, ids, new_place[ranking.order[order]], ranking.similarities[order])


@pytest.mark.parametrize("name", RERANKINGS)
def test_scores_say_which_re_ranking_was_used(name):
    vectors, labels, ids = clustered_pages(0)
    scores = ranking_scores(rerank(rank_pages(vectors, ids=ids), name), labels, resamples=0)
    assert scores.reranking == NAMES[name]
    assert f"re-ranking: {NAMES[name]}" in str(scores)


@pytest.mark.parametrize(("first", "second"), [*itertools.product(RERANKINGS, repeat=2)])
def test_any_two_stack_and_both_are_recorded(first, second):
    vectors, labels, ids = clustered_pages(0, writers=20, noise=1.5)
    plain = rank_pages(vectors, ids=ids)
    found = rerank(rerank(plain, first), second)
    assert found.reranked == f"{NAMES[first]} → {NAMES[second]}"
    assert map_of(found, labels) > map_of(plain, labels)


@pytest.mark.parametrize("name", RERANKINGS)
def test_re_ranking_helps_where_writers_have_several_pages(name):
    vectors, labels, ids = clustered_pages(0, writers=20, noise=1.5)
    plain = rank_pages(vectors, ids=ids)
    assert map_of(rerank(plain, name), labels) > map_of(plain, labels) + 0.02


@pytest.mark.parametrize("make", [clustered_pages, tied_pages])
@pytest.mark.parametrize("name", RERANKINGS)
def test_the_order_of_the_pages_changes_nothing(name, make):
    vectors, _, ids = make(3)
    order = np.random.default_rng(0).permutation(len(vectors))
    first = rerank(rank_pages(vectors, ids=ids), name)
    again = rerank(rank_pages(vectors[order], ids=[ids[n] for n in order]), name)
    assert_same_ranking(again, reordered(first, order))


@pytest.mark.parametrize("name", RERANKINGS)
def test_equally_near_pages_are_in_the_order_of_their_ids(name):
    vectors, _, ids = tied_pages(1)
    found = rerank(rank_pages(vectors, ids=ids), name)
    tied = np.diff(found.similarities, axis=1) == 0
    names = np.array(ids)[found.order]
    assert tied.any()
    assert (names[:, :-1] < names[:, 1:])[tied].all()


@pytest.mark.parametrize("name", RERANKINGS)
def test_blocks_of_any_size_give_the_very_same_ranking(name, monkeypatch):
    vectors, _, ids = clustered_pages(1)
    ranking = rank_pages(vectors, ids=ids)
    whole = rerank(ranking, name)
    monkeypatch.setattr(cosines_file, "BLOCK_BYTES", 8 * 40 * 7)
    assert_same_ranking(rerank(ranking, name), whole)


@pytest.mark.parametrize("name", RERANKINGS)
def test_the_given_ranking_is_left_as_it_was(name):
    vectors, _, ids = clustered_pages(1)
    ranking = rank_pages(vectors, ids=ids)
    rerank(ranking, name)
    assert_same_ranking(ranking, rank_pages(vectors, ids=ids))


def test_an_unknown_name_is_answered_with_the_choices():
    with pytest.raises(UnknownName, match=r"did you mean 'sgr'\? Choose from sgr, krnn, aqe, k"):
        rerank(rank_pages(np.eye(8)), "srg")


PART = Ranking(("a", "b", "c"), ("a", "b", "c"), np.array([[1], [0], [0]]), np.ones((3, 1)))
BAD = {
    "rank queries and gallery together": rank_similarities(
        np.ones((2, 3)), ["q", "r"], gallery_ids=["a", "b", "c"]
    ),
    "must list every other page": PART,
    "only similarities from −1 to 1": rank_similarities(-50 * np.ones((8, 8))),
}


@pytest.mark.parametrize("name", RERANKINGS)
@pytest.mark.parametrize("message", BAD)
def test_rankings_that_cannot_be_re_ranked_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        rerank(BAD[message], name)
