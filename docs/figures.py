"""Draw the figures of docs/pooling.md into docs/img/: ``python docs/figures.py [NAME ...]``."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.patches import Rectangle
from torch import Generator, Tensor

from dgmp.demo import SCENES, SMALL_RIDGE, draw_planted, plant, planted_table
from dgmp.plotting import BLUE, HEAT, INK, ORANGE, PALE, PARCHMENT, picture
from dgmp.pooling import (
    GeneralizedMaxPool,
    generalized_max_pool,
    generalized_max_weights,
    make_pooling,
)

DOCS = Path(__file__).resolve().parent
STUDY = DOCS.parent / "benchmarks" / "results" / "ridge_study.csv"
SIMILARITY = r"$\varphi_i^{\mathsf{T}}\xi$"


def planted(path: Path) -> None:
    """What GMP does with rare positions: the picture of ``dgmp demo``."""
    draw_planted(planted_table(SCENES[0], Generator().manual_seed(0)), path)


def limits(path: Path) -> None:
    """From an equal say to average pooling, as the ridge grows."""
    features = plant(SCENES[0].planting, Generator().manual_seed(0)).features.flatten(2)
    centred = features - features.mean(dim=(0, 2), keepdim=True)
    ridges = np.logspace(-6, 2, 33)
    with picture(path, 9, 3.5) as figure:
        left, right = figure.subplots(1, 2)
        for phi, colour in ((features[:5].double(), ORANGE), (centred[:5].double(), BLUE)):
            closeness, spread = [], []
            for ridge in ridges:
                pooled = generalized_max_pool(phi, float(ridge), relative=True)
                closeness.append(F.cosine_similarity(pooled, phi.mean(dim=2)).mean().item())
                similarity = torch.einsum("bc,bcn->bn", pooled, phi)
                rms = similarity.square().mean(dim=1).sqrt()
                spread.append((similarity.std(dim=1, correction=0) / rms).mean().item())
            left.plot(ridges, closeness, color=colour)
            right.plot(ridges, spread, color=colour)
        left.set_title("A large ridge is average pooling")
        left.set_ylabel("cosine to average pooling")
        left.text(1e-6, 0.53, "raw", color=ORANGE)
        left.text(1e-3, 0.53, "centred", color=BLUE)
        right.set_title("A small ridge is an equal say")
        right.set_ylabel(f"spread of {SIMILARITY} over positions\n(standard deviation / rms)")
        right.text(4e-3, 0.33, "centred", color=BLUE)
        right.text(100, 0.09, "raw, after a ReLU", color=ORANGE, ha="right")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xticks([1e-6, 1e-4, 1e-2, 1, 100])
            axes.minorticks_off()
            axes.set_xlabel("relative ridge ρ")
            axes.set_ylim(0, 1.04)
            axes.grid(axis="y")


def weights(path: Path) -> None:
    """A line of like strokes with an odd one among them, and what each position weighs."""
    page = _draw_strokes()
    features = _oriented_features(page)
    alpha = generalized_max_weights(features, SMALL_RIDGE, relative=True)[0]
    with picture(path, 9, 3.1) as figure:
        upper, lower = figure.subplots(2, 1)
        upper.imshow(page, cmap="Greys", vmin=0, vmax=1)
        upper.set_title("A line of writing")
        heat = lower.imshow(alpha / alpha.mean(), cmap=HEAT, vmin=0)
        lower.set_title(
            "Weight α of each position: like strokes share theirs, the odd one stands out"
        )
        scale = figure.colorbar(heat, ax=[upper, lower], fraction=0.02, pad=0.015, shrink=0.9)
        scale.set_label("α, average = 1")
        scale.outline.set_visible(False)
        scale.ax.tick_params(length=0)
        for axes in (upper, lower):
            axes.set_axis_off()


@dataclass(frozen=True)
class _Line:
    """The scores of one map against the ridge."""

    name: str
    positions: int
    ridges: list[float]
    gains: list[float]  # mAP less that of average pooling


def ridge(path: Path, study: Path = STUDY) -> None:
    """What the ridge does on real features: mAP against that of average pooling."""
    if not study.exists():
        print(f"ridge.png left out: there is no {study}", file=sys.stderr)
        return
    panels = {kind: _read_lines(study, kind) for kind in ("raw", "centred")}
    every = [line for lines in panels.values() for line in lines]
    highest = max(max(line.gains) for line in every)
    norm = LogNorm(min(line.positions for line in every), max(line.positions for line in every))
    with picture(path, 9, 3.9) as figure:
        both = figure.subplots(1, 2, sharey=True)
        for axes, (kind, lines) in zip(both, panels.items(), strict=True):
            axes.axhline(0, color=INK, linewidth=1)
            for line in lines:
                shade = colormaps[HEAT](norm(line.positions))
                axes.plot(line.ridges, line.gains, "o-", color=shade, markersize=3.5)
            center = 1 if kind == "centred" else 0
            default = GeneralizedMaxPool(relative=True, center=center).ridge.item()
            axes.axvline(default, color=INK, linewidth=1, linestyle=":")
            axes.annotate(
                "default",
                (default, 0.03),
                xycoords=("data", "axes fraction"),
                xytext=(4, 0),
                textcoords="offset points",
                fontsize=9,
            )
            axes.set_title(f"{kind.capitalize()} features")
            axes.set_xscale("log")
            axes.set_xlabel("relative ridge ρ")
            axes.grid(axis="y")
        both[0].set_ylim(-20, math.ceil(highest) + 1)
        both[0].set_ylabel("mAP less that of average pooling\n(percentage points)")
        scale = figure.colorbar(ScalarMappable(norm, HEAT), ax=both, fraction=0.03, pad=0.02)
        scale.set_label("positions N of the map")
        scale.outline.set_visible(False)


def masks(path: Path) -> None:
    """Pages of different size in one batch: with masks each pools to what it pools to alone."""
    generator = Generator().manual_seed(4)
    sizes = [(12, 9), (8, 12), (6, 6)]
    alone = [torch.rand(1, 32, *size, generator=generator) for size in sizes]
    blank = torch.rand(32, 1, 1, generator=generator)  # what a network makes of padding: not zero
    batch = blank.expand(3, 32, 12, 12).clone()
    mask = torch.zeros(3, 12, 12, dtype=torch.bool)
    for number, (page, (height, width)) in enumerate(zip(alone, sizes, strict=True)):
        batch[number, :, :height, :width] = page
        mask[number, :height, :width] = True
    with picture(path, 9, 3.5) as figure:
        halves = figure.add_gridspec(1, 2, width_ratios=[1.25, 1])
        pages, errors = figure.add_subfigure(halves[0]), figure.add_subfigure(halves[1])
        grid = pages.subplots(2, 3)
        for number, size in enumerate(sizes):
            _draw_page(grid[0, number], size)
            _draw_mask(grid[1, number], mask[number])
        grid[0, 0].set_title("Padded to one size")
        grid[1, 0].set_title("Masks: positions that count")
        _draw_errors(errors.subplots(), alone, batch, mask)


def _draw_strokes() -> Tensor:  # (height, width), ink is 1
    y, x = torch.meshgrid(torch.arange(44.0), torch.arange(300.0), indexing="ij")
    shapes = [(torch.hypot(x - 162, y - 22) - 10).abs()]  # distances to a ring
    words = [(8, 4), (62, 3), (104, 4), (184, 3), (226, 4), (280, 2)]  # where, how many minims
    for start, count in words:
        for foot in range(start, start + 12 * count, 12):
            along = (y - 10).clamp(0, 24)  # a minim, 24 high, that leans a little
            shapes.append(torch.hypot(x - foot + along / 12, y - 10 - along))
    return (2.6 - torch.stack(shapes).amin(dim=0)).clamp(0, 1)


def _oriented_features(page: Tensor) -> Tensor:  # (1, 9, height, width), of unit length
    """How much ink lies in each of 8 directions around a position, and how much paper."""
    y, x = torch.meshgrid(torch.arange(-4.0, 5), torch.arange(-4.0, 5), indexing="ij")
    window = torch.exp(-(x**2 + y**2) / 10)
    filters = []
    for angle in torch.arange(8) * torch.pi / 8:
        line = window * torch.exp(-((y * angle.cos() - x * angle.sin()) ** 2) / 6.5)
        line = line / line.sum() - window / window.sum()
        filters.append(line / line.clamp(min=0).sum())
    image = page[None, None]
    strokes = F.conv2d(image, torch.stack(filters).unsqueeze(1), padding=4).relu()
    strokes = F.avg_pool2d(strokes, 5, 1, 2)
    paper = 1 - F.avg_pool2d(image, 9, 1, 4)
    return F.normalize(torch.cat([strokes / strokes.amax(), paper], dim=1), dim=1)


def _read_lines(study: Path, kind: str) -> list[_Line]:
    with study.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["features"] == kind]
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in sorted(rows, key=lambda row: float(row["rho"])):
        found.setdefault((row["side"], row["map"]), []).append(row)
    lines = [
        _Line(
            f"{side} px, {name}",
            int(points[0]["positions"]),
            [float(point["rho"]) for point in points],
            [float(point["map_percent"]) - float(point["avg"]) for point in points],
        )
        for (side, name), points in found.items()
    ]
    return sorted(lines, key=lambda line: line.positions)


def _draw_page(axes: Axes, size: tuple[int, int]) -> None:
    height, width = size
    axes.add_patch(Rectangle((0, 0), 12, 12, facecolor="white", edgecolor=PALE, hatch="////"))
    axes.add_patch(Rectangle((0, 0), width, height, facecolor=PARCHMENT, edgecolor=INK))
    for row in range(1, height, 2):
        end = width - 1 if row % 4 == 1 else width - 2.5
        axes.plot([1, end], [row, row], color=INK, linewidth=2)
    _square(axes)


def _draw_mask(axes: Axes, mask: Tensor) -> None:
    cells = ListedColormap(["white", BLUE])
    axes.pcolormesh(mask, cmap=cells, vmin=0, vmax=1, edgecolors=PALE, linewidth=0.5)
    _square(axes)


def _square(axes: Axes) -> None:
    axes.set_xlim(-0.2, 12.2)
    axes.set_ylim(12.2, -0.2)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _draw_errors(axes: Axes, alone: list[Tensor], batch: Tensor, mask: Tensor) -> None:
    names = {"avg": "avg", "gem": "GeM", "lse": "LSE", "gmp": "GMP"}
    without, within = [], []
    for name in names:
        pooling = make_pooling(name, channels=32, normalize=True)
        with torch.no_grad():
            right = torch.cat([pooling(page) for page in alone])
            without.append((pooling(batch) - right).norm(dim=1).max().item())
            within.append((pooling(batch, mask) - right).norm(dim=1).max().item())
    places = np.arange(len(names))
    axes.barh(places - 0.2, without, 0.36, color=PALE)
    axes.barh(places + 0.2, within, 0.36, color=BLUE)
    for place, error in zip(places, within, strict=True):
        axes.annotate(
            f"with masks: {error:.0e}",
            (0, place + 0.2),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=BLUE,
            fontsize=9,
        )
    axes.set_yticks(places, list(names.values()))
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.text(0.01, -0.2, "without masks", va="center", fontsize=9)
    axes.set_title("Distance to the page pooled alone")


FIGURES: dict[str, Callable[[Path], None]] = {
    "planted": planted,
    "limits": limits,
    "weights": weights,
    "ridge": ridge,
    "masks": masks,
}


def main() -> None:
    """Draw all figures, or those named on the command line."""
    unknown = set(sys.argv[1:]) - FIGURES.keys()
    if unknown:
        sys.exit(f"no figure called {min(unknown)!r}; choose from {', '.join(FIGURES)}")
    (DOCS / "img").mkdir(exist_ok=True)
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name](DOCS / "img" / f"{name}.png")


if __name__ == "__main__":
    main()
