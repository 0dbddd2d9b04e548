"""Draw the figure of docs/scale.md into docs/img/: ``python docs/scale_figures.py``."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from dgmp.plotting import BLUE, ORANGE, PALE, SKY, picture

DOCS = Path(__file__).resolve().parent
MEASURED = DOCS.parent / "benchmarks" / "results" / "grouping.csv"
COLOURS = {"clusters": BLUE, "doubtful": SKY, "hands": ORANGE}


def grouping() -> None:
    """Processor time of grouping against pages, by neighbours and by all pairs."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with picture(DOCS / "img" / "grouping.png", 7, 4.2) as figure:
        axes = figure.subplots()
        for name, colour in COLOURS.items():
            own = [row for row in rows if row["drawing"] == name]
            pages = np.array([int(row["pages"]) for row in own])
            seconds = np.array([float(row["processor_seconds"]) for row in own])
            axes.plot(pages, seconds, "o-", color=colour, label=f"by neighbours, {name}")
            exact = [row for row in own if row["exact_processor_seconds"]]
            axes.plot(
                [int(row["pages"]) for row in exact],
                [float(row["exact_processor_seconds"]) for row in exact],
                "s--",
                color=colour,
                label=f"by all pairs, {name}",
            )
        axes.axvline(20_000, color=PALE, zorder=0)  # from here on neighbours
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("pages")
        axes.set_ylabel("seconds of one core")
        axes.set_title("Grouping, vectors of 2 048 entries")
        axes.legend()


if __name__ == "__main__":
    grouping()
