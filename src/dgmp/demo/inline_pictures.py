"""Pictures inside a page of HTML: PNG as ``data:`` addresses, charts as SVG."""

from __future__ import annotations

import base64
import io
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..names import need
from ..plotting import BLUE, INK, LOOK, ORANGE, PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = {
    INK: "currentColor",
    PALE: "var(--line)",
    BLUE: "var(--cool)",
    ORANGE: "var(--accent)",
}  # a chart's to the page's, which change with light and dark


@dataclass(frozen=True)
class InlinePicture:
    """A PNG that is part of the page."""

    address: str  # data:image/png;base64,…
    width: int  # pixels
    height: int


def inline_png(data: bytes) -> InlinePicture:
    """The PNG of these bytes."""
    width, height = struct.unpack(">II", data[16:24])  # of IHDR, the first chunk
    return InlinePicture("data:image/png;base64," + base64.b64encode(data).decode(), width, height)


def inline_pixels(pixels: NDArray[np.uint8]) -> InlinePicture:  # (h, w) grey or (h, w, 3) RGB
    """Pixels as PNG."""
    cv2 = need("cv2")
    ordered = pixels if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., ::-1])
    done, encoded = cv2.imencode(".png", ordered, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    assert done, "OpenCV writes PNG"
    return inline_png(encoded.tobytes())


def draw_svg(width: float, height: float, name: str, plot: Callable[[Axes], None]) -> str:
    """A chart of that many inches in the colours of the page; every text in it is escaped."""
    look = {**LOOK, "svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}
    text = io.StringIO()
    with need("matplotlib.style").context(["default", look]):
        figure = need("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
        plot(figure.subplots())
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(
        r'<svg ([^>]*?)width="[^"]*"', rf'<svg \1role="img" aria-label="{escape(name)}"', svg
    )
    svg = re.sub(r'(<svg [^>]*?) height="[^"]*"', r"\1", svg, count=1)
    for colour, of_page in _COLOURS.items():
        svg = svg.replace(colour, of_page)
    return re.sub(r"font: ([^;\"]*?)'[^\"]*", r"font: \1sans-serif", svg)
