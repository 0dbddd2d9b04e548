"""How well groups of pages agree with the writers: adjusted Rand index and B-cubed.

Both need nothing but which pages lie together. The adjusted Rand index (Hubert and Arabie 1985)
counts pairs of pages and is 0 on average for groups drawn by chance, 1 for the true ones. B-cubed
(Bagga and Baldwin 1998) counts pages: precision is the mean share of a page's group that is by its
writer, recall the mean share of its writer's pages that are in its group, F their harmonic mean.
Hands of a single page weigh nothing in the first and as much as others in the second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rankings import Labels, Places
from ..records import Floats


class BCubed(NamedTuple):
    """B-cubed precision, recall and F."""

    precision: float
    recall: float
    f: float


def adjusted_rand_index(writers: Labels, groups: Labels) -> float:
    """Agreement on pairs, 1 at best, 0 by chance, less if worse than that."""
    counts = _count(writers, groups)
    together, ours, theirs = (_pairs(n).sum() for n in counts[:3])
    all_pairs = _pairs(np.array([len(writers)])).sum()
    expected = ours * theirs / all_pairs if all_pairs else 0.0
    best = (ours + theirs) / 2
    if best == expected:  # all alone, or all together, in both
        return 1.0
    return float((together - expected) / (best - expected))


def bcubed(writers: Labels, groups: Labels) -> BCubed:
    """Agreement on pages."""
    counts = _count(writers, groups)
    squared = counts.together.astype(float) ** 2
    precision = float((squared / counts.by_group[counts.group]).sum() / len(writers))
    recall = float((squared / counts.by_writer[counts.writer]).sum() / len(writers))
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))


class _Counts(NamedTuple):
    together: Places  # pages of a writer in a group, for each two that meet
    by_writer: Places
    by_group: Places
    writer: Places  # of each meeting
    group: Places


def _count(writers: Labels, groups: Labels) -> _Counts:
    if len(writers) != len(groups) or not len(writers):
        raise ValueError(
            f"writers and groups must name the same pages, got {len(writers)} and {len(groups)}"
        )
    rows, columns = _codes(writers), _codes(groups)
    met, counts = np.unique(np.stack([rows, columns]), axis=1, return_counts=True)
    return _Counts(counts, np.bincount(rows), np.bincount(columns), met[0], met[1])


def _codes(names: Labels) -> Places:
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names], dtype=np.intp)


def _pairs(counts: Places) -> Floats:
    return counts * (counts - 1.0) / 2
