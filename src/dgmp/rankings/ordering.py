"""Vectors, or given similarities, to a Ranking; and back to the table of similarities.

A Ranking holds all pairs (16 bytes each): 3 600 pages take 200 MB. For scores alone,
:func:`~dgmp.evaluation.retrieval_scores` needs no such table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..records import Floats, Ranking
from .checks import Labels, Places, by_id, checked_ids, checked_vectors
from .cosines import block_size, similarity_blocks, whole_rows

TOLERANCE = 1e-6  # by which a similarity may leave the range of a cosine


def rank_pages(
    vectors: ArrayLike,
    *,
    gallery: ArrayLike | None = None,
    ids: Labels | None = None,
    gallery_ids: Labels | None = None,
) -> Ranking:
    """Order the gallery (by default the pages themselves) by cosine for every vector.

    Rows are brought to unit length here. A page is left out of its own row by its id; ties are
    broken by id. A gallery without ids is taken to hold none of the queries.
    """
    matrix = checked_vectors(vectors)
    names = checked_ids(ids, len(matrix))
    queries = whole_rows(matrix, names)
    if gallery is None:
        return rank_blocks(similarity_blocks(queries, queries), names, names)
    shelf = checked_vectors(gallery, "gallery")
    if shelf.shape[1] != matrix.shape[1]:
        raise ValueError(
            f"vectors have {matrix.shape[1]} entries, those of the gallery {shelf.shape[1]}"
        )
    shelf_names = checked_ids(gallery_ids, len(shelf), "gallery_ids")
    if ids is None or gallery_ids is None:
        shelf_names = tuple(f"gallery {name}" for name in shelf_names)
    rows = whole_rows(shelf, shelf_names, "gallery")
    return rank_blocks(similarity_blocks(queries, rows), names, shelf_names)


def rank_similarities(
    similarities: ArrayLike,
    ids: Labels | None = None,
    *,
    gallery_ids: Labels | None = None,
    reranked: str | None = None,
) -> Ranking:
    """Order a gallery by given similarities (queries × gallery; larger is nearer).

    Without ``gallery_ids`` the pages are their own gallery. For distances give their negatives.
    ``reranked`` names what used the gallery to improve them, if anything did.
    """
    matrix = checked_vectors(similarities, "similarities")
    if not np.isfinite(matrix).all():
        raise ValueError("similarities must be finite")
    names = checked_ids(ids, len(matrix))
    if gallery_ids is None:
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"similarities of pages with each other must be square, got {matrix.shape}; "
                "for another gallery give gallery_ids"
            )
        shelf_names = names
    else:
        shelf_names = checked_ids(gallery_ids, matrix.shape[1], "gallery_ids")
    return rank_blocks(_slices(matrix), names, shelf_names, reranked)


def rank_blocks(
    blocks: Iterable[tuple[int, Floats]],
    query_ids: tuple[str, ...],
    gallery_ids: tuple[str, ...],
    reranked: str | None = None,
) -> Ranking:
    """Similarities that come some queries at a time to a Ranking; the blocks are used up."""
    columns = by_id(gallery_ids)
    place = {name: number for number, name in enumerate(gallery_ids)}
    own = np.array([place.get(name, -1) for name in query_ids], dtype=np.intp)
    width = len(gallery_ids) - int((own >= 0).all())
    order = np.empty((len(query_ids), width), dtype=np.intp)
    ordered = np.empty((len(query_ids), width))
    for start, similarities in blocks:
        rows = slice(start, start + len(similarities))
        inside = np.flatnonzero(own[rows] >= 0)
        similarities[inside, own[rows][inside]] = -np.inf
        by_name = similarities[:, columns]
        sorting = np.argsort(-by_name, axis=1, kind="stable")[:, :width]
        order[rows] = columns[sorting]
        ordered[rows] = np.take_along_axis(by_name, sorting, axis=1)
    order[np.isneginf(ordered)] = -1
    return Ranking(query_ids, gallery_ids, order, ordered, reranked)


def stacked(*methods: str | None) -> str | None:
    """Re-rankings one after the other, as ``Ranking.reranked`` names them."""
    return " → ".join(method for method in methods if method) or None


def check_own_gallery(ranking: Ranking) -> None:
    """Raise unless the ranking is of all pages against each other, with values as cosines have.

    Re-ranking needs neighbours of neighbours, and takes a page's similarity to itself to be 1.
    """
    if ranking.query_ids != ranking.gallery_ids:
        raise ValueError(
            "the ranking must be of pages among themselves (query_ids equal to gallery_ids): "
            "rank queries and gallery together"
        )
    count = len(ranking.gallery_ids)
    own = ranking.order == np.arange(count)[:, None]
    if ranking.order.shape[1] != count - 1 or (ranking.order < 0).any() or own.any():
        raise ValueError("the ranking must list every other page for each page")
    largest = np.abs(ranking.similarities).max(initial=0)
    if not largest <= 1 + TOLERANCE:
        raise ValueError(
            f"only similarities from −1 to 1 can be re-ranked, as cosines are; got one of "
            f"{largest:g} in absolute value"
        )


def cosine_table(ranking: Ranking) -> Floats:
    """The similarities of pages among themselves in gallery order, 1 for the page itself.

    The two similarities of a pair are equal for cosines; where they differ, as after k-reciprocal
    re-ranking, the table has their mean.
    """
    table = np.ones((len(ranking.order), len(ranking.gallery_ids)))
    np.put_along_axis(table, ranking.order.astype(np.intp), ranking.similarities, axis=1)
    table += table.T.copy()
    table /= 2
    return table


def ranks_of_pages(ranking: Ranking) -> Places:
    """The rank, from 1, of every gallery page for each query; 0 for the query itself."""
    ranks = np.zeros((len(ranking.query_ids), len(ranking.gallery_ids)), dtype=np.intp)
    for row, listed in zip(ranks, ranking.order, strict=True):
        kept = listed[listed >= 0]
        row[kept] = np.arange(1, len(kept) + 1)
    return ranks


def _slices(matrix: NDArray[Any]) -> Iterator[tuple[int, Floats]]:
    step = block_size(matrix.shape[1])
    for start in range(0, len(matrix), step):
        yield start, matrix[start : start + step].astype(np.float64)
