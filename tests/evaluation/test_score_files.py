"""Scores survive a file; other files are named with the reason."""

import numpy as np
import pytest

from dgmp.errors import DgmpError
from dgmp.evaluation import load_scores, retrieval_scores, save_scores


def test_scores_survive_a_file(tmp_path):
    scores = retrieval_scores(np.eye(4)[[0, 0, 1, 1, 2]], ["á", "á", "b", "b", "c"])
    assert load_scores(save_scores(scores, tmp_path / "scores.json")) == scores


@pytest.mark.parametrize(("text", "message"), [("{", "not JSON"), ("[]", "holds no scores")])
def test_other_files_are_named_with_the_reason(text, message, tmp_path):
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(DgmpError, match=f"scores.json: .*{message}"):
        load_scores(tmp_path / "scores.json")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DgmpError, match=r"none\.json"):
        load_scores(tmp_path / "none.json")
