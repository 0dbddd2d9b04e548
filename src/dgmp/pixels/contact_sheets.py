"""A contact sheet: rows of small pictures, each row under a line of text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import DgmpError
from ..files import replacing
from ..names import need
from ..records import Grey
from .thumbnails import THUMBNAIL

_LEAST = 2  # columns: the line above a row needs as much
_LINE = 22  # pixels, height of a line of text
_GAP = 6
_PAPER, _ABSENT = 235, 128
_KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def draw_rows(
    rows: Sequence[tuple[str, Sequence[Grey | bytes | None]]], path: Path, last: str = ""
) -> Path:
    """Save rows of pictures, pixels or JPEG files, as PNG or JPEG; None leaves a grey cell.

    ``last`` is a line below all rows.
    """
    path = Path(path)
    kind = sheet_kind(path)
    image, drawing = need("PIL.Image"), need("PIL.ImageDraw")
    width, height = THUMBNAIL
    step = height + _LINE + _GAP
    across = max([_LEAST, *(len(pictures) for _, pictures in rows)])
    below = len(rows) * step + _GAP
    size = (across * (width + _GAP) + _GAP, below + (_LINE if last or not rows else 0))
    sheet = image.new("L", size, _PAPER)
    draw = drawing.Draw(sheet)
    draw.font = need("PIL.ImageFont").load_default(size=14)
    for row, (text, pictures) in enumerate(rows):
        top = _GAP + row * step
        draw.text((_GAP, top), text, fill=0)
        for column, picture in enumerate(pictures):
            sheet.paste(_cell(picture), (_GAP + column * (width + _GAP), top + _LINE))
    draw.text((_GAP, below), last, fill=0)
    with replacing(path) as beside:
        sheet.save(beside, format=kind)
    return path


def sheet_kind(path: Path) -> str:
    """The format of a sheet, by the ending of its file."""
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise DgmpError(f"{path}: a contact sheet is .png or .jpg")
    return kind


def _cell(picture: Grey | bytes | None) -> Any:
    image = need("PIL.Image")
    if picture is None:
        return image.new("L", THUMBNAIL, _ABSENT)
    cell = image.new("L", THUMBNAIL, 255)
    if isinstance(picture, bytes):
        small = image.open(io.BytesIO(picture)).convert("L")
    else:
        small = image.fromarray(picture)
    small.thumbnail(THUMBNAIL, image.Resampling.LANCZOS)
    place = (THUMBNAIL[0] - small.width) // 2, (THUMBNAIL[1] - small.height) // 2
    cell.paste(small, place)
    return cell
