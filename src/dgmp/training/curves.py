"""A run as a picture: loss, ridge and validation by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..files import replacing


def draw_curves(epochs: Sequence[dict[str, Any]], path: Path, measure: str) -> None:
    """Draw the epochs of ``metrics.jsonl``."""
    from matplotlib.figure import Figure  # not pyplot: no window system is asked for

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    numbers = [epoch["epoch"] + 1 for epoch in epochs]
    left.plot(numbers, [epoch["loss"] for epoch in epochs], color="#8a4b2a", label="loss")
    left.plot(numbers, [epoch["active"] for epoch in epochs], color="#999999", label="active share")
    left.set_xlabel("epoch")
    left.set_ylim(bottom=0)
    left.legend(frameon=False)
    checked = [epoch for epoch in epochs if epoch.get("validation") is not None]
    right.plot(
        [epoch["epoch"] + 1 for epoch in checked],
        [epoch["validation"] for epoch in checked],
        marker=".",
        color="#2a5a8a",
    )
    right.set_xlabel("epoch")
    right.set_ylabel(f"validation {measure}")
    with replacing(path) as beside:
        figure.savefig(beside, dpi=120, format="png")
