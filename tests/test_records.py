"""The nouns keep their conventions and survive a file."""

import json

import numpy as np
import pytest

from dgmp.evaluation import (
    classification_scores,
    rank_pages,
    ranking_scores,
    rerank_reciprocal,
    retrieval_scores,
)
from dgmp.records import Descriptors, Ranking, Scores

VECTORS = np.eye(6)[[0, 0, 1, 1, 2, 2]] + 0.1
LABELS = ["á", "á", "b", "b", "b", "c"]
SCORES = {
    "plain": retrieval_scores(VECTORS, LABELS),
    "re-ranked": ranking_scores(rerank_reciprocal(rank_pages(VECTORS)), LABELS),
    "classified": classification_scores([[0.7, 0.3], [0.6, 0.4]], [0, 1], groups=["m", "n"]),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_survive_json(name):
    assert Scores.from_json(SCORES[name].to_json()) == SCORES[name]


@pytest.mark.parametrize("name", SCORES)
def test_a_table_has_every_measure_and_says_whether_the_gallery_was_used(name):
    scores = SCORES[name]
    table = str(scores)
    assert all(f"\n{measure} " in table for measure in scores.values)
    assert f"re-ranking: {scores.reranking or 'none'}" in table


def changed(**entries):
    return json.dumps(json.loads(SCORES["plain"].to_json()) | entries)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "holds no scores"),
        (changed(format="other"), "holds no scores"),
        (changed(version=99), "format version 99, this dgmp reads 1"),
        (changed(surprise=1), "unknown ones: surprise"),
    ],
)
def test_other_json_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Scores.from_json(text)


def test_a_measure_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(KeyError, match="accuracy"):
        SCORES["classified"]["map"]


UNIT = np.eye(2, dtype=np.float32)
ORDER = np.array([[1], [0]])
BAD = {
    "need vectors of shape": lambda: Descriptors(("a",), UNIT, {}),
    "must be float32": lambda: Descriptors(("a", "b"), np.eye(2), {}),
    "2 page_ids, but 1 labels": lambda: Descriptors(("a", "b"), UNIT, {}, ("x",)),
    "page_ids must differ": lambda: Descriptors(("a", "a"), UNIT, {}),
    "that of 'a' has length 2": lambda: Descriptors(("a", "b"), 2 * UNIT, {}),
    "that of 'a' has length nan": lambda: Descriptors(("a", "b"), np.nan * UNIT, {}),
    "need an order of that many rows": lambda: Ranking(("a",), ("a", "b"), ORDER, ORDER * 1.0),
    "shape of order": lambda: Ranking(("a", "b"), ("a", "b"), ORDER, np.zeros((1, 1))),
    "gallery_ids must differ": lambda: Ranking(("a", "b"), ("a", "a"), ORDER, ORDER * 1.0),
    "places below 1": lambda: Ranking(("a", "b"), ("c",), ORDER, ORDER * 1.0),
}


@pytest.mark.parametrize("message", BAD)
def test_a_record_refuses_what_breaks_its_convention(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
