"""Similarity graph re-ranking (SGR): pages are compared by their similarities to all pages.

    A_ij = exp(−(1 − S_ij)² / γ)                                  S: cosines of the pages
    repeat: A ← (A + Aᵀ)/2;  h_i = A_i + Σ_{j ∈ kNN_A(i)} S_ij A_j;  A_i ← h_i / ‖h_i‖

The rows of A are the new vectors, one entry per page; the new similarities are their cosines. i is
not its own neighbour.

All h_i of a layer are computed from the A before it. The published code adds into A while it goes
along the rows, so that later pages see earlier pages already changed and the result depends on the
order of the files; values differ a little from it for that reason.

Peer, Kleber, Sablatnig: Towards Writer Retrieval for Historical Datasets, ICDAR 2023.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..records import Floats, Ranking
from .checks import Places, by_id
from .cosines import block_size
from .mixtures import Mixture
from .ordering import check_own_gallery, cosine_table, rank_pages, stacked


def rerank_similarity_graph(
    ranking: Ranking, *, k: int = 2, layers: int = 1, gamma: float = 0.4
) -> Ranking:
    """SGR with k neighbours. ``k`` should stay below the number of pages by one writer."""
    check_own_gallery(ranking)
    _check(k, layers, gamma, len(ranking.gallery_ids))
    # In the order of the ids: a tie falls to the first column, and no sum depends on file order.
    order = by_id(ranking.gallery_ids)
    back = np.argsort(order)
    neighbours = back[ranking.order[order, :k]]
    graph = _propagated(cosine_table(ranking)[np.ix_(order, order)], neighbours, layers, gamma)
    # rank_pages brings the rows to unit length; the order of the columns does not change a cosine.
    new = rank_pages(graph[back], ids=ranking.gallery_ids)
    method = f"SGR(k={k}, layers={layers}, γ={gamma:g})"
    return replace(new, reranked=stacked(ranking.reranked, method))


def _propagated(cosines: Floats, neighbours: Places, layers: int, gamma: float) -> Floats:
    """The rows h_i of the last layer; ``neighbours`` are those of the first.

    A rises with S, so the nearest in S are the nearest in A, with no rounding between.
    """
    graph = np.exp(-np.square(1 - cosines) / gamma)
    for layer in range(layers):
        if layer:
            graph /= np.linalg.norm(graph, axis=1, keepdims=True)
            graph = (graph + graph.T) / 2
            neighbours = _nearest_others(graph, neighbours.shape[1])
        weights = np.take_along_axis(cosines, neighbours, axis=1)
        graph = Mixture.with_own_rows(neighbours, weights).mix_rows(graph)
    return graph


def _nearest_others(graph: Floats, k: int) -> Places:
    """The columns of the k largest of each row but the diagonal, the earlier when equal."""
    found = np.empty((len(graph), k), dtype=np.intp)
    step = block_size(len(graph))
    for start in range(0, len(graph), step):
        falling = -graph[start : start + step]
        own = np.arange(len(falling))
        falling[own, start + own] = np.inf
        found[start : start + step] = np.argsort(falling, axis=1, kind="stable")[:, :k]
    return found


def _check(k: int, layers: int, gamma: float, count: int) -> None:
    if not 1 <= k < count:
        raise ValueError(f"k must be from 1 to {count - 1}, the number of other pages, got {k}")
    if layers < 1:
        raise ValueError(f"layers must be at least 1, got {layers}")
    if not gamma > 0:
        raise ValueError(f"gamma must be positive, got {gamma}")
