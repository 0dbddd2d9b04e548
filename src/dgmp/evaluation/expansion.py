"""Re-ranking by expansion: a page is moved towards its neighbours. Vectors to vectors.

    kRNN-QE   x′ = ℓ2( mean of x and its reciprocal neighbours )
              j is a reciprocal neighbour of i when each is among the k nearest of the other
    αQE       x′ = ℓ2( x + Σ_n max(s_n, 0)^α x_n )      n: the nearest few, s_n their cosines

Both look at the gallery, so a page's vector depends on which other pages are there.

Qin, Gammeter, Bossard, Quack, Van Gool: Hello neighbor, CVPR 2011; Radenović, Tolias, Chum:
Fine-tuning CNN Image Retrieval with No Human Annotation, TPAMI 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import Floats, Labels, Places, by_id, checked_ids, checked_vectors
from .cosines import (
    SCALE,
    RerankedVectors,
    mark,
    nearest,
    similarity_blocks,
    unit_rows,
)


def reciprocal_expansion(
    vectors: ArrayLike, *, k: int = 2, ids: Labels | None = None
) -> RerankedVectors:
    """kRNN-QE: the unit mean of each page and its reciprocal k nearest neighbours.

    ``k`` should stay below the number of pages by one writer. Ids order equal neighbours.
    """
    matrix = checked_vectors(vectors)
    names = checked_ids(ids, len(matrix))
    _check_count("k", k, len(matrix) - 1)
    rows = unit_rows(matrix, names)
    neighbours, _ = _neighbours(rows, rows, k, names, names)
    reached = np.zeros(rows.shape)
    for page, others in enumerate(neighbours):
        reciprocal = [other for other in others if page in neighbours[other]]
        reached[page] = rows[page] + rows[reciprocal].sum(axis=0)
    return mark(_like(matrix, unit_rows(reached, names)), vectors, f"kRNN-QE(k={k})")


def alpha_expansion(
    vectors: ArrayLike,
    *,
    gallery: ArrayLike | None = None,
    alpha: float = 3.0,
    neighbours: int = 4,
    ids: Labels | None = None,
    gallery_ids: Labels | None = None,
) -> RerankedVectors:
    """αQE: each query plus its nearest gallery pages, weighted by cosine to the power α.

    Without a gallery the pages are each other's, so that gallery and queries are expanded alike.
    A page is no neighbour of itself, by its id. Pages at more than a right angle have no weight.
    """
    if not alpha >= 0 or not np.isfinite(alpha):
        raise ValueError(f"alpha must be 0 or more, got {alpha}")
    matrix = checked_vectors(vectors)
    names = checked_ids(ids, len(matrix))
    rows = unit_rows(matrix, names)
    if gallery is None:
        shelf, shelf_names = rows, names
    else:
        given = checked_vectors(gallery, "gallery")
        if given.shape[1] != matrix.shape[1]:
            raise ValueError(
                f"vectors have {matrix.shape[1]} entries, those of the gallery {given.shape[1]}"
            )
        shelf_names = checked_ids(gallery_ids, len(given), "gallery_ids")
        if ids is None or gallery_ids is None:
            shelf_names = tuple(f"gallery {name}" for name in shelf_names)
        shelf = unit_rows(given, shelf_names, "gallery")
    inside = set(shelf_names)
    _check_count("neighbours", neighbours, len(shelf) - any(name in inside for name in names))
    found, cosines = _neighbours(rows, shelf, neighbours, names, shelf_names)
    reached = rows.copy()
    for page, others in enumerate(found):
        reached[page] += np.maximum(cosines[page], 0) ** alpha @ shelf[others]
    method = f"αQE(α={alpha:g}, neighbours={neighbours})"
    return mark(_like(matrix, unit_rows(reached, names)), vectors, method)


def _neighbours(
    rows: Floats, shelf: Floats, k: int, names: tuple[str, ...], shelf_names: tuple[str, ...]
) -> tuple[Places, Floats]:
    """The k nearest of each row in the shelf, itself left out, and their cosines."""
    order = by_id(shelf_names)
    column = {shelf_names[place]: number for number, place in enumerate(order)}
    found = np.empty((len(rows), k), dtype=np.intp)
    cosines = np.empty((len(rows), k))
    for start, similarities in similarity_blocks(
        np.rint(rows * SCALE), np.rint(shelf[order] * SCALE)
    ):
        stop = start + len(similarities)
        for row, name in zip(similarities, names[start:stop], strict=True):
            if name in column:
                row[column[name]] = -np.inf
        kept = similarities.copy()
        picked = nearest(similarities, k)
        found[start:stop] = order[picked]
        cosines[start:stop] = np.take_along_axis(kept, picked, axis=1)
    return found, cosines


def _check_count(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ValueError(f"{name} must be from 1 to {most}, the number of other pages, got {value}")


def _like(source: NDArray[Any], vectors: Floats) -> NDArray[Any]:
    """float64 stays float64, all else becomes float32."""
    return vectors if source.dtype == np.float64 else vectors.astype(np.float32)
