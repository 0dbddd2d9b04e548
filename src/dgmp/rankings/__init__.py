"""Vectors to a Ranking, and a Ranking to a better one. Without torch."""

from .checks import (
    Labels,
    Places,
    by_id,
    checked_ids,
    checked_ks,
    checked_labels,
    checked_vectors,
)
from .cosines import similarity_blocks, whole_rows
from .k_reciprocal import rerank_k_reciprocal
from .ordering import rank_pages, rank_similarities, ranks_of_pages
from .query_expansion import rerank_alpha, rerank_reciprocal
from .reranking import RERANKINGS, find_reranking, rerank
from .similarity_graph import rerank_similarity_graph

__all__ = [
    "RERANKINGS",
    "Labels",
    "Places",
    "by_id",
    "checked_ids",
    "checked_ks",
    "checked_labels",
    "checked_vectors",
    "find_reranking",
    "rank_pages",
    "rank_similarities",
    "ranks_of_pages",
    "rerank",
    "rerank_alpha",
    "rerank_k_reciprocal",
    "rerank_reciprocal",
    "rerank_similarity_graph",
    "similarity_blocks",
    "whole_rows",
]
