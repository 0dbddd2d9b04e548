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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..records import Descriptors, Ranking, Scores
from .checks import (
    Floats,
    Labels,
    Places,
    by_id,
    checked_ids,
    checked_ks,
    checked_labels,
    checked_vectors,
)
from .cosines import reranked_by, similarity_blocks, stacked, whole_rows
from .significance import RESAMPLES, with_intervals

COUNT_UP_TO = 16  # relevant pages; with more, one sort of the row is cheaper than so many counts


def retrieval_scores(
    vectors: ArrayLike | Descriptors,
    labels: Labels | Mapping[str, Hashable] | None = None,
    *,
    gallery: tuple[Any, ...] | Descriptors | None = None,
    ids: Labels | None = None,
    same_page: Any = None,
    ks: Sequence[int] = (1, 5, 10),
    reranking: str | None = None,
    block: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """Rank the gallery for every vector by cosine and score the rankings.

    Rows are brought to unit length here, whatever their length was. Without ``gallery`` every page
    is a query and the other pages are its gallery. ``gallery`` is ``(vectors, labels)`` or
    ``(vectors, labels, ids)``; only with ids on both sides can a query be left out of it.
    ``Descriptors`` bring their ids and labels along.

    ``same_page`` names the sheet each item was cut from: an item of the query's label on the
    query's sheet counts neither as hit nor as miss. With a gallery it is a pair, of the queries
    and of the gallery.

    Vectors that came out of a re-ranking of this room say so themselves; ``reranking`` says it for
    vectors of other origin. ``block`` is the number of queries ranked at a time: it changes memory
    and time, never a value. Intervals are bootstrapped over the labels of the queries.
    """
    marks = [reranking, reranked_by(vectors)]
    if isinstance(vectors, Descriptors):
        labels = vectors.labels if labels is None else labels
        ids = vectors.page_ids if ids is None else ids
        marks.append(reranked_by(vectors.vectors))
        vectors = vectors.vectors
    if labels is None:
        raise ValueError("labels must be given: a score compares them")
    ks = checked_ks(ks)
    side = _side(vectors, labels, ids, "")
    shelf = side if gallery is None else _side(*_parts(gallery), "gallery ")
    sheets = _both_sheets(same_page, side.ids, shelf.ids, own_gallery=gallery is None)
    queries = side.rows()
    rows = queries
    notes: tuple[str, ...] = ()
    if gallery is not None:
        if shelf.matrix.shape[1] != side.matrix.shape[1]:
            raise ValueError(
                f"vectors have {side.matrix.shape[1]} entries, those of the gallery "
                f"{shelf.matrix.shape[1]}"
            )
        marks.append(shelf.reranked)
        rows = shelf.rows()
        if not (side.named and shelf.named):
            notes = ("ids of queries or gallery are not given: no query was left out",)
            # Ids made up for lack of given ones must not meet the ids of the other side.
            shelf = replace(shelf, ids=tuple(f"gallery {name}" for name in shelf.ids))
    # Both sides stand in the order of their ids, so that a tie falls to the first column, and
    # nothing, not even a sum over queries, depends on the order of the files.
    of_queries, of_gallery = (
        None if given is None else [given[n] for n in part.order]
        for given, part in zip(sheets, (side, shelf), strict=True)
    )
    book = _Relevance(
        side.sorted(side.ids),
        side.sorted(side.labels),
        of_queries,
        shelf.sorted(shelf.ids),
        shelf.sorted(shelf.labels),
        of_gallery,
    )
    found: list[Places] = []
    for start, similarities in similarity_blocks(queries, rows, block):
        for query, row in enumerate(similarities, start=start):
            relevant, left_out = book.of(query)
            if not len(relevant):
                found.append(np.zeros(0, dtype=np.intp))
                continue
            row[left_out] = -np.inf
            found.append(_ranks(row, relevant))
    used = stacked(*dict.fromkeys(mark for mark in marks if mark))
    scores = _scores(found, book.query_ids, book.query_labels, ks, used, notes)
    return with_intervals(scores, resamples=resamples, seed=seed)


def ranking_scores(
    ranking: Ranking,
    labels: Labels | Mapping[str, Hashable],
    *,
    gallery_labels: Labels | Mapping[str, Hashable] | None = None,
    same_page: Any = None,
    ks: Sequence[int] = (1, 5, 10),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """The same for a ranking, however it came about: re-ranked, fused, made elsewhere.

    ``labels`` are those of the queries in their order, or a mapping from id to label that covers
    the gallery too; so is ``same_page``. ``gallery_labels`` is needed when the gallery is another
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
    query_sheets, gallery_sheets = _both_sheets(
        same_page, query_ids, gallery_ids, own_gallery=own_gallery
    )
    book = _Relevance(
        query_ids, query_labels, query_sheets, gallery_ids, shelf_labels, gallery_sheets
    )
    found = []
    for query, row in enumerate(ranking.order):
        listed = row[row >= 0]
        book.check_complete(query, listed)
        relevant, left_out = book.of(query)
        kind = np.zeros(len(gallery_ids), dtype=np.int8)
        kind[left_out] = -1
        kind[relevant] = 1
        kinds = kind[listed]
        found.append(np.flatnonzero(kinds[kinds >= 0]) + 1)
    scores = _scores(found, query_ids, query_labels, ks, ranking.reranked)
    return with_intervals(scores, resamples=resamples, seed=seed)


@dataclass(frozen=True)
class _Side:
    """The pages of one side, queries or gallery, as they came, and their order by id."""

    matrix: NDArray[Any]
    labels: tuple[str, ...]
    ids: tuple[str, ...]
    named: bool  # the ids were given
    reranked: str | None
    order: Places
    name: str

    def sorted(self, entries: Sequence[str]) -> list[str]:
        return [entries[place] for place in self.order]

    def rows(self) -> Floats:
        return whole_rows(self.matrix[self.order], self.sorted(self.ids), self.name)


def _side(vectors: Any, labels: Any, ids: Labels | None, name: str) -> _Side:
    matrix = checked_vectors(vectors, f"{name}vectors")
    names = checked_ids(ids, len(matrix), f"{name}ids")
    texts = checked_labels(labels, names, f"{name}labels")
    return _Side(
        matrix, texts, names, ids is not None, reranked_by(vectors), by_id(names), f"{name}vectors"
    )


class _Relevance:
    """Which places of the gallery are relevant to a query, and which are not ranked at all."""

    def __init__(
        self,
        query_ids: Sequence[str],
        query_labels: Sequence[str],
        query_sheets: Sequence[str] | None,
        gallery_ids: Sequence[str],
        gallery_labels: Sequence[str],
        gallery_sheets: Sequence[str] | None,
    ) -> None:
        if len(set(gallery_labels) | set(query_labels)) < 2:
            raise ValueError(
                f"all pages have the one label {query_labels[0]!r}: every ranking would be perfect"
            )
        self.query_ids, self.query_labels, self.query_sheets = query_ids, query_labels, query_sheets
        self.gallery_ids, self.place = gallery_ids, {n: i for i, n in enumerate(gallery_ids)}
        members: dict[str, list[int]] = {}
        for place, label in enumerate(gallery_labels):
            members.setdefault(label, []).append(place)
        self.members = {name: np.array(places, dtype=np.intp) for name, places in members.items()}
        self.sheets = None
        if gallery_sheets is not None:
            self.sheets = np.array(gallery_sheets, dtype=object)

    def of(self, query: int) -> tuple[Places, Places]:
        own = self.place.get(self.query_ids[query], -1)
        same = self.members.get(self.query_labels[query], np.zeros(0, dtype=np.intp))
        ignored = same == own
        if self.sheets is not None and self.query_sheets is not None:
            ignored |= self.sheets[same] == self.query_sheets[query]
        left_out = same[ignored]
        if own >= 0 and own not in left_out:  # its label may differ between queries and gallery
            left_out = np.append(left_out, own)
        return same[~ignored], left_out

    def check_complete(self, query: int, listed: NDArray[Any]) -> None:
        name = self.query_ids[query]
        own = self.place.get(name, -1)
        if own >= 0 and (listed == own).any():
            raise ValueError(f"query {name!r} must be left out of its own ranking")
        due = len(self.gallery_ids) - (own >= 0)
        times = np.bincount(listed, minlength=len(self.gallery_ids))
        if len(listed) != due or times.max() > 1:
            raise ValueError(
                f"the ranking of query {name!r} must list all {due} other pages of the gallery "
                f"once, it has {np.count_nonzero(times)}; a shortened ranking has no mean average "
                "precision"
            )


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
    ids: Sequence[str],
    labels: Sequence[str],
    ks: tuple[int, ...],
    reranking: str | None,
    notes: tuple[str, ...] = (),
) -> Scores:
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


def _parts(gallery: tuple[Any, ...] | Descriptors) -> tuple[Any, Any, Any]:
    if isinstance(gallery, Descriptors):
        if gallery.labels is None:
            raise ValueError("the Descriptors of the gallery have no labels")
        return gallery.vectors, gallery.labels, gallery.page_ids
    if not isinstance(gallery, tuple) or len(gallery) not in (2, 3):
        raise ValueError("gallery must be (vectors, labels) or (vectors, labels, ids)")
    return gallery[0], gallery[1], gallery[2] if len(gallery) == 3 else None


_Sheets = tuple[str, ...] | None


def _both_sheets(
    same_page: Any, query_ids: Sequence[str], gallery_ids: Sequence[str], *, own_gallery: bool
) -> tuple[_Sheets, _Sheets]:
    """The sheet of each query and of each gallery page."""
    if same_page is None:
        return None, None
    if own_gallery or isinstance(same_page, Mapping):
        same_page = (same_page, same_page)
    if not isinstance(same_page, tuple) or len(same_page) != 2:
        raise ValueError("with a gallery, same_page must be a pair: (of queries, of gallery)")
    return (
        checked_labels(same_page[0], query_ids, "same_page"),
        checked_labels(same_page[1], gallery_ids, "same_page"),
    )
