"""A contact sheet of a corpus: a row of small pages for each writer or script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from ..errors import ImageError
from ..pixels import THUMBNAIL, draw_rows, read_image
from ..records import Grey, Page

COLUMNS = 6
ROWS = 24

T = TypeVar("T")


def draw_contact_sheet(
    pages: Sequence[Page], path: Path, *, rows: int = ROWS, columns: int = COLUMNS
) -> Path:
    """Save a picture of some pages of up to ``rows`` writers (or scripts)."""
    groups: dict[str, list[Page]] = defaultdict(list)
    label = next((n for n in ("writer", "script") if any(getattr(p, n) for p in pages)), None)
    for page in pages:
        groups[(getattr(page, label) or "no " + label) if label else ""].append(page)
    shown = [
        (title, [(page.id, _small(page)) for page in members])
        for title, members in _rows(groups, rows, columns)
    ]
    return draw_rows(shown, path)


def _rows(groups: dict[str, list[Page]], rows: int, columns: int) -> list[tuple[str, list[Page]]]:
    """The titles and pages to show, spread over all; a single group fills several rows."""
    if len(groups) == 1:
        ((name, pages),) = groups.items()
        some = _spread(pages, rows * columns)
        of = f"{len(some)} of {len(pages)}" if len(some) < len(pages) else str(len(pages))
        title = f"{name}  ({of})" if name else f"{of} pages"
        parts = range(0, len(some), columns)
        return [(title if at == 0 else "", some[at : at + columns]) for at in parts]
    names = _spread(sorted(groups), rows)
    return [(f"{name}  ({len(groups[name])})", _spread(groups[name], columns)) for name in names]


def _spread(items: list[T], number: int) -> list[T]:
    if len(items) <= number:
        return items
    return [items[i * len(items) // number] for i in range(number)]


def _small(page: Page) -> Grey | None:
    """The pixels of a page, no larger than needed; None where it cannot be read."""
    longest = max(page.size or (0, 0))
    reduce = max(r for r in (1, 2, 4, 8) if r == 1 or longest / r >= 2 * max(THUMBNAIL))
    try:
        return read_image(page.source, page.frame, turn=page.turn, reduce=reduce)
    except ImageError:
        return None
