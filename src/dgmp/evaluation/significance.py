"""How sure a score is: bootstrap over writers (or manuscripts), alone and in pairs.

Pages of one writer rise and fall together, so writers are drawn, with replacement, and all queries
of a drawn writer come along; the gallery stays as it is. A measure is, in each resample, its own
definition on the drawn queries:

    mean over s of  Σ_w m_w a_ws / Σ_w m_w n_ws

m_w: how often writer w was drawn; a_ws, n_ws: sum and number of the values of w in stratum s. Most
measures have one stratum; balanced accuracy has one per class. Intervals are the 2.5 and 97.5
percentiles. With few writers (below 20, say) such intervals are too narrow.

Efron, Tibshirani: An Introduction to the Bootstrap, 1993; Field, Welsh: Bootstrapping clustered
data, JRSS B 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..rankings import Places
from ..records import Floats, Scores

RESAMPLES = 2000
WEIGHTS_AT_A_TIME = 2**22  # entries of the table of draws that are held


@dataclass(frozen=True)
class Difference:
    """System a minus system b in one measure."""

    value: float
    low: float  # 95 % interval
    high: float
    below_zero: float  # share of resamples in which b is better
    above_zero: float


@dataclass(frozen=True)
class Differences:
    """Two systems on the same queries, a minus b, each resample drawn once for both."""

    differences: Mapping[str, Difference]
    queries: int
    clusters: int
    rerankings: tuple[str | None, str | None]

    def __getitem__(self, name: str) -> Difference:
        return self.differences[name]

    def __str__(self) -> str:
        used = " against ".join(name or "none" for name in self.rerankings)
        lines = [
            f"a − b on {self.queries} queries, {self.clusters} clusters; re-ranking: {used}",
            f"{'measure':24}{'points':>8}  {'95 % interval':18}resamples below 0",
        ]
        for name, found in self.differences.items():
            interval = f"{100 * found.low:+.2f} – {100 * found.high:+.2f}"
            lines.append(
                f"{name:24}{100 * found.value:+8.2f}  {interval:18}{100 * found.below_zero:.1f} %"
            )
        return "\n".join(lines)


def with_intervals(scores: Scores, *, resamples: int = RESAMPLES, seed: int = 0) -> Scores:
    """The same scores with 95 % intervals; ``resamples=0`` leaves them out."""
    clusters, codes = _clusters(scores)
    if resamples < 0:
        raise ValueError(f"resamples must not be negative, got {resamples}")
    if resamples == 0:
        return replace(scores, intervals={})
    if len(clusters) < 2:
        return replace(scores, notes=(*scores.notes, "no intervals: all queries are one cluster"))
    names = _measures(scores)
    found = _resampled(scores, names, codes, len(clusters), resamples, seed)
    intervals = {name: _percentiles(found[name]) for name in names}
    return replace(scores, intervals=intervals)


def compare(
    a: Scores,
    b: Scores,
    *,
    measures: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Differences:
    """Bootstrap the difference of two systems scored on the same queries.

    Queries are matched by id, whatever their order. A system that is better in 97.5 % of resamples
    (``below_zero`` under 0.025 or over 0.975) differs by more than the choice of writers explains.
    """
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    if a.task != b.task:
        raise ValueError(f"a is a {a.task}, b a {b.task}: they cannot be compared")
    odd = sorted(set(a.item_ids) ^ set(b.item_ids))
    if odd:
        raise ValueError(
            f"a and b were not scored on the same queries: {odd[0]!r} is in one only "
            f"({len(odd)} such)"
        )
    b = _reordered(b, a.item_ids)
    if a.item_clusters != b.item_clusters or a.item_labels != b.item_labels:
        raise ValueError("a and b give the same queries other labels or groups")
    shared = [name for name in _measures(a) if name in _measures(b)]
    names = shared if measures is None else list(measures)
    unknown = [name for name in names if name not in shared]
    if unknown or not names:
        raise ValueError(f"a and b share no measure {unknown}; they share {', '.join(shared)}")
    clusters, codes = _clusters(a)
    if len(clusters) < 2:
        raise ValueError("all queries are one cluster, there is nothing to resample")
    found_a, found_b = (
        _resampled(scores, names, codes, len(clusters), resamples, seed) for scores in (a, b)
    )
    differences = {}
    for name in names:
        draws = found_a[name] - found_b[name]
        low, high = _percentiles(draws)
        differences[name] = Difference(
            a[name] - b[name], low, high, float((draws < 0).mean()), float((draws > 0).mean())
        )
    return Differences(differences, len(a.item_ids), len(clusters), (a.reranking, b.reranking))


def measure(scores: Scores, name: str) -> float:
    """A measure computed afresh from the single values, as the resamples compute it."""
    clusters, codes = _clusters(scores)
    return float(_ratios(np.ones((1, len(clusters))), *_tallies(scores, name, codes))[0])


def _measures(scores: Scores) -> list[str]:
    return [name for name in scores.values if _source(name) in scores.item_values]


def _source(name: str) -> str:
    return "accuracy" if name == "balanced_accuracy" else name


def _clusters(scores: Scores) -> tuple[list[str], Places]:
    """In alphabetical order: the draws must not depend on the order of the pages."""
    if not scores.item_ids:
        raise ValueError("these scores hold no single queries to resample")
    names = sorted(set(scores.item_clusters))
    place = {name: number for number, name in enumerate(names)}
    return names, np.array([place[name] for name in scores.item_clusters], dtype=np.intp)


def _tallies(scores: Scores, name: str, codes: Places) -> tuple[Floats, Floats]:
    """Sum and number of a measure's values, (clusters, strata)."""
    values = np.array(scores.item_values[_source(name)])
    strata = np.zeros(len(values), dtype=np.intp)
    if name == "balanced_accuracy":
        strata = np.unique(np.array(scores.item_labels), return_inverse=True)[1]
    shape = (codes.max() + 1, strata.max() + 1)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (codes, strata), values)
    np.add.at(counts, (codes, strata), 1)
    if name == "group_accuracy":  # every manuscript counts once, however many pages it has
        return sums / counts, np.ones(shape)
    return sums, counts


def _ratios(draws: Floats, sums: Floats, counts: Floats) -> Floats:
    numbers = draws @ counts
    shares = np.divide(draws @ sums, numbers, out=np.zeros_like(numbers), where=numbers > 0)
    return shares.sum(axis=1) / (numbers > 0).sum(axis=1)


def _resampled(
    scores: Scores,
    names: Sequence[str],
    codes: Places,
    clusters: int,
    resamples: int,
    seed: int,
) -> dict[str, Floats]:
    tallies = {name: _tallies(scores, name, codes) for name in names}
    parts: dict[str, list[Floats]] = {name: [] for name in names}
    for draws in _draws(clusters, resamples, seed):
        for name in names:
            parts[name].append(_ratios(draws, *tallies[name]))
    return {name: np.concatenate(found) for name, found in parts.items()}


def _draws(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each cluster was drawn: (resamples, clusters), some rows at a time."""
    generator = np.random.default_rng(seed)
    step = max(1, WEIGHTS_AT_A_TIME // clusters)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = generator.integers(clusters, size=(rows, clusters))
        drawn += clusters * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)


def _percentiles(draws: Floats) -> tuple[float, float]:
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def _reordered(scores: Scores, ids: tuple[str, ...]) -> Scores:
    place = {page: number for number, page in enumerate(scores.item_ids)}
    order = [place[page] for page in ids]
    return replace(
        scores,
        item_ids=ids,
        item_labels=tuple(scores.item_labels[n] for n in order),
        item_clusters=tuple(scores.item_clusters[n] for n in order),
        item_values={
            name: tuple(values[n] for n in order) for name, values in scores.item_values.items()
        },
    )
