"""A planted map, the weights that GMP gives its positions, and what every pooling keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ..names import need
from ..plotting import BLUE, HEAT, INK, ORANGE, PALE, PARCHMENT, SKY, STROKES, picture
from ..pooling import generalized_max_weights
from .planted import SMALL_RIDGE, Planted, PlantedTable, plant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WEIGHT = f"weight α at ρ={SMALL_RIDGE:g} (average 1, negative as 0)"


def draw_planted(table: PlantedTable, path: Path, *, seed: int = 0) -> None:
    """One map of the scene, the weights GMP gives to its positions, and what poolings keep."""
    maps = plant(table.scene.planting, torch.Generator().manual_seed(seed))
    kinds = maps.kinds[0]
    weights = generalized_max_weights(maps.features[:1], SMALL_RIDGE, relative=True)[0]
    with picture(path, 12, 4.1) as figure:
        figure.set_layout_engine("none")  # the maps are to stand level with the bars
        left = figure.add_axes((0.015, 0.18, 0.25, 0.73))
        middle = figure.add_axes((0.295, 0.18, 0.25, 0.73))
        scale = figure.add_axes((0.295, 0.133, 0.25, 0.024))
        right = figure.add_axes((0.7, 0.18, 0.245, 0.73))
        _draw_kinds(left, kinds)
        left.set_title(f"A made-up page: {int((kinds == Planted.RARE).sum())} rare positions")
        heat = middle.imshow((weights / weights.mean()).numpy(), cmap=HEAT, vmin=0)
        _frame(middle, kinds == Planted.RARE)
        _no_axes(middle)
        middle.set_title("GMP gives them more weight")
        figure.colorbar(heat, cax=scale, orientation="horizontal")
        scale.spines["outline"].set_visible(False)
        scale.tick_params(length=0, labelsize=8, pad=2)
        figure.text(0.42, 0.035, _WEIGHT, ha="center", fontsize=9)
        _draw_shares(right, table)
        right.set_title("What sets descriptors apart")


def _draw_kinds(axes: Axes, kinds: torch.Tensor) -> None:
    patches = need("matplotlib.patches")
    colours = {
        Planted.PARCHMENT: (PARCHMENT, "parchment"),
        Planted.STROKE: (STROKES, "strokes"),
        Planted.RARE: (ORANGE, "rare, the writer's own"),
        Planted.BLOT: (BLUE, "blots"),
    }
    cells = need("matplotlib.colors").ListedColormap([colours[kind][0] for kind in Planted])
    axes.imshow(kinds.numpy(), cmap=cells, vmin=0, vmax=3)
    _no_axes(axes)
    present = [kind for kind in Planted if (kinds == kind).any()]
    handles = [
        patches.Patch(
            facecolor=colours[kind][0], edgecolor=INK, linewidth=0.5, label=colours[kind][1]
        )
        for kind in present
    ]
    axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=len(handles),
        handlelength=1,
        handleheight=1,
        columnspacing=0.8,
        handletextpad=0.4,
    )


def _frame(axes: Axes, chosen: torch.Tensor) -> None:
    patches = need("matplotlib.patches")
    for row, column in chosen.nonzero().tolist():
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(patches.Rectangle(corner, 1, 1, fill=False, edgecolor=SKY, linewidth=1.8))


def _no_axes(axes: Axes) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_shares(axes: Axes, table: PlantedTable) -> None:
    rows = table.rows
    writer = [row.writer for row in rows]
    writing = [row.writing for row in rows]
    rest = [100 - row.writer - row.writing for row in rows]
    both = [sum(pair) for pair in zip(writer, writing, strict=True)]
    places = range(len(rows))
    axes.barh(places, writer, color=ORANGE, label="the writer's pattern")
    axes.barh(places, writing, left=writer, color=STROKES, label="how much is written")
    axes.barh(places, rest, left=both, color=PALE, label="noise and other")
    for place, row in zip(places, rows, strict=True):
        axes.text(103, place, f"{row.mean_average_precision:.0f} %", va="center", fontsize=9)
    axes.annotate(
        "mAP",
        (1.03, 1),
        xycoords="axes fraction",
        xytext=(0, 8),
        textcoords="offset points",
        fontsize=11,
        fontweight="bold",
    )
    axes.set_yticks(places, [row.pooling for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 25, 50, 75, 100], ["0", "25", "50", "75", "100 %"])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.42, -0.09),
        ncols=3,
        handlelength=1,
        handleheight=1,
        columnspacing=1.2,
        handletextpad=0.4,
    )
