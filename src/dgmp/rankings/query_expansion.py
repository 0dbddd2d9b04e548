"""Re-ranking by query expansion: every page is moved towards its neighbours.

    kRNN-QE   x′ = ℓ2( x + Σ x_n )                   n: the reciprocal neighbours of x, which are
              those of its k nearest pages that have x among their own k nearest
    αQE       x′ = ℓ2( x + Σ max(s_n, 0)^α x_n )     n: the nearest few pages, s_n their cosines

The expanded vectors are sums of the old ones, X′ = WX up to length, so their cosines follow from
the cosines G = XXᵀ alone: WGWᵀ, divided by the square roots of its diagonal.

Every page is a query and a gallery page, and both are expanded alike.

Qin, Gammeter, Bossard, Quack, Van Gool: Hello neighbor, CVPR 2011; Radenović, Tolias, Chum:
Fine-tuning CNN Image Retrieval with No Human Annotation, TPAMI 2019.
"""

from __future__ import annotations

import numpy as np

from ..records import Floats, Ranking
from .checks import Places
from .mixtures import Mixture, mixed_cosines
from .ordering import check_own_gallery, cosine_table, rank_blocks, stacked


def rerank_reciprocal(ranking: Ranking, *, k: int = 2) -> Ranking:
    """kRNN-QE: the sum of each page and its reciprocal neighbours among the k nearest.

    ``k`` should stay below the number of pages by one writer.
    """
    check_own_gallery(ranking)
    _check_count("k", k, ranking)
    near: Places = ranking.order[:, :k].astype(np.intp)
    own = np.arange(len(near))[:, None]
    reciprocal = [(near[near[:, place]] == own).any(axis=1) for place in range(k)]
    return _expanded(ranking, near, np.column_stack(reciprocal), f"kRNN-QE(k={k})")


def rerank_alpha(ranking: Ranking, *, alpha: float = 3.0, neighbours: int = 4) -> Ranking:
    """αQE: each page plus its nearest pages, weighted by cosine to the power α.

    With α = 0 all of them weigh the same; otherwise pages at more than a right angle weigh nothing.
    """
    check_own_gallery(ranking)
    if not alpha >= 0 or not np.isfinite(alpha):
        raise ValueError(f"alpha must be 0 or more, got {alpha}")
    _check_count("neighbours", neighbours, ranking)
    weights = np.maximum(ranking.similarities[:, :neighbours], 0) ** alpha
    method = f"αQE(α={alpha:g}, neighbours={neighbours})"
    return _expanded(ranking, ranking.order[:, :neighbours].astype(np.intp), weights, method)


def _expanded(ranking: Ranking, near: Places, weights: Floats, method: str) -> Ranking:
    ids = ranking.gallery_ids
    blocks = mixed_cosines(cosine_table(ranking), Mixture.with_own_rows(near, weights), ids)
    return rank_blocks(blocks, ids, ids, stacked(ranking.reranked, method))


def _check_count(name: str, value: int, ranking: Ranking) -> None:
    most = len(ranking.gallery_ids) - 1
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be from 1 to {most}, the number of other pages, got {value}")
