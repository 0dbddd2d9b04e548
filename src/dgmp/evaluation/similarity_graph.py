"""Similarity graph re-ranking (SGR): pages are compared by their similarities to all pages.

    A_ij = exp(−(1 − S_ij)² / γ)                                  S: cosines of the pages
    repeat: A ← (A + Aᵀ)/2;  h_i = A_i + Σ_{j ∈ kNN_A(i)} S_ij A_j;  A_i ← h_i / ‖h_i‖

The rows of A are the new vectors, one entry per page. i is not its own neighbour.

All h_i of a layer are computed from the A before it. The published code adds into A while it goes
along the rows, so that later pages see earlier pages already changed and the result depends on the
order of the files; values differ a little from it for that reason.

The table takes 4·pages² bytes twice: 100 MB for 3 600 pages, 3 GB for 20 000.

Peer, Kleber, Sablatnig: Towards Writer Retrieval for Historical Datasets, ICDAR 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..records import Ranking
from .checks import Floats, Labels, Places, by_id, checked_ids, checked_vectors
from .cosines import (
    RerankedVectors,
    block_size,
    mark,
    nearest,
    similarity_blocks,
    stacked,
    whole_rows,
)
from .rankings import check_own_gallery, rank_pages, similarity_table

Blocks = Callable[[], Iterator[tuple[int, Floats]]]


def similarity_graph(
    vectors: ArrayLike,
    *,
    k: int = 2,
    layers: int = 1,
    gamma: float = 0.4,
    ids: Labels | None = None,
) -> RerankedVectors:
    """SGR from vectors to vectors: (pages, pages), unit rows in float32."""
    matrix = checked_vectors(vectors)
    names = checked_ids(ids, len(matrix))
    _check(k, layers, gamma, len(matrix))
    order = by_id(names)
    rows = whole_rows(matrix[order], [names[n] for n in order])
    spread = _propagate(lambda: similarity_blocks(rows, rows), len(rows), k, layers, gamma)
    back = np.argsort(order)  # as the pages came
    return mark(spread[np.ix_(back, back)], vectors, _name(k, layers, gamma))


def rerank_similarity_graph(
    ranking: Ranking, *, k: int = 2, layers: int = 1, gamma: float = 0.4
) -> Ranking:
    """SGR from a ranking of pages among themselves to such a ranking."""
    check_own_gallery(ranking)
    count = len(ranking.gallery_ids)
    _check(k, layers, gamma, count)
    order = by_id(ranking.gallery_ids)

    def blocks() -> Iterator[tuple[int, Floats]]:
        step = block_size(count)
        for start in range(0, count, step):
            rows = order[start : start + step]
            part = Ranking(
                tuple(ranking.query_ids[n] for n in rows),
                ranking.gallery_ids,
                ranking.order[rows],
                ranking.similarities[rows],
            )
            yield start, similarity_table(part)[:, order]

    spread = _propagate(blocks, count, k, layers, gamma)
    back = np.argsort(order)
    new = rank_pages(spread[back], ids=ranking.query_ids)
    reranked = stacked(ranking.reranked, _name(k, layers, gamma))
    return Ranking(new.query_ids, new.gallery_ids, new.order, new.similarities, reranked)


def _propagate(
    blocks: Blocks, count: int, k: int, layers: int, gamma: float
) -> NDArray[np.float32]:
    table = np.empty((count, count), dtype=np.float32)
    neighbours = np.empty((count, k), dtype=np.intp)
    for start, similarities in blocks():
        rows = slice(start, start + len(similarities))
        table[rows] = np.exp(-np.square(1 - similarities) / gamma)
        # A rises with S, so that the neighbours in S are those in A, with no rounding between.
        neighbours[rows] = _nearest_others(similarities, start, k)
    for layer in range(layers):
        if layer:
            table += table.T.copy()
            table /= 2
            for start in range(0, count, block_size(count)):
                part = table[start : start + block_size(count)].astype(np.float64)
                neighbours[start : start + len(part)] = _nearest_others(part, start, k)
        spread = np.empty_like(table)
        for start, similarities in blocks():
            for page in range(start, start + len(similarities)):
                others = neighbours[page]
                weights = similarities[page - start, others]
                row = table[page] + weights @ table[others].astype(np.float64)
                spread[page] = row / np.linalg.norm(row)
        table = spread
    return table


def _nearest_others(similarities: Floats, start: int, k: int) -> Places:
    others = similarities.copy()
    own = np.arange(len(others))
    others[own, start + own] = -np.inf
    return nearest(others, k)


def _check(k: int, layers: int, gamma: float, count: int) -> None:
    if not 1 <= k < count:
        raise ValueError(f"k must be from 1 to {count - 1}, the number of other pages, got {k}")
    if layers < 1:
        raise ValueError(f"layers must be at least 1, got {layers}")
    if not gamma > 0:
        raise ValueError(f"gamma must be positive, got {gamma}")


def _name(k: int, layers: int, gamma: float) -> str:
    return f"SGR(k={k}, layers={layers}, γ={gamma:g})"
