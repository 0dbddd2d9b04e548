"""Scores as pictures: precision at rank, confusion matrix. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..plotting import picture
from ..records import Scores


def draw_scores(scores: Scores, path: Path | str) -> Path:
    """The picture that belongs to the task: precision at rank, or the confusion matrix."""
    if scores.task == "classification":
        return draw_confusion(scores, path)
    return draw_precision({"": scores}, path)


def draw_precision(systems: Mapping[str, Scores], path: Path | str) -> Path:
    """Mean precision at rank 1, 2, … of one or several systems."""
    for scores in systems.values():
        if not scores.curve:
            raise ValueError(f"a {scores.task} has no precision at rank")
    with picture(path, 6.0, 4.0) as figure:
        axes = figure.add_subplot()
        for name, scores in systems.items():
            used = f", {scores.reranking}" if scores.reranking else ""
            label = f"{name}{': ' if name else ''}mAP {100 * scores.map:.1f} %{used}"
            axes.plot(range(1, len(scores.curve) + 1), scores.curve, marker="o", label=label)
        axes.set_xlabel("rank")
        axes.set_ylabel("mean precision among the first pages")
        axes.set_ylim(0, 1.02)
        axes.locator_params(axis="x", integer=True)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14))
    return Path(path)


def draw_confusion(scores: Scores, path: Path | str) -> Path:
    """True classes down, predicted classes across; the shade is the share of the true class."""
    counts = np.array(scores.confusion)
    if not counts.size:
        raise ValueError(f"a {scores.task} has no confusion matrix")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    inches = 2.5 + 0.5 * len(counts)
    with picture(path, inches, inches) as figure:
        axes = figure.add_subplot()
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for (row, column), count in np.ndenumerate(counts):
            if count:
                shade = "white" if shares[row, column] > 0.5 else "black"
                axes.text(
                    column, row, str(count), ha="center", va="center", color=shade, fontsize=8
                )
        places = range(len(scores.classes))
        axes.set_xticks(places, scores.classes, rotation=45, ha="right")
        axes.set_yticks(places, scores.classes)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        axes.set_title(f"accuracy {100 * scores.accuracy:.1f} %")
    return Path(path)
