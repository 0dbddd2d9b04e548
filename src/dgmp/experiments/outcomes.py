"""What the runs of a table come to: means over seeds, intervals, differences, ensembles.

The average precision of a query (the hit or miss of a page) is averaged over the seeds first; the
bootstrap over writers (manuscripts) then shows how much the choice of writers explains, and a
difference is taken query by query between runs of the same seeds. How much a seed explains is the
standard deviation beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..evaluation import (
    Difference,
    average_probabilities,
    compare,
    load_scores,
    measure,
    score_scripts,
    with_intervals,
)
from ..records import Page, Scores
from ..training import Run
from .rows import PaperTable, Row
from .table_folder import finished_seeds, run_folder, score_file


@dataclass(frozen=True)
class Outcome:
    """One row as it came out on one view of the test pages."""

    row: Row
    seeds: tuple[int, ...]
    scores: Scores  # mean over the seeds, with intervals
    spread: Mapping[str, float]  # standard deviation over the seeds; empty with one seed
    differences: Mapping[str, Difference]  # to the baseline of the row; empty for itself
    minutes: float | None  # of one run's training; None: it had none
    ridge: float | None  # ρ at the end, mean over the seeds, where there is one
    ensemble: Scores | None = None


def outcomes(table: PaperTable, out: Path, view: str, pages: Sequence[Page]) -> list[Outcome]:
    """The rows of a table that have at least one finished run."""
    found = {
        row.name: {
            seed: load_scores(score_file(out, row, seed, view))
            for seed in finished_seeds(out, row, view)
        }
        for row in table.rows
    }
    return [_outcome(row, found, out, pages, table) for row in table.rows if found[row.name]]


def mean_scores(runs: Sequence[Scores]) -> Scores:
    """The mean over runs, query by query, with intervals; queries that a run lacks are left out."""
    common = set.intersection(*(set(run.item_ids) for run in runs))
    first = runs[0]
    kept = [place for place, name in enumerate(first.item_ids) if name in common]
    ids = tuple(first.item_ids[place] for place in kept)
    values = {}
    for name in first.item_values:
        rows = []
        for run in runs:
            by_id = dict(zip(run.item_ids, run.item_values[name], strict=True))
            rows.append([by_id[page] for page in ids])
        values[name] = tuple(float(value) for value in np.mean(rows, axis=0))
    odd = len(set().union(*(run.item_ids for run in runs))) - len(common)
    notes = (*first.notes, f"{odd} pages could not be described by every run") if odd else ()
    mean = replace(
        first,
        queries=len(ids),
        notes=notes or first.notes,
        curve=tuple(np.mean([run.curve for run in runs], axis=0).tolist()) if first.curve else (),
        confusion=(),
        item_ids=ids,
        item_labels=tuple(first.item_labels[place] for place in kept),
        item_clusters=tuple(first.item_clusters[place] for place in kept),
        item_values=values,
    )
    mean = replace(mean, values={name: measure(mean, name) for name in first.values})
    return with_intervals(mean)


def _outcome(
    row: Row,
    found: Mapping[str, Mapping[int, Scores]],
    out: Path,
    pages: Sequence[Page],
    table: PaperTable,
) -> Outcome:
    runs = found[row.name]
    several = list(runs.values())
    spread = {
        name: float(np.std([run[name] for run in several], ddof=1))
        for name in several[0].values
        if len(several) > 1
    }
    trained = [Run(run_folder(out, row, seed)).metrics() for seed in runs]
    seconds = [sum(epoch["seconds"] for epoch in epochs) for epochs in trained if epochs]
    ridges = [epochs[-1]["relative_ridge"] for epochs in trained if epochs]
    known = [ridge for ridge in ridges if ridge is not None]
    return Outcome(
        row,
        tuple(runs),
        mean_scores(several),
        spread,
        _differences(runs, found.get(row.baseline or "", {}), table),
        float(np.mean(seconds)) / 60 if seconds else None,
        float(np.mean(known)) if known else None,
        _ensemble(row, tuple(runs), out, pages) if table.task == "script" else None,
    )


def _differences(
    runs: Mapping[int, Scores], others: Mapping[int, Scores], table: PaperTable
) -> dict[str, Difference]:
    both = [seed for seed in runs if seed in others]
    if not both:
        return {}
    a = mean_scores([runs[seed] for seed in both])
    b = mean_scores([others[seed] for seed in both])
    if set(a.item_ids) != set(b.item_ids):
        return {}
    names = [name for name in table.measures if name in a.values]
    return dict(compare(a, b, measures=names).differences)


def _ensemble(row: Row, seeds: Sequence[int], out: Path, pages: Sequence[Page]) -> Scores | None:
    """The paper's: probabilities averaged, weighted by validation accuracy."""
    if len(seeds) < 2:
        return None
    tables, accuracies = [], []
    for seed in seeds:
        folder = run_folder(out, row, seed)
        with np.load(folder / "probabilities.npz") as stored:
            tables.append(stored["shares"])
            ids = [str(name) for name in stored["ids"]]
        checked = [epoch["validation"] for epoch in Run(folder).metrics()]
        accuracies.append(max((value for value in checked if value is not None), default=0.0))
    by_id = {page.id: page for page in pages}
    classes = load_scores(score_file(out, row, seeds[0], "page")).classes
    shares = average_probabilities(tables, accuracies=accuracies if all(accuracies) else None)
    return score_scripts([by_id[name] for name in ids], shares, classes)
