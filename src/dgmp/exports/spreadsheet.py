"""Hands as a spreadsheet with small pictures: a sheet of pages and one of hands.

Names, notes and paths are text whatever they begin with: a file called ``=cmd.jpg`` is no formula.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..names import need
from .outgoing import Outgoing, clean

MOST_PICTURES = 5000  # pages; a file with more opens slowly
PAGE_COLUMNS = (
    "picture", "page", "hand", "name", "fit", "confidence", "decided", "nearest", "path"
)  # fmt: skip
HAND_COLUMNS = ("hand", "name", "note", "pages", "confidence", "decided", "nearest", "first page")
_WIDTHS = {"picture": 24, "page": 40, "name": 24, "note": 40, "path": 70, "first page": 40}
_PICTURE = (160, 120)  # pixels
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_spreadsheet(going: Outgoing, file: Path, place: Path) -> None:
    """An .xlsx file for Excel and LibreOffice."""
    book = need("openpyxl").Workbook()
    pages, hands = book.active, book.create_sheet("hands")
    pages.title = "pages"
    paths = going.paths
    shown = _thumbnails(going)
    _write_head(pages, PAGE_COLUMNS)
    for row, (hand, id, fit) in enumerate(going.rows(), start=2):
        values = ("", id, hand.number, hand.name, round(fit, 4), round(hand.confidence, 4))
        _write_row(pages, row, (*values, hand.decided, hand.nearest, paths[id]))
        if id in shown:
            _put_picture(pages, row, shown[id])
    _write_head(hands, HAND_COLUMNS)
    for row, hand in enumerate(going.hands, start=2):
        known = (hand.number, hand.name, hand.note, len(hand.page_ids), round(hand.confidence, 4))
        _write_row(hands, row, (*known, hand.decided, hand.nearest, hand.page_ids[0]))
    book.save(file)


def _thumbnails(going: Outgoing) -> dict[str, bytes]:
    ids = [id for _, id, _ in going.rows()]
    if len(ids) > MOST_PICTURES:
        warnings.warn(
            f"{len(ids)} pages: the spreadsheet has the pictures of the first {MOST_PICTURES}",
            stacklevel=4,
        )
    return dict(going.thumbnails(ids[:MOST_PICTURES]))


def _write_head(sheet: Any, columns: Sequence[str]) -> None:
    bold = need("openpyxl.styles").Font(bold=True)
    for place, name in enumerate(columns, start=1):
        cell = sheet.cell(1, place, name)
        cell.font = bold
        sheet.column_dimensions[cell.column_letter].width = _WIDTHS.get(name, 12)
    sheet.freeze_panes = "A2"


def _write_row(sheet: Any, row: int, values: Sequence[Any]) -> None:
    for column, value in enumerate(values, start=1):
        cell = sheet.cell(row, column)
        if isinstance(value, bool):
            cell.value = "yes" if value else None
        elif isinstance(value, str):
            cell.value = clean(value) or None
            if value.startswith(_FORMULA):
                cell.data_type = "s"
                cell.quotePrefix = True
        else:
            cell.value = value


def _put_picture(sheet: Any, row: int, thumbnail: bytes) -> None:
    picture = need("openpyxl.drawing.image").Image(io.BytesIO(thumbnail))
    zoom = min(_PICTURE[0] / picture.width, _PICTURE[1] / picture.height)
    picture.width, picture.height = round(picture.width * zoom), round(picture.height * zoom)
    sheet.add_image(picture, f"A{row}")
    sheet.row_dimensions[row].height = 0.75 * _PICTURE[1] + 4  # in points
