"""A sheet of small pages, a row for each writer or script: what a corpus looks like."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ImageError
from ..records import Page
from .extras import pillow
from .images import read_image

CELL = (180, 140)  # pixels, width and height
COLUMNS = 6
ROWS = 24
_NAME = 16  # pixels, height of the line that names a row
_GAP = 6

T = TypeVar("T")


def draw_contact_sheet(
    pages: Sequence[Page], path: Path, *, rows: int = ROWS, columns: int = COLUMNS
) -> None:
    """Save a picture of some pages of up to ``rows`` writers (or scripts)."""
    from PIL import ImageDraw

    image = pillow()
    groups: dict[str, list[Page]] = defaultdict(list)
    label = next((n for n in ("writer", "script") if any(getattr(p, n) for p in pages)), None)
    for page in pages:
        groups[(getattr(page, label) or "no " + label) if label else ""].append(page)
    shown = _rows(groups, rows, columns)
    width = columns * (CELL[0] + _GAP) + _GAP
    height = len(shown) * (CELL[1] + _NAME + _GAP) + _GAP
    sheet = image.new("L", (width, max(height, CELL[1])), 235)
    draw = ImageDraw.Draw(sheet)
    for row, (name, members, number) in enumerate(shown):
        top = _GAP + row * (CELL[1] + _NAME + _GAP)
        draw.text((_GAP, top), f"{name}  ({number})" if name else f"{number} pages", fill=0)
        for column, page in enumerate(members):
            left = _GAP + column * (CELL[0] + _GAP)
            sheet.paste(_small(page), (left, top + _NAME))
    sheet.save(path)


def _rows(
    groups: dict[str, list[Page]], rows: int, columns: int
) -> list[tuple[str, list[Page], int]]:
    """The groups and pages to show, spread over all; a single group fills several rows."""
    if len(groups) == 1:
        ((name, pages),) = groups.items()
        some = _spread(pages, rows * columns)
        parts = [some[i : i + columns] for i in range(0, len(some), columns)]
        return [(name, part, len(pages)) for part in parts]
    names = _spread(sorted(groups), rows)
    return [(name, _spread(groups[name], columns), len(groups[name])) for name in names]


def _spread(items: list[T], number: int) -> list[T]:
    if len(items) <= number:
        return items
    return [items[i * len(items) // number] for i in range(number)]


def _small(page: Page) -> Any:
    image = pillow()
    cell = image.new("L", CELL, 255)
    try:
        longest = max(page.size or (0, 0))
        reduce = max(r for r in (1, 2, 4, 8) if r == 1 or longest / r >= 2 * max(CELL))
        picture = image.fromarray(read_image(page.path, page.frame, reduce=reduce))
    except ImageError:
        return image.new("L", CELL, 128)
    picture.thumbnail(CELL, image.Resampling.LANCZOS)
    cell.paste(picture, ((CELL[0] - picture.width) // 2, (CELL[1] - picture.height) // 2))
    return cell
