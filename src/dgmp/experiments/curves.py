"""Validation error per epoch, mean and one standard deviation over runs, on a log axis.

The values of the paper's figure are not part of its source, so there is nothing to draw beside.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..files import replacing, write_text
from ..plotting import picture
from ..training import Curve, plot_error_curves
from .scripts import SCRIPTS_TABLE

CURVES_TABLE = replace(
    SCRIPTS_TABLE,
    name="curves",
    title="Validation error per epoch",
    rows=tuple(row for row in SCRIPTS_TABLE.rows if row.trains),
    remark="",
)


def write_curves(curves: Sequence[Curve], out: Path, data: str, what: str) -> list[Path]:
    """Write curves.md, curves.csv and curves.png into ``out``; ``what`` was measured."""
    paths = [out / f"curves{suffix}" for suffix in (".md", ".csv", ".png")]
    write_text(paths[0], _markdown(curves, data, what))
    with replacing(paths[1]) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["pooling", "epoch", "error", "std", "runs"])
        for curve in curves:
            for epoch, mean, std in zip(curve.epochs, curve.mean, curve.std, strict=True):
                writer.writerow([curve.title, epoch, f"{mean:.4f}", f"{std:.4f}", curve.runs])
    with picture(paths[2], 7, 4) as figure:
        plot_error_curves(figure.subplots(), curves, what)
    return paths


def _markdown(curves: Sequence[Curve], data: str, what: str) -> str:
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
    return "\n".join(lines) + "\n"
