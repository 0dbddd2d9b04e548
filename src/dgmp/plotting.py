"""Plots, all with the same look, written whole or not at all. Needs matplotlib.

Colours are from Okabe and Ito's palette, which readers with any colour vision can tell apart.
Figures are made without pyplot, so that no window system and no global state is involved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DgmpError
from .files import MAKER, replacing
from .names import need

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#33302b"
PALE = "#dcd6c8"
PARCHMENT = "#f3ecd9"
STROKES = "#8c8474"
ORANGE = "#d55e00"
BLUE = "#0072b2"
SKY = "#56b4e9"
_MARKS: dict[str, dict[str, Any]] = {
    "png": {"metadata": {"Software": MAKER}},
    "jpg": {"pil_kwargs": {"comment": MAKER}},
    "jpeg": {"pil_kwargs": {"comment": MAKER}},
}
HEAT = "cividis"  # made for colour-blind readers, and reads in grey too

LOOK: dict[str, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelsize": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "grid.color": PALE,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "figure.facecolor": "white",
    "savefig.dpi": 150,
}


@contextmanager
def picture(path: Path | str, width: float, height: float) -> Iterator[Figure]:
    """A figure of that many inches to draw on, saved at the end in the format of its ending."""
    path = Path(path)
    kind = picture_kind(path)
    with need("matplotlib.style").context(["default", LOOK]):
        figure = need("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
        yield figure
        with replacing(path) as beside:
            figure.savefig(beside, format=kind, **_MARKS.get(kind, {}))


def picture_kind(path: Path) -> str:
    """The format that the ending of a file asks for, or an error before anything is drawn."""
    known = need("matplotlib.figure").Figure().canvas.get_supported_filetypes()
    kind = path.suffix.lstrip(".").lower() or "png"
    if kind not in known:
        raise DgmpError(
            f"{path}: no picture can be drawn as {kind}; choose from {', '.join(known)}"
        )
    return kind
