"""Rankings and probabilities to scores; re-ranking, ensembles, significance. Without torch."""

from .classification import class_table, classification_scores
from .ensembles import average_probabilities, fuse_rankings, softmax, vote
from .group_scores import BCubed, adjusted_rand_index, bcubed
from .k_reciprocal import rerank_k_reciprocal
from .page_scores import (
    check_labels,
    check_scripts,
    check_writers,
    scans_of,
    score_scripts,
    score_writers,
)
from .plots import draw_confusion, draw_precision, draw_scores, picture_kind
from .query_expansion import rerank_alpha, rerank_reciprocal
from .rankings import rank_pages, rank_similarities
from .reranking import RERANKINGS, find_reranking, rerank
from .retrieval import ranking_scores, retrieval_scores
from .score_files import load_scores, save_scores
from .significance import Comparison, Difference, compare, measure, with_intervals
from .similarity_graph import rerank_similarity_graph

__all__ = [
    "RERANKINGS",
    "BCubed",
    "Comparison",
    "Difference",
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
    "find_reranking",
    "fuse_rankings",
    "load_scores",
    "measure",
    "picture_kind",
    "rank_pages",
    "rank_similarities",
    "ranking_scores",
    "rerank",
    "rerank_alpha",
    "rerank_k_reciprocal",
    "rerank_reciprocal",
    "rerank_similarity_graph",
    "retrieval_scores",
    "save_scores",
    "scans_of",
    "score_scripts",
    "score_writers",
    "softmax",
    "vote",
    "with_intervals",
]
