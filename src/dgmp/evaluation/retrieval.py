"""Retrieval: mean average precision and top-k, as the field of writer retrieval defines them.

For a query q with R relevant pages (same label) among the ranked ones,

    AP_q = 1/R Σ_r Pr_q(r)·rel_q(r) = 1/R Σ_j j / rank_j      rank_j: rank of the j-th relevant page

over the whole ranking, from which the query itself is left out by its id. mAP is the mean over the
queries with R > 0; the others are skipped and counted. Equal similarities are ordered by page id.

A page needs no place in a sorted list to have a rank: its rank is one more than the number of
pages before it. With few relevant pages per query, counting is cheaper than sorting.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..rankings import (
    Labels,
    Places,
    by_id,
    checked_ids,
    checked_ks,
    checked_labels,
    checked_vectors,
    similarity_blocks,
    whole_rows,
)
from ..records import Floats, Ranking, Scores
from .relevance import LabelledPages, Relevance, checked_scans
from .significance import RESAMPLES, with_intervals

COUNT_UP_TO = 16  # relevant pages; with more, one sort of the row is cheaper than so many counts


def retrieval_scores(
    vectors: ArrayLike,
    labels: Labels | Mapping[str, Hashable],
    *,
    gallery: tuple[Any, ...] | None = None,
    ids: Labels | None = None,
    same_scan: Any = None,
    less: ArrayLike | None = None,
    ks: Sequence[int] = (1, 5, 10),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """Rank the gallery for every vector by cosine, or by product, and score the rankings.

    Rows are brought to unit length here, whatever their length was. With ``less``, a number of each
    page of the gallery, they keep theirs, and it is taken off the products. Without ``gallery``
    every page is a query and the other pages are its gallery. ``gallery`` is ``(vectors, labels)``
    or ``(vectors, labels, ids)``; only with ids of queries and gallery can a query be left out of
    it.

    ``same_scan`` names the scan each page is on: a page of the query's label on the query's scan
    counts neither as hit nor as miss. With a gallery it is a pair, of the queries and of the
    gallery. Intervals are bootstrapped over the labels of the queries.
    """
    ks = checked_ks(ks)
    matrix, names, texts = _checked(vectors, labels, ids, "")
    shelf, shelf_names, shelf_texts = matrix, names, texts
    notes: tuple[str, ...] = ()
    if gallery is not None:
        shelf_vectors, shelf_labels, shelf_ids = _parts(gallery)
        shelf, shelf_names, shelf_texts = _checked(
            shelf_vectors, shelf_labels, shelf_ids, "gallery "
        )
        if shelf.shape[1] != matrix.shape[1]:
            raise ValueError(
                f"vectors have {matrix.shape[1]} entries, those of the gallery {shelf.shape[1]}"
            )
    scans, shelf_scans = checked_scans(same_scan, names, shelf_names, own_gallery=gallery is None)
    if gallery is not None and (ids is None or shelf_ids is None):
        notes = ("ids of queries or gallery are not given: no query was left out",)
        # Ids made up for lack of given ones must not meet given ones.
        shelf_names = tuple(f"gallery {name}" for name in shelf_names)
    # Queries and gallery stand in the order of their ids, so that a tie falls to the first column,
    # and nothing, not even a sum over queries, depends on the order of the files.
    order, shelf_order = by_id(names), by_id(shelf_names)
    relevance = Relevance(
        LabelledPages(names, texts, scans).sorted_by(order),
        LabelledPages(shelf_names, shelf_texts, shelf_scans).sorted_by(shelf_order),
    )
    queries = whole_rows(matrix[order], relevance.queries.ids, "vectors")
    rows = queries
    if gallery is not None:
        rows = whole_rows(shelf[shelf_order], relevance.gallery.ids, "gallery vectors")
    products = None
    if less is not None:
        products = _Products(
            np.linalg.norm(matrix[order], axis=1),
            np.linalg.norm(shelf[shelf_order], axis=1),
            _checked_less(less, len(shelf))[shelf_order],
        )
    found = _relevant_ranks(queries, rows, relevance, products)
    scores = _scores(found, relevance.queries, ks, None, notes)
    return with_intervals(scores, resamples=resamples, seed=seed)


def ranking_scores(
    ranking: Ranking,
    labels: Labels | Mapping[str, Hashable],
    *,
    gallery_labels: Labels | Mapping[str, Hashable] | None = None,
    same_scan: Any = None,
    ks: Sequence[int] = (1, 5, 10),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """The same for a ranking, however it came about: re-ranked, fused, made elsewhere.

    ``labels`` are those of the queries in their order, or a mapping from id to label that covers
    the gallery too; so is ``same_scan``. ``gallery_labels`` is needed when the gallery is another
    list of pages. The ranking must be complete: average precision runs over all of the gallery.
    """
    ks = checked_ks(ks)
    query_ids, gallery_ids = ranking.query_ids, ranking.gallery_ids
    if not query_ids or not gallery_ids:
        raise ValueError("the ranking is empty")
    query_labels = checked_labels(labels, query_ids)
    own_gallery = query_ids == gallery_ids
    if gallery_labels is None:
        if not own_gallery and not isinstance(labels, Mapping):
            raise ValueError("the gallery is another list of pages: give gallery_labels")
        gallery_labels = labels
    shelf_labels = checked_labels(gallery_labels, gallery_ids, "gallery_labels")
    scans, shelf_scans = checked_scans(same_scan, query_ids, gallery_ids, own_gallery=own_gallery)
    relevance = Relevance(
        LabelledPages(query_ids, query_labels, scans),
        LabelledPages(gallery_ids, shelf_labels, shelf_scans),
    )
    found = []
    for query, row in enumerate(ranking.order):
        listed = row[row >= 0]
        relevance.check_complete(query, listed)
        relevant, left_out = relevance.of(query)
        kind = np.zeros(len(gallery_ids), dtype=np.int8)
        kind[left_out] = -1
        kind[relevant] = 1
        kinds = kind[listed]
        found.append(np.flatnonzero(kinds[kinds >= 0]) + 1)
    scores = _scores(found, relevance.queries, ks, ranking.reranked)
    return with_intervals(scores, resamples=resamples, seed=seed)


def _checked(
    vectors: Any, labels: Any, ids: Labels | None, whose: str
) -> tuple[NDArray[Any], tuple[str, ...], tuple[str, ...]]:
    """Vectors, ids and labels of the queries or of the gallery."""
    matrix = checked_vectors(vectors, f"{whose}vectors")
    names = checked_ids(ids, len(matrix), f"{whose}ids")
    return matrix, names, checked_labels(labels, names, f"{whose}labels")


def _checked_less(less: ArrayLike, number: int) -> Floats:
    found = np.asarray(less, np.float64)
    if found.shape != (number,) or not np.isfinite(found).all():
        raise ValueError(f"less must be {number} finite numbers, one of each page of the gallery")
    return found


def _parts(gallery: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    if not isinstance(gallery, tuple) or len(gallery) not in (2, 3):
        raise ValueError("gallery must be (vectors, labels) or (vectors, labels, ids)")
    return gallery[0], gallery[1], gallery[2] if len(gallery) == 3 else None


@dataclass(frozen=True, eq=False)
class _Products:
    """How cosines become products of rows, less a number of each page of the gallery."""

    queries: Floats  # lengths
    gallery: Floats
    less: Floats


def _relevant_ranks(
    queries: Floats, gallery: Floats, relevance: Relevance, products: _Products | None
) -> list[Places]:
    """The ranks of the relevant pages of every query; empty where there are none."""
    found: list[Places] = []
    for start, similarities in similarity_blocks(queries, gallery):
        if products is not None:
            similarities *= products.queries[start : start + len(similarities), None]
            similarities *= products.gallery
            similarities -= products.less
        for query, row in enumerate(similarities, start=start):
            relevant, left_out = relevance.of(query)
            row[left_out] = -np.inf
            found.append(_ranks(row, relevant))
    return found


def _ranks(row: Floats, columns: Places) -> Places:
    """Ranks of the columns from 1, rising; of equal similarities the earlier column is first."""
    if len(columns) > COUNT_UP_TO:
        place = np.empty(len(row), dtype=np.intp)
        place[np.argsort(-row, kind="stable")] = np.arange(1, len(row) + 1)
        return np.sort(place[columns])
    ranks = np.empty(len(columns), dtype=np.intp)
    for number, column in enumerate(columns):
        value = row[column]
        above = np.count_nonzero(row > value)
        if np.count_nonzero(row >= value) > above + 1:
            above += np.count_nonzero(row[:column] == value)
        ranks[number] = above + 1
    ranks.sort()
    return ranks


def _scores(
    found: list[Places],
    queries: LabelledPages,
    ks: tuple[int, ...],
    reranking: str | None,
    notes: tuple[str, ...] = (),
) -> Scores:
    ids, labels = queries.ids, queries.labels
    kept = sorted((query for query, r in enumerate(found) if len(r)), key=ids.__getitem__)
    if not kept:
        raise ValueError("no query has a relevant page: every label stands alone in the gallery")
    ranks_of = [found[query] for query in kept]
    single: dict[str, list[float]] = {
        "map": [float(np.mean(np.arange(1, len(r) + 1) / r)) for r in ranks_of]
    }
    definitions = {
        "map": "mean over queries of 1/R Σ precision at each relevant rank, full ranking"
    }
    for k in ks:
        single[f"top_{k}"] = [float(ranks[0] <= k) for ranks in ranks_of]
        definitions[f"top_{k}"] = (
            "the first page is relevant"
            if k == 1
            else f"a relevant page among the first {k} (soft)"
        )
        if k > 1:
            hits = np.array([np.count_nonzero(ranks <= k) for ranks in ranks_of])
            single[f"top_{k}_hard"] = [float(hit == k) for hit in hits]
            definitions[f"top_{k}_hard"] = f"all of the first {k} pages are relevant"
            few = sum(len(ranks) < k for ranks in ranks_of)
            if few:
                notes += (
                    f"{few} of {len(kept)} queries have fewer than {k} relevant pages and cannot "
                    f"meet top_{k}_hard",
                )
    steps = np.arange(1, ks[-1] + 1)
    curve = np.mean([np.searchsorted(ranks, steps, "right") / steps for ranks in ranks_of], axis=0)
    clusters = tuple(labels[query] for query in kept)
    return Scores(
        task="retrieval",
        values={name: float(np.mean(values)) for name, values in single.items()},
        definitions=definitions,
        queries=len(kept),
        skipped=len(found) - len(kept),
        reranking=reranking,
        notes=notes,
        curve=tuple(float(value) for value in curve),
        item_ids=tuple(ids[query] for query in kept),
        item_labels=clusters,
        item_clusters=clusters,
        item_values={name: tuple(values) for name, values in single.items()},
    )
