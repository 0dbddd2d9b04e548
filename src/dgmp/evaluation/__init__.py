"""Rankings and probabilities to scores; ensembles, significance. Without torch."""

from .classification import class_table, classification_scores
from .ensembles import average_probabilities, fuse_rankings, softmax, vote
from .group_scores import BCubed, adjusted_rand_index, bcubed
from .page_scores import (
    check_labels,
    check_scripts,
    check_writers,
    scans_of,
    score_scripts,
    score_writers,
)
from .plots import draw_confusion, draw_precision, draw_scores
from .retrieval import ranking_scores, retrieval_scores
from .score_files import load_scores, save_scores, scores_to_json
from .significance import Difference, Differences, compare, measure, with_intervals

__all__ = [
    "BCubed",
    "Difference",
    "Differences",
    "adjusted_rand_index",
    "average_probabilities",
    "bcubed",
    "check_labels",
    "check_scripts",
    "check_writers",
    "class_table",
    "classification_scores",
    "compare",
    "draw_confusion",
    "draw_precision",
    "draw_scores",
    "fuse_rankings",
    "load_scores",
    "measure",
    "ranking_scores",
    "retrieval_scores",
    "save_scores",
    "scans_of",
    "score_scripts",
    "score_writers",
    "scores_to_json",
    "softmax",
    "vote",
    "with_intervals",
]
