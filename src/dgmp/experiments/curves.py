"""Validation error per epoch, mean and one standard deviation over runs, on a log axis.

The values of the paper's figure are not part of its source, so there is nothing to draw beside.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import DgmpError
from ..files import replacing
from ..training import Run
from .pictures import BLUE, INK, ORANGE, SKY, STROKES, picture
from .scripts import SCRIPTS_TABLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES_TABLE = replace(SCRIPTS_TABLE, name="curves", title="Validation error per epoch", remark="")
_LEAST = 0.05  # percent: a log axis has no zero
_COLOURS = (BLUE, ORANGE, SKY, STROKES, INK, "#009e73", "#cc79a7", "#e69f00")


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


def draw_error_curves(curves: Sequence[Curve], path: Path, what: str) -> None:
    """Draw them into a file; ``what`` was measured."""
    with picture(path, 7, 4) as figure:
        plot_error_curves(figure.subplots(), curves, what)


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


def write_curves(curves: Sequence[Curve], out: Path, data: str, what: str) -> list[Path]:
    """Write curves.md, curves.csv and curves.png into ``out``."""
    paths = [out / f"curves{suffix}" for suffix in (".md", ".csv", ".png")]
    runs = ", ".join(f"{curve.title} {curve.runs}" for curve in curves)
    lines = [
        "# Validation error per epoch",
        "",
        f"Data: {data}. Error: {what}, in percent, on the pages held out of the training pages; "
        f"mean of the runs and one standard deviation. Runs: {runs}. The values of the paper's own "
        "figure (CLaMM 2016 and 2017) are not part of its source.",
        "",
        "| pooling | first | last | lowest | at epoch |",
        "|---|---:|---:|---:|---:|",
    ]
    for curve in curves:
        best = int(curve.mean.argmin())
        first, last = (f"{curve.mean[n]:.1f} ± {curve.std[n]:.1f}" for n in (0, -1))
        lowest = f"{curve.mean[best]:.1f}"
        lines.append(f"| {curve.title} | {first} | {last} | {lowest} | {curve.epochs[best]} |")
    lines += ["", "![Validation error per epoch](curves.png)"]
    with replacing(paths[0]) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with replacing(paths[1]) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["pooling", "epoch", "error", "std", "runs"])
        for curve in curves:
            for epoch, mean, std in zip(curve.epochs, curve.mean, curve.std, strict=True):
                writer.writerow([curve.title, epoch, f"{mean:.4f}", f"{std:.4f}", curve.runs])
    with replacing(paths[2]) as beside:
        draw_error_curves(curves, beside, what)
    return paths


def _colours(count: int) -> list[str]:
    return [_COLOURS[n % len(_COLOURS)] for n in range(count)]
