"""Scores survive a file; other files are named with the reason."""

import json

import numpy as np
import pytest

from dgmp.errors import DgmpError
from dgmp.evaluation import (
    classification_scores,
    load_scores,
    ranking_scores,
    retrieval_scores,
    save_scores,
    scores_to_json,
)
from dgmp.files import from_plain
from dgmp.rankings import rank_pages, rerank_reciprocal
from dgmp.records import Scores

VECTORS = np.eye(6)[[0, 0, 1, 1, 2, 2]] + 0.1
LABELS = ["á", "á", "b", "b", "b", "c"]
SCORES = {
    "plain": retrieval_scores(VECTORS, LABELS),
    "re-ranked": ranking_scores(rerank_reciprocal(rank_pages(VECTORS)), LABELS),
    "classified": classification_scores([[0.7, 0.3], [0.6, 0.4]], [0, 1], groups=["m", "n"]),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_survive_a_file(name, tmp_path):
    assert load_scores(save_scores(SCORES[name], tmp_path / "scores.json")) == SCORES[name]


@pytest.mark.parametrize("name", SCORES)
def test_as_json_they_are_one_line_with_all_values(name):
    text = scores_to_json(SCORES[name])
    found = json.loads(text)
    assert "\n" not in text
    assert (found.pop("format"), found.pop("version")) == ("dgmp-scores", 1)
    assert from_plain(found, Scores, "here") == SCORES[name]


def changed(**entries):
    return json.dumps(json.loads(scores_to_json(SCORES["plain"])) | entries)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "holds no scores"),
        ("[]", "is no file of scores"),
        (changed(format="other"), "is no file of scores"),
        (changed(version=99), "format version 99, this dgmp reads 1"),
        (changed(surprise=1), "unknown entry 'surprise'"),
        (changed(queries="many"), "is no Scores of this dgmp"),
    ],
)
def test_other_files_are_named_with_the_reason(text, reason, tmp_path):
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(DgmpError, match=f"scores.json: .*{reason}"):
        load_scores(tmp_path / "scores.json")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DgmpError, match=r"none\.json"):
        load_scores(tmp_path / "none.json")
