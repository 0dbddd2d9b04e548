"""Average linkage of many pages, cut at a threshold, without ever holding all pairs.

Two groups are joined as long as the mean log-odds of the pairs across them reach the threshold,
those with the highest mean first. A mean that reaches it needs a pair that does, so groups never
reach over the connected parts of the graph of such pairs: the graph is found block by block, and
linkage runs inside each part alone. That is exact, where all pairs are compared. In a larger
collection the graph is that of neighbours (:mod:`.neighbours`), and groups that still belong
together are joined afterwards (:func:`join_groups`). It takes 8 bytes per pair of the largest part,
twice while SciPy works: 3.2 GB for a part of ``LARGEST`` pages. A part that is larger still is
first cut at the next higher threshold that makes it fall apart, with a warning.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import PageProgress
from .evidence import Edges, Evidence

LARGEST = 20_000  # pages
_BLOCK = 1024  # pages
_STEP = 0.5  # of log-odds


def link_pages(
    evidence: Evidence, threshold: float, progress: PageProgress | None = None
) -> NDArray[np.intp]:  # (pages,)
    """The group of each page, numbered from 0 in the order of the first page of each.

    ``progress`` is called with pages that were compared with all others, or with their neighbours.
    """
    told = None if evidence.neighbours is not None else progress
    parts = _parts(evidence, np.arange(len(evidence)), threshold, told)
    labels = np.empty(len(evidence), dtype=np.intp)
    used = 0
    for members in parts:
        inside = np.zeros(1, dtype=np.intp)
        if len(members) > 1:
            inside = link_part(evidence, members, threshold)
        labels[members] = inside + used
        used += int(inside.max()) + 1
        if told is None and progress is not None:
            progress(len(members))
    return _in_order(labels)


def link_part(
    evidence: Evidence, pages: NDArray[np.intp], threshold: float
) -> NDArray[np.intp]:  # (pages,)
    """The group of each of two pages or more that hang together."""
    pairs = _log_odds_of_pairs(evidence, pages)
    if pairs.min() >= threshold:  # as all means are then; most parts of a large collection are so
        return np.zeros(len(pages), dtype=np.intp)
    tree, top = _linked(pairs)
    return cut_tree(tree, top - threshold)


def cut_tree(tree: NDArray[np.float64], height: float) -> NDArray[np.intp]:
    """The groups that are joined below a height of the tree."""
    hierarchy = need("scipy.cluster.hierarchy")
    labels: NDArray[np.intp] = hierarchy.fcluster(tree, height, criterion="distance") - 1
    return _in_order(labels)


def average_tree(evidence: Evidence, pages: NDArray[np.intp]) -> tuple[NDArray[np.float64], float]:
    """SciPy's tree of average linkage of two pages or more, and the top of its heights.

    Log-odds fall as heights rise: a height is the top less the mean log-odds of a joint.
    """
    return _linked(_log_odds_of_pairs(evidence, pages))


def _log_odds_of_pairs(evidence: Evidence, pages: NDArray[np.intp]) -> NDArray[np.float64]:
    """In the order that SciPy has them."""
    pairs = np.empty(len(pages) * (len(pages) - 1) // 2)
    filled = 0
    for start in range(0, len(pages), _BLOCK):
        odds = evidence.between(pages[start : start + _BLOCK], pages[start:])
        for row in range(len(odds)):
            right = odds[row, row + 1 :]
            pairs[filled : filled + len(right)] = right
            filled += len(right)
    return pairs


def _linked(pairs: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    top = float(pairs.max())
    np.subtract(top, pairs, out=pairs)
    return need("scipy.cluster.hierarchy").linkage(pairs, method="average"), top


def _parts(
    evidence: Evidence,
    pages: NDArray[np.intp],
    threshold: float,
    progress: PageProgress | None = None,
) -> list[NDArray[np.intp]]:
    """Connected parts of the graph of pairs above the threshold, none too large to be linked."""
    labels = _connected(evidence.edges(pages, threshold, progress), len(pages))
    fitting: list[NDArray[np.intp]] = []
    for part in (pages[members] for members in members_of(labels)):
        if len(part) <= LARGEST:
            fitting.append(part)
            continue
        warnings.warn(
            f"{len(part)} pages hang together, more than {LARGEST}: they are first cut at "
            "stronger evidence, and some hands may be told apart that are one",
            stacklevel=3,
        )
        fitting += _parts(evidence, part, threshold + _STEP)
    return fitting


def join_groups(
    evidence: Evidence,
    groups: NDArray[np.intp],  # (pages,)
    pairs: Edges,  # groups whose mean log-odds reach the threshold
    threshold: float,
) -> NDArray[np.intp]:  # (pages,)
    """The groups after linkage of the pages of those that belong together."""
    together = _connected(pairs, int(groups.max()) + 1)
    of_page = together[groups]
    several = np.flatnonzero(np.bincount(together) > 1)
    labels = groups.copy()
    used = int(groups.max()) + 1
    for members in members_of(np.searchsorted(several, of_page), np.isin(of_page, several)):
        if len(members) <= LARGEST:
            inside = link_part(evidence, members, threshold)
            labels[members] = inside + used
            used += int(inside.max()) + 1
    return _in_order(labels)


def members_of(
    groups: NDArray[np.intp], which: NDArray[np.bool_] | None = None
) -> list[NDArray[np.intp]]:
    """The pages of each group, of all pages or of some."""
    pages = np.arange(len(groups)) if which is None else np.flatnonzero(which)
    if not len(pages):
        return []
    order = pages[np.argsort(groups[pages], kind="stable")]
    _, starts = np.unique(groups[order], return_index=True)
    return np.split(order, starts[1:])


def _connected(edges: Edges, number: int) -> NDArray[np.intp]:
    """The connected part of each of so many nodes."""
    ones = np.ones(len(edges[0]), dtype=np.int8)
    matrix = need("scipy.sparse").coo_array((ones, edges), shape=(number, number))
    labels = need("scipy.sparse.csgraph").connected_components(matrix, directed=False)[1]
    return np.asarray(labels, np.intp)


def _in_order(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """The same groups, numbered in the order of the first page of each."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[inverse]
