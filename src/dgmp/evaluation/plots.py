"""Scores as pictures: precision at rank, confusion matrix. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DgmpError, MissingExtra
from ..files import replacing
from ..records import Scores


def draw_scores(scores: Scores, path: Path | str) -> Path:
    """The picture that belongs to the task: precision at rank, or the confusion matrix."""
    if scores.task == "classification":
        return draw_confusion(scores, path)
    return draw_precision({"": scores}, path)


def draw_precision(systems: Mapping[str, Scores], path: Path | str) -> Path:
    """Mean precision at rank 1, 2, … of one or several systems."""
    figure, axes = _figure(6.0, 4.0)
    for name, scores in systems.items():
        if not scores.curve:
            raise ValueError(f"a {scores.task} has no precision at rank")
        used = f", {scores.reranking}" if scores.reranking else ""
        label = f"{name}{': ' if name else ''}mAP {100 * scores.map:.1f} %{used}"
        axes.plot(range(1, len(scores.curve) + 1), scores.curve, marker="o", label=label)
    axes.set_xlabel("rank")
    axes.set_ylabel("mean precision among the first pages")
    axes.set_ylim(0, 1.02)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False)
    return _save(figure, path)


def draw_confusion(scores: Scores, path: Path | str) -> Path:
    """True classes down, predicted classes across; the shade is the share of the true class."""
    counts = np.array(scores.confusion)
    if not counts.size:
        raise ValueError(f"a {scores.task} has no confusion matrix")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    inches = 2.5 + 0.5 * len(counts)
    figure, axes = _figure(inches, inches)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), count in np.ndenumerate(counts):
        if count:
            shade = "white" if shares[row, column] > 0.5 else "black"
            axes.text(column, row, str(count), ha="center", va="center", color=shade, fontsize=8)
    places = range(len(scores.classes))
    axes.set_xticks(places, scores.classes, rotation=45, ha="right")
    axes.set_yticks(places, scores.classes)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    axes.set_title(f"accuracy {100 * scores.accuracy:.1f} %")
    return _save(figure, path)


def picture_kind(path: Path) -> str:
    """The kind of picture that the name asks for, or an error before anything is drawn."""
    figure, _ = _figure(1.0, 1.0)
    kind = path.suffix.lstrip(".").lower() or "png"
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise DgmpError(
            f"{path}: no picture can be drawn as {kind}; choose from {', '.join(known)}"
        )
    return kind


def _figure(width: float, height: float) -> tuple[Any, Any]:
    try:
        # Not pyplot: no window system is asked for, no global list of figures is kept.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra(
            "drawing scores needs matplotlib: pip install 'dgmp[learning]'"
        ) from error
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def _save(figure: Any, path: Path | str) -> Path:
    path = Path(path)
    kind = picture_kind(path)
    with replacing(path) as beside:
        figure.savefig(beside, dpi=150, format=kind)
    return path
