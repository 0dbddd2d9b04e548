"""Explained pages as pictures: the ink in the colour of its weight. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..plotting import picture
from ..records import Floats, Grey
from .explanations import ExplainedPage

LONGEST = 1400  # pixels of a page in the picture
AGAINST, NEUTRAL, FOR = "#1456b0", "#c4c0b8", "#c4201c"
TINT = 0.22  # how much of the colour is on the paper beside the ink
UNSEEN = 0.88  # the grey of ink that no patch shows


def draw_weights(explained: ExplainedPage, path: Path | str) -> Path:
    """Where on a page its vector comes from: weights in multiples of their mean."""
    values = explained.relative_weights
    return _draw(
        [explained],
        [explained.on_page(values)],
        _name(explained),
        "weight over the mean weight  (1: as in average pooling)",
        ["subtracted", "no weight", "large weight"],
        path,
    )


def draw_likeness(one: ExplainedPage, other: ExplainedPage, path: Path | str) -> Path:
    """Which regions make two pages alike: what each adds to their cosine, or takes from it."""
    cosine = float(one.vector @ other.vector)
    return _draw(
        [one, other],
        _likeness(one, other),
        f"cosine {cosine:.3f}",
        "part of the cosine, in thousandths per position",
        ["unlike", "neither", "alike"],
        path,
    )


def likeness_pictures(one: ExplainedPage, other: ExplainedPage) -> tuple[bytes, bytes]:
    """The two pages in the same colours, as PNG without anything around them."""
    cv2 = need("cv2")
    heats = _likeness(one, other)
    colours, scale = _colours(heats)
    found = []
    for page, heat in zip((one, other), heats, strict=True):
        coloured = np.rint(255 * _coloured(page.image.pixels, heat, scale, colours))
        done, encoded = cv2.imencode(".png", coloured[..., ::-1].astype(np.uint8))
        assert done
        found.append(bytes(encoded))
    return found[0], found[1]


def _likeness(one: ExplainedPage, other: ExplainedPage) -> list[Floats]:
    return [
        1000 * page.on_page(page.contributions(against.vector), total=True)
        for page, against in ((one, other), (other, one))
    ]


def _colours(heats: list[Floats]) -> tuple[Any, Any]:
    """The colours of values, and the scale that brings values to them."""
    colors = need("matplotlib.colors")
    seen = np.concatenate([np.abs(heat[np.isfinite(heat)]) for heat in heats])
    most = float(np.percentile(seen, 99)) or 1.0  # a few cells must not pale all others
    colours = colors.LinearSegmentedColormap.from_list("say", [AGAINST, NEUTRAL, FOR])
    return colours, colors.Normalize(-most, most, clip=True)


def _draw(
    pages: list[ExplainedPage],
    heats: list[Floats],
    title: str,
    unit: str,
    ends: list[str],
    path: Path | str,
) -> Path:
    cm = need("matplotlib.cm")
    colours, scale = _colours(heats)
    shapes = [heat.shape for heat in heats]
    tall = max(height / width for height, width in shapes)
    each = 6.4 if len(pages) == 2 else 7.5  # inches across a page
    with picture(path, each * len(pages), each * min(tall, 1.6) + 1.5) as figure:
        figure.suptitle(title, fontsize=15)
        rows = figure.subplots(1, len(pages), squeeze=False)[0]
        for axes, page, heat in zip(rows, pages, heats, strict=True):
            axes.imshow(_coloured(page.image.pixels, heat, scale, colours), interpolation="lanczos")
            axes.set_xticks([])
            axes.set_yticks([])
            for edge in axes.spines.values():
                edge.set_color("#bbbbbb")
            if len(pages) > 1:
                axes.set_title(_name(page), fontsize=11)
        bar = figure.colorbar(
            cm.ScalarMappable(scale, colours),
            ax=list(rows),
            location="bottom",
            extend="both",
            shrink=0.7 if len(pages) == 1 else 0.5,
            aspect=35,
            pad=0.02,
        )
        bar.set_label(unit, fontsize=12)
        bar.ax.tick_params(labelsize=11)
        for place, word in zip((0.0, 0.5, 1.0), ends, strict=True):
            bar.ax.text(
                place, 1.25, word, transform=bar.ax.transAxes, ha="center", va="bottom", fontsize=11
            )
    return Path(path)


def _coloured(pixels: Grey, heat: Floats, scale: Any, colours: Any) -> NDArray[np.float64]:
    """The page with its ink in the colours of the heat, the paper in a breath of them."""
    cv2 = need("cv2")
    height, width = pixels.shape
    shrink = min(LONGEST / max(height, width), 1.0)
    size = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    ink = 1 - cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)[..., None] / 255
    laid = cv2.resize(heat, size, interpolation=cv2.INTER_NEAREST)
    known = np.isfinite(laid)[..., None]
    shade = colours(scale(np.nan_to_num(laid)))[..., :3]
    paper = np.where(known, 1 - TINT * (1 - shade), 1.0)
    return ink * np.where(known, shade * 0.85, UNSEEN) + (1 - ink) * paper


def _name(explained: ExplainedPage) -> str:
    """The last two parts of a page's id: names of folders often are those of writers."""
    return "/".join(Path(explained.image.page.id).parts[-2:])
