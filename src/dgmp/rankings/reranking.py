"""The re-rankings by name. Each turns a Ranking of pages among themselves into another one."""

from __future__ import annotations

from collections.abc import Callable

from ..names import choose
from ..records import Ranking
from .k_reciprocal import rerank_k_reciprocal
from .query_expansion import rerank_alpha, rerank_reciprocal
from .similarity_graph import rerank_similarity_graph

RERANKINGS: dict[str, Callable[[Ranking], Ranking]] = {
    "sgr": rerank_similarity_graph,
    "krnn": rerank_reciprocal,
    "aqe": rerank_alpha,
    "k-reciprocal": rerank_k_reciprocal,
}


def rerank(ranking: Ranking, name: str) -> Ranking:
    """Re-rank with the defaults of a method; raises UnknownName with the choices."""
    return find_reranking(name)(ranking)


def find_reranking(name: str) -> Callable[[Ranking], Ranking]:
    """The re-ranking of that name; raises UnknownName with the choices."""
    return choose(name, RERANKINGS, "re-ranking")
