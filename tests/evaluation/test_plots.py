"""Scores draw themselves."""

import sys

import numpy as np
import pytest

from dgmp.errors import MissingExtra
from dgmp.evaluation import (
    classification_scores,
    draw_confusion,
    draw_precision,
    draw_scores,
    retrieval_scores,
)

RETRIEVAL = retrieval_scores(np.eye(4)[[0, 0, 1, 1, 2]], list("aabbb"))
CLASSIFICATION = classification_scores([[0.7, 0.3], [0.6, 0.4]], ["x", "y"], classes=["x", "y"])
PNG = b"\x89PNG"


@pytest.mark.parametrize("scores", [RETRIEVAL, CLASSIFICATION], ids=["retrieval", "classification"])
def test_scores_draw_themselves(scores, tmp_path):
    assert draw_scores(scores, tmp_path / "scores.png").read_bytes()[:4] == PNG


def test_several_systems_stand_in_one_picture(tmp_path):
    path = draw_precision({"one": RETRIEVAL, "two": RETRIEVAL}, tmp_path / "both.png")
    assert path.read_bytes()[:4] == PNG


def test_the_wrong_picture_is_refused(tmp_path):
    with pytest.raises(ValueError, match="a retrieval has no confusion matrix"):
        draw_confusion(RETRIEVAL, tmp_path / "no.png")
    with pytest.raises(ValueError, match="a classification has no precision at rank"):
        draw_precision({"": CLASSIFICATION}, tmp_path / "no.png")


def test_without_matplotlib_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"dgmp\[learning\]"):
        draw_scores(RETRIEVAL, tmp_path / "no.png")
