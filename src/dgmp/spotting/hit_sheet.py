"""A sheet of hits: each on its page, with the lines around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..errors import ImageError
from ..names import need
from ..pixels import Cell, draw_rows, read_image
from ..records import Grey
from ..sources import open_source
from .word_index import IndexedPage, WordHit

_ACROSS = 5  # cells of a row
_AROUND = 1.5  # heights of the word that are shown above and below it
_SHAPE = 1.5  # width of a cut-out over its height, at least


def draw_hits(
    hits: Sequence[WordHit], pages: Sequence[IndexedPage], path: Path, title: str
) -> Path:
    """Save a picture of hits, best first, each framed on its page."""
    known = {page.id: page for page in pages}
    cells = [(_name(hit), _framed(hit, known[hit.page_id])) for hit in hits]
    rows: list[tuple[str, list[Cell]]] = []
    for start in range(0, len(cells), _ACROSS):
        head = title if not start else f"{start + 1} …"
        rows.append((head, list(cells[start : start + _ACROSS])))
    return draw_rows(rows, path, "" if cells else f"{title}: no hit")


def _name(hit: WordHit) -> str:
    return f"{hit.likeness:.2f} {hit.page_id}"


def _framed(hit: WordHit, page: IndexedPage) -> Grey | None:
    cv2 = need("cv2")
    try:
        pixels = read_image(open_source(page.address), page.frame, turn=page.turn)
    except ImageError:
        return None  # the scan is gone: a grey cell
    left, top, right, bottom = hit.box
    down = round(_AROUND * (bottom - top))
    across = max(round((_SHAPE * (bottom - top + 2 * down) - (right - left)) / 2), 10)
    x, y = max(left - across, 0), max(top - down, 0)
    part = np.ascontiguousarray(pixels[y : bottom + down, x : right + across])
    thick = max((bottom - top) // 20, 2)
    cv2.rectangle(part, (left - x, top - y), (right - x, bottom - y), 0, thick)
    return part
