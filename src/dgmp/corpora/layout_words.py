"""The words of an ALTO or PAGE file: each ``String`` or ``Word`` with its place and its text."""

from __future__ import annotations

from xml.etree import ElementTree

from ..storage import AnyPath
from .layout_files import open_layout

BoxedText = tuple[tuple[float, float, float, float], str]  # left, top, right, bottom; its text


def read_layout_words(path: AnyPath, size: tuple[int, int]) -> list[BoxedText | None]:
    """All words of the file in pixels of a picture of ``size``; None for one without a place."""
    layout = open_layout(path, size)
    kind, text = ("String", _alto_text) if layout.kind == "alto" else ("Word", _page_text)
    found: list[BoxedText | None] = []
    for element in layout.elements(kind):
        corners = layout.outline(element)
        if not corners:
            found.append(None)
            continue
        xs, ys = zip(*corners, strict=True)
        found.append(((min(xs), min(ys), max(xs), max(ys)), text(element)))
    return found


def _alto_text(element: ElementTree.Element) -> str:
    return element.get("CONTENT", "").strip()


def _page_text(element: ElementTree.Element) -> str:
    for part in element:
        if part.tag.rpartition("}")[2] == "TextEquiv":
            for inner in part:
                if inner.tag.rpartition("}")[2] == "Unicode":
                    return (inner.text or "").strip()
    return ""
