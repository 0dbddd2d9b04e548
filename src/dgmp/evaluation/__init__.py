"""Rankings and probabilities to scores; re-ranking, ensembles, significance. Without torch."""

from .classification import class_table, classification_scores
from .cosines import RerankedVectors
from .ensembles import average_probabilities, fuse_rankings, softmax, vote
from .expansion import alpha_expansion, reciprocal_expansion
from .group_scores import BCubed, adjusted_rand_index, bcubed
from .k_reciprocal import rerank_k_reciprocal
from .plots import draw_confusion, draw_precision, draw_scores
from .rankings import rank_pages, rank_similarities
from .retrieval import ranking_scores, retrieval_scores
from .score_files import load_scores, save_scores
from .significance import Comparison, Difference, compare, with_intervals
from .similarity_graph import rerank_similarity_graph, similarity_graph

__all__ = [
    "BCubed",
    "Comparison",
    "Difference",
    "RerankedVectors",
    "adjusted_rand_index",
    "alpha_expansion",
    "average_probabilities",
    "bcubed",
    "class_table",
    "classification_scores",
    "compare",
    "draw_confusion",
    "draw_precision",
    "draw_scores",
    "fuse_rankings",
    "load_scores",
    "rank_pages",
    "rank_similarities",
    "ranking_scores",
    "reciprocal_expansion",
    "rerank_k_reciprocal",
    "rerank_similarity_graph",
    "retrieval_scores",
    "save_scores",
    "similarity_graph",
    "softmax",
    "vote",
    "with_intervals",
]
