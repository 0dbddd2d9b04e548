"""Runs as pictures: loss and validation by epoch of one run, validation error of several.

Validation errors are shown as mean and one standard deviation over runs, on a log axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DgmpError
from ..plotting import BLUE, INK, ORANGE, SKY, STROKES, picture
from .runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST = 0.05  # percent: a log axis has no zero
_COLOURS = (BLUE, ORANGE, SKY, STROKES, INK, "#009e73", "#cc79a7", "#e69f00")


def draw_curves(epochs: Sequence[dict[str, Any]], path: Path, measure: str) -> None:
    """Draw the epochs of ``metrics.jsonl``."""
    with picture(path, 9, 3.2) as figure:
        left, right = figure.subplots(1, 2)
        numbers = [epoch["epoch"] + 1 for epoch in epochs]
        left.plot(numbers, [epoch["loss"] for epoch in epochs], color=ORANGE, label="loss")
        shares = [epoch["active"] for epoch in epochs]
        left.plot(numbers, shares, color=STROKES, label="active share")
        left.set_xlabel("epoch")
        left.set_ylim(bottom=0)
        left.legend()
        checked = [epoch for epoch in epochs if epoch.get("validation") is not None]
        right.plot(
            [epoch["epoch"] + 1 for epoch in checked],
            [epoch["validation"] for epoch in checked],
            marker=".",
            color=BLUE,
        )
        right.set_xlabel("epoch")
        right.set_ylabel(f"validation {measure}")


@dataclass(frozen=True)
class Curve:
    """The validation error of some runs by epoch, in percent."""

    title: str
    epochs: NDArray[np.int64]  # counted from 1
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    runs: int


def error_curve(title: str, runs: Sequence[Run]) -> Curve:
    """The curve of runs of one recipe; of the epochs that all of them have checked."""
    errors = [
        {
            epoch["epoch"] + 1: 100 * (1 - epoch["validation"])
            for epoch in run.metrics()
            if epoch["validation"] is not None
        }
        for run in runs
    ]
    common = sorted(set.intersection(*(set(run) for run in errors))) if errors else []
    if not common:
        raise DgmpError(f"{title}: its runs have no epoch in common that was validated")
    values = np.array([[run[epoch] for epoch in common] for run in errors])  # (runs, epochs)
    std = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(len(common))
    return Curve(title, np.array(common), values.mean(axis=0), std, len(values))


def plot_error_curves(axes: Axes, curves: Sequence[Curve], what: str) -> None:
    """Plot them with their bands."""
    for curve, colour in zip(curves, _colours(len(curves)), strict=True):
        marker = "o" if len(curve.epochs) < 15 else ""
        mean = np.maximum(curve.mean, _LEAST)
        axes.plot(curve.epochs, mean, color=colour, label=curve.title, marker=marker, ms=3)
        low, high = np.maximum(curve.mean - curve.std, _LEAST), curve.mean + curve.std
        axes.fill_between(curve.epochs, low, high, color=colour, alpha=0.2, lw=0)
    axes.set_yscale("log")
    axes.set_xlabel("epoch")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylabel(f"validation error ({what}), %")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.tick_params(axis="y", which="minor", labelsize=8)
    axes.grid(axis="y", which="both", linewidth=0.5)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)


def _colours(count: int) -> list[str]:
    return [_COLOURS[n % len(_COLOURS)] for n in range(count)]
