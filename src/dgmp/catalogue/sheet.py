"""Hands as pictures: a sheet with a row of small pages for each hand."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..files import replacing
from .extras import need
from .grouping import Hand

CELL = (240, 180)  # pixels, width and height
COLUMNS = 6
ROWS = 60
_LEAST = 2  # columns: the line that names a row needs as much
_NAME = 22  # pixels, height of the line that names a row
_GAP = 6


def shown_pages(
    hands: Sequence[Hand], *, rows: int = ROWS, columns: int = COLUMNS
) -> list[tuple[Hand, tuple[str, ...]]]:
    """The hands and pages that a sheet has room for, those most like the others of their hand."""
    return [(hand, hand.page_ids[:columns]) for hand in hands[:rows]]


def draw_hands(
    hands: Sequence[Hand], thumbnails: Mapping[str, bytes], path: Path | str, *, rows: int = ROWS
) -> Path:
    """Save a picture of the hands, PNG or JPEG; the last line tells how many did not fit."""
    image = need("PIL.Image", "pillow", "classical")
    drawing = need("PIL.ImageDraw", "pillow", "classical")
    shown = shown_pages(hands, rows=rows)
    left_out = len(hands) - len(shown)
    step = CELL[1] + _NAME + _GAP
    across = max([_LEAST, *(len(members) for _, members in shown)])
    size = (across * (CELL[0] + _GAP) + _GAP, len(shown) * step + _GAP + _NAME * (left_out > 0))
    sheet = image.new("L", (size[0], max(size[1], _NAME)), 235)
    draw = drawing.Draw(sheet)
    draw.font = need("PIL.ImageFont", "pillow", "classical").load_default(size=14)
    for row, (hand, members) in enumerate(shown):
        top = _GAP + row * step
        pages = "1 page" if len(hand.page_ids) == 1 else f"{len(hand.page_ids)} pages"
        text = f"hand {hand.number}: {pages}, confidence {hand.confidence:.0%}"
        draw.text((_GAP, top), text, fill=0)
        for column, id in enumerate(members):
            left = _GAP + column * (CELL[0] + _GAP)
            sheet.paste(_cell(image, thumbnails.get(id)), (left, top + _NAME))
    if left_out:
        draw.text((_GAP, size[1] - _NAME), f"and {left_out} more hands", fill=0)
    path = Path(path)
    with replacing(path) as beside:
        sheet.save(beside, format="JPEG" if path.suffix.lower() in (".jpg", ".jpeg") else "PNG")
    return path


def _cell(image: Any, thumbnail: bytes | None) -> Any:
    cell = image.new("L", CELL, 255)
    if thumbnail is None:
        return cell
    picture = image.open(io.BytesIO(thumbnail)).convert("L")
    picture.thumbnail(CELL, image.Resampling.LANCZOS)
    cell.paste(picture, ((CELL[0] - picture.width) // 2, (CELL[1] - picture.height) // 2))
    return cell
