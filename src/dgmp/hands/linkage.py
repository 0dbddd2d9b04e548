"""Average linkage of many pages, cut at a threshold, without ever holding all pairs.

Two groups are joined as long as the mean log-odds of the pairs across them reach the threshold,
those with the highest mean first. A mean that reaches it needs a pair that does, so groups never
reach over the connected parts of the graph of such pairs: the graph is found block by block, and
linkage runs inside each part alone. That is exact. It takes 8 bytes per pair of the largest part,
twice while SciPy works: 3.2 GB for a part of ``LARGEST`` pages. A part that is larger still is
first cut at the next higher threshold that makes it fall apart, with a warning.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..records import PageProgress
from .evidence import Evidence

LARGEST = 20_000  # pages
_BLOCK = 1024  # pages
_STEP = 0.5  # of log-odds


def link_pages(
    evidence: Evidence, threshold: float, progress: PageProgress | None = None
) -> NDArray[np.intp]:  # (pages,)
    """The group of each page, numbered from 0 in the order of the first page of each.

    ``progress`` is called with pages that were compared with all others.
    """
    parts = _parts(evidence, np.arange(len(evidence)), threshold, progress)
    labels = np.empty(len(evidence), dtype=np.intp)
    used = 0
    for members in parts:
        inside = np.zeros(1, dtype=np.intp)
        if len(members) > 1:
            tree, top = average_tree(evidence, members)
            inside = cut_tree(tree, top - threshold)
        labels[members] = inside + used
        used += int(inside.max()) + 1
    return _in_order(labels)


def cut_tree(tree: NDArray[np.float64], height: float) -> NDArray[np.intp]:
    """The groups that are joined below a height of the tree."""
    hierarchy = need("scipy.cluster.hierarchy")
    labels: NDArray[np.intp] = hierarchy.fcluster(tree, height, criterion="distance") - 1
    return _in_order(labels)


def average_tree(evidence: Evidence, pages: NDArray[np.intp]) -> tuple[NDArray[np.float64], float]:
    """SciPy's tree of average linkage of two pages or more, and the top of its heights.

    Log-odds fall as heights rise: a height is the top less the mean log-odds of a joint.
    """
    hierarchy = need("scipy.cluster.hierarchy")
    pairs = np.empty(len(pages) * (len(pages) - 1) // 2)
    filled = 0
    for start in range(0, len(pages), _BLOCK):
        odds = evidence.between(pages[start : start + _BLOCK], pages[start:])
        for row in range(len(odds)):
            right = odds[row, row + 1 :]
            pairs[filled : filled + len(right)] = right
            filled += len(right)
    top = float(pairs.max())
    np.subtract(top, pairs, out=pairs)
    return hierarchy.linkage(pairs, method="average"), top


def _parts(
    evidence: Evidence,
    pages: NDArray[np.intp],
    threshold: float,
    progress: PageProgress | None = None,
) -> list[NDArray[np.intp]]:
    """Connected parts of the graph of pairs above the threshold, none too large to be linked."""
    sparse = need("scipy.sparse")
    graph = need("scipy.sparse.csgraph")
    firsts, seconds = [], []
    for start in range(0, len(pages), _BLOCK):
        rows = pages[start : start + _BLOCK]
        row, column = np.nonzero(evidence.between(rows, pages[start:]) >= threshold)
        upper = column > row
        firsts.append(row[upper] + start)
        seconds.append(column[upper] + start)
        if progress is not None:
            progress(len(rows))
    edges = np.concatenate(firsts), np.concatenate(seconds)
    ones = np.ones(len(edges[0]), dtype=np.int8)
    matrix = sparse.coo_array((ones, edges), shape=(len(pages), len(pages)))
    number, labels = graph.connected_components(matrix, directed=False)
    order = np.argsort(labels, kind="stable")
    parts = np.split(pages[order], np.searchsorted(labels[order], np.arange(1, number)))
    fitting: list[NDArray[np.intp]] = []
    for part in parts:
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


def _in_order(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """The same groups, numbered in the order of the first page of each."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[inverse]
