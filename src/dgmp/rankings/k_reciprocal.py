"""k-reciprocal re-ranking: pages are alike when they share neighbours. A Ranking to a Ranking.

R(i, k) are the pages that are among the k nearest of i and have i among theirs; i belongs to it.
It is widened by R(j, k/2) of each member j when more than two thirds of that lie inside. Over the
widened set, V_ij ∝ exp(−d_ij) sums to one, with d the squared Euclidean distance over its largest
value in the row; V_i is then averaged over the k₂ nearest of i, itself among them. The distance is

    (1 − λ)·(1 − Σ min(V_i, V_j) / Σ max(V_i, V_j)) + λ·d_ij

Only the entries of V that are not zero are held; the result, as any Ranking, is a full table.

Zhong, Zheng, Cao, Li: Re-ranking Person Re-identification with k-reciprocal Encoding, CVPR 2017.
Their k₁ = 20, k₂ = 6 suit many pages per class; with four other pages by a writer, k₁ is 4 or 5.
"""

from __future__ import annotations

import numpy as np

from ..records import Floats, Ranking
from .checks import Places, by_id
from .ordering import check_own_gallery, cosine_table, rank_similarities, stacked

Sparse = dict[int, float]


def rerank_k_reciprocal(
    ranking: Ranking, *, k1: int = 5, k2: int = 2, weight: float = 0.3
) -> Ranking:
    """Re-rank pages among themselves; ``weight`` (λ) is what stays of the original distance."""
    check_own_gallery(ranking)
    count = len(ranking.gallery_ids)
    if not 1 <= k1 < count:
        raise ValueError(f"k1 must be from 1 to {count - 1}, the number of other pages, got {k1}")
    if not 1 <= k2 <= k1 + 1:
        raise ValueError(f"k2 must be from 1 to k1 + 1 = {k1 + 1}, got {k2}")
    if not 0 <= weight <= 1:
        raise ValueError(f"weight must be from 0 to 1, got {weight}")
    # In the order of the ids, so that no sum depends on the order of the files.
    order = by_id(ranking.gallery_ids)
    back = np.argsort(order)
    near = back[ranking.order[order, :k1]]
    first = np.column_stack([np.arange(count), near])  # the page itself leads
    half = int(np.around(k1 / 2))
    wide = [set(row) for row in first.tolist()]
    narrow = [set(row) for row in first[:, : half + 1].tolist()]
    reciprocal = [[j for j in first[i].tolist() if i in wide[j]] for i in range(count)]
    tight = [{j for j in first[i, : half + 1].tolist() if i in narrow[j]} for i in range(count)]

    table = cosine_table(ranking)[np.ix_(order, order)]
    np.subtract(1, table, out=table)  # half the squared distance; the factor falls out below
    np.maximum(table, 0, out=table)
    largest = table.max(axis=1)
    table /= np.where(largest > 0, largest, 1)[:, None]

    shares = [_shares(table[i], reciprocal[i], tight) for i in range(count)]
    if k2 > 1:
        shares = [_mean([shares[j] for j in first[i, :k2].tolist()]) for i in range(count)]
    holders: dict[int, list[tuple[int, float]]] = {}
    for page, row in enumerate(shares):
        for column, share in row.items():
            holders.setdefault(column, []).append((page, share))

    columns = {
        column: (
            np.array([page for page, _ in held], dtype=np.intp),
            np.array([share for _, share in held]),
        )
        for column, held in holders.items()
    }
    for page, row in enumerate(shares):
        common = _common(row, columns, count)
        table[page] *= weight
        table[page] += (1 - weight) * (1 - common / (2 - common))
    reranked = stacked(ranking.reranked, f"k-reciprocal(k1={k1}, k2={k2}, λ={weight:g})")
    return rank_similarities(1 - table[np.ix_(back, back)], ranking.query_ids, reranked=reranked)


def _shares(distances: Floats, members: list[int], tight: list[set[int]]) -> Sparse:
    inside = set(members)
    wider = set(members)
    for member in members:
        if len(tight[member] & inside) > 2 / 3 * len(tight[member]):
            wider |= tight[member]
    places = sorted(wider)
    weights = np.exp(-distances[places])
    return dict(zip(places, (weights / weights.sum()).tolist(), strict=True))


def _mean(rows: list[Sparse]) -> Sparse:
    total: Sparse = {}
    for row in rows:
        for column, share in row.items():
            total[column] = total.get(column, 0.0) + share / len(rows)
    return total


def _common(
    row: Sparse,
    columns: dict[int, tuple[Places, Floats]],
    count: int,
) -> Floats:
    """Σ min(V_i, V_j) for one i and all j; both sum to one, so that Σ max is two minus it."""
    common = np.zeros(count)
    for column, share in row.items():
        pages, held = columns[column]
        common[pages] += np.minimum(share, held)
    return common
