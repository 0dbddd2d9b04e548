"""HTML out of plain values: one file that needs nothing else, every text escaped."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..corpora.extras import opencv
from .pictures import BLUE, INK, LOOK, ORANGE, PALE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {
    INK: "currentColor",
    PALE: "var(--line)",
    BLUE: "var(--cool)",
    ORANGE: "var(--accent)",
}  # a drawing's to the page's, which change with light and dark


class Html(str):
    """Text that is HTML already; any other text is escaped before it gets onto a page."""

    __slots__ = ()


def html(value: object) -> Html:
    """A value as HTML."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def element(name: str, *children: object, **attributes: object) -> Html:
    """An element with its children; the attribute ``kind`` is the CSS class."""
    listed = "".join(
        f' {"class" if key == "kind" else key.replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
    )
    inside = "".join(html(child) for child in children)
    return Html(f"<{name}{listed}>{inside}</{name}>")


def table(
    head: Sequence[object], rows: Sequence[Sequence[object]], best: int | None = None
) -> Html:
    """A table whose first column names its rows; row ``best`` stands out."""
    top = element("tr", *(element("th", cell, scope="col") for cell in head))
    lines = []
    for number, (name, *cells) in enumerate(rows):
        line = [element("th", name, scope="row"), *(element("td", cell) for cell in cells)]
        lines.append(element("tr", *line, kind="best" if number == best else "row"))
    inside = element("table", element("thead", top), element("tbody", *lines))
    return element("div", inside, kind="scroll")


def image(pixels: NDArray[np.uint8], alt: str) -> Html:
    """Grey (h, w) or RGB (h, w, 3) pixels as an inlined PNG."""
    cv2 = opencv()
    ordered = pixels if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., ::-1])
    done, encoded = cv2.imencode(".png", ordered, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    assert done, "OpenCV writes PNG"
    return png(encoded.tobytes(), alt, pixels.shape[1], pixels.shape[0])


def png(data: bytes, alt: str, width: int, height: int) -> Html:
    """A PNG file inlined."""
    source = "data:image/png;base64," + base64.b64encode(data).decode()
    size = f'width="{width}" height="{height}" loading="lazy"'
    return Html(f'<img src="{source}" alt="{escape(alt)}" {size}>')


@contextmanager
def drawing(width: float, height: float, name: str) -> Iterator[tuple[Figure, list[Html]]]:
    """A figure to draw on; at the end the list holds it as SVG in the colours of the page."""
    from matplotlib import style
    from matplotlib.figure import Figure

    drawn: list[Html] = []
    look = {**LOOK, "svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}
    with style.context(["default", look]):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, drawn
        text = io.StringIO()
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
    svg = re.sub(r"font: ([^;\"]*?)'[^\"]*", r"font: \1sans-serif", svg)
    drawn.append(Html(svg))


def page(values: Mapping[str, object]) -> str:
    """The report: the template of this room with the values in their places."""
    template = files(__package__).joinpath("report.html").read_text(encoding="utf-8")
    return Template(template).substitute({key: html(value) for key, value in values.items()})
