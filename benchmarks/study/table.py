"""The table of the study: mean of the seeds, and an interval over inputs and seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from task import Task

RESAMPLES = 2000


def best_rate(rows: Iterable[dict[str, Any]], seed: int) -> float:
    """The learning rate with the best validation score of the seed."""
    tuned = [row for row in rows if row["seed"] == seed]
    return float(max(tuned, key=lambda row: row["val"])["rate"])


def chosen(rows: Sequence[dict[str, Any]], seeds: Sequence[int]) -> np.ndarray | None:
    """The scores of the test inputs with the chosen rate (seeds, inputs); None if runs miss."""
    if not any(row["seed"] == seeds[0] for row in rows):
        return None
    rate = best_rate(rows, seeds[0])
    found = {row["seed"]: row["test"] for row in rows if row["rate"] == rate}
    return np.array([found[seed] for seed in seeds]) if all(s in found for s in seeds) else None


def means(scores: np.ndarray, block: int, draws: np.random.Generator) -> np.ndarray:
    """The mean in resamples of seeds and of inputs, ``block`` inputs of one class together."""
    blocks = scores.reshape(len(scores), -1, block).mean(axis=2)  # (seeds, blocks)
    seeds = draws.integers(0, len(blocks), (RESAMPLES, len(blocks)))
    inputs = draws.integers(0, blocks.shape[1], (RESAMPLES, blocks.shape[1]))
    return np.array(
        [blocks[s][:, i].mean() for s, i in zip(seeds, inputs, strict=True)]
    )  # same draws for every pooling


def table(
    rows: Sequence[dict[str, Any]],
    tasks: Sequence[Task],
    names: Sequence[str],
    seeds: Sequence[int],
) -> Iterator[str]:
    """Its lines, percent."""
    yield "| pooling | " + " | ".join(task.name for task in tasks) + " | seconds |"
    yield "|---" * (len(tasks) + 2) + "|"
    for name in names:
        cells, seconds = [], []
        for task in tasks:
            own = [r for r in rows if (r["pooling"], r["task"]) == (name, task.name)]
            scores = chosen(own, seeds)
            seconds += [row["seconds"] for row in own]
            if scores is None:
                cells.append("–")
                continue
            low, high = np.percentile(
                means(scores, task.block, np.random.default_rng(0)), (2.5, 97.5)
            )
            spread = scores.mean(axis=1).std(ddof=1)
            cells.append(
                f"{100 * scores.mean():.1f} ± {100 * spread:.1f} ({100 * low:.1f}–{100 * high:.1f})"
            )
        if any(cell != "–" for cell in cells):
            yield f"| {name} | {' | '.join(cells)} | {np.mean(seconds):.1f} |"
