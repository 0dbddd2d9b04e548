"""Several systems into one.

The paper's ensemble averages the softmax outputs of five networks, each weighted by its accuracy on
the validation pages. Plain mean and vote stand beside it; rankings are fused by similarity or rank.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..rankings import checked_vectors, rank_similarities, ranks_of_pages
from ..records import Floats, Ranking
from .classification import checked_probabilities

RANK_OFFSET = 60  # of reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009
TIE_BREAK = 1e-6


def softmax(logits: ArrayLike) -> Floats:
    """Raw outputs (pages × classes) to probabilities."""
    raw = checked_vectors(logits, "logits").astype(np.float64)
    if not np.isfinite(raw).all():
        raise ValueError("logits must be finite")
    shares = np.exp(raw - raw.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def average_probabilities(
    systems: Sequence[ArrayLike], *, accuracies: Sequence[float] | None = None
) -> Floats:
    """The mean of the systems' probabilities, weighted by their validation accuracies if given."""
    tables = _tables(systems)
    weights = np.ones(len(tables)) if accuracies is None else _weights(accuracies, len(tables))
    return np.tensordot(weights / weights.sum(), tables, axes=1)


def vote(systems: Sequence[ArrayLike]) -> Floats:
    """The share of systems for which a class is the most probable.

    A millionth of the mean probabilities is mixed in: it decides between equal shares.
    """
    tables = _tables(systems)
    votes = np.eye(tables.shape[2])[tables.argmax(axis=2)]  # (systems, pages, classes)
    mixed: Floats = (1 - TIE_BREAK) * votes.mean(axis=0) + TIE_BREAK * tables.mean(axis=0)
    return mixed


def fuse_rankings(
    rankings: Sequence[Ranking], *, weights: Sequence[float] | None = None, by: str = "similarity"
) -> Ranking:
    """Several rankings of the same pages into one.

    ``by="similarity"`` takes the weighted mean of the similarities, for systems on one scale;
    ``by="rank"`` the weighted sum of 1 / (60 + rank), for systems that are not.
    """
    if not rankings:
        raise ValueError("there is no ranking to fuse")
    if by not in ("similarity", "rank"):
        raise ValueError(f"by must be 'similarity' or 'rank', got {by!r}")
    first = rankings[0]
    pages = (first.query_ids, first.gallery_ids)
    if any((other.query_ids, other.gallery_ids) != pages for other in rankings):
        raise ValueError("the rankings must have the same query_ids and gallery_ids")
    shares = np.ones(len(rankings)) if weights is None else _weights(weights, len(rankings))
    shares = shares / shares.sum()
    total = np.zeros((len(first.query_ids), len(first.gallery_ids)))
    for share, ranking in zip(shares, rankings, strict=True):
        ranks = ranks_of_pages(ranking)
        if by == "rank":
            total += np.where(ranks > 0, share / (RANK_OFFSET + ranks), 0)
        else:
            place = np.maximum(ranks - 1, 0)
            values = np.take_along_axis(ranking.similarities, place, axis=1)
            total += np.where(ranks > 0, share * values, 0)
    used = " + ".join(dict.fromkeys(r.reranked for r in rankings if r.reranked))
    return rank_similarities(
        total, first.query_ids, gallery_ids=first.gallery_ids, reranked=used or None
    )


def _tables(systems: Sequence[ArrayLike]) -> Floats:
    if not len(systems):
        raise ValueError("there is no system to join")
    tables = [checked_probabilities(part, f"system {n}") for n, part in enumerate(systems)]
    shapes = {table.shape for table in tables}
    if len(shapes) > 1:
        raise ValueError(f"all systems must have the same pages and classes, got {sorted(shapes)}")
    return np.stack(tables)


def _weights(given: Sequence[float], count: int) -> Floats:
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (count,):
        raise ValueError(f"{count} systems, but {weights.size} weights")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.sum() > 0:
        raise ValueError(f"weights must not be negative nor all zero, got {list(given)}")
    return weights
