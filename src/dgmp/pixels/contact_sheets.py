"""A contact sheet: rows of small pictures, each row under a line of text, names below."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..names import need
from ..records import Grey
from .drawn import drawn_kind, save_drawn
from .thumbnails import THUMBNAIL

Cell = tuple[str, Grey | bytes | None]  # a name, and pixels or a JPEG file; None: a grey cell
_LEAST = 2  # columns: the line above a row needs as much
_LINE = 22  # pixels, height of a line of text
_NAME = 18  # pixels, height of the name below a picture
_GAP = 6
_PAPER, _ABSENT = 235, 128
_FONTS = ("DejaVuSans.ttf", "LiberationSans-Regular.ttf", "Arial.ttf", "arial.ttf")


def draw_rows(rows: Sequence[tuple[str, Sequence[Cell]]], path: Path, last: str = "") -> Path:
    """Save rows of pictures with their names, as PNG or JPEG; ``last`` is a line below all."""
    path = Path(path)
    drawn_kind(path)
    image, drawing = need("PIL.Image"), need("PIL.ImageDraw")
    large, small = sheet_font(14), sheet_font(12)
    width, height = THUMBNAIL
    step = _LINE + height + _NAME + _GAP
    across = max([_LEAST, *(len(cells) for _, cells in rows)])
    below = len(rows) * step + _GAP
    size = (across * (width + _GAP) + _GAP, below + (_LINE if last or not rows else 0))
    sheet = image.new("L", size, _PAPER)
    draw = drawing.Draw(sheet)
    for row, (text, cells) in enumerate(rows):
        top = _GAP + row * step
        draw.text((_GAP, top), shortened(text, large, size[0] - 2 * _GAP), fill=0, font=large)
        for column, (name, picture) in enumerate(cells):
            left = _GAP + column * (width + _GAP)
            sheet.paste(_cell(picture), (left, top + _LINE))
            name = shortened(name, small, width)
            draw.text((left, top + _LINE + height + 1), name, fill=0, font=small)
    draw.text((_GAP, below), last, fill=0, font=large)
    return save_drawn(sheet, path)


def sheet_font(size: int) -> Any:
    """A font with the letters of most alphabets; Pillow's own has not even umlauts."""
    fonts = need("PIL.ImageFont")
    plots = find_spec("matplotlib")  # brings one, which need not be imported for it
    brought = plots and plots.origin and Path(plots.origin).parent / "mpl-data/fonts/ttf"
    for name in (*([brought / _FONTS[0]] if brought else []), *_FONTS):
        try:
            return fonts.truetype(str(name), size)
        except OSError:
            continue
    return fonts.load_default(size=size)


def shortened(text: str, font: Any, width: float) -> str:
    """A text that is no wider than that many pixels: its middle gives way, mostly the front of it.

    What tells the pages of a book apart stands at the end of their names.
    """
    if font.getlength(text) <= width:
        return text
    for kept in range(len(text) - 1, 1, -1):
        front = kept // 3
        short = f"{text[:front]}…{text[len(text) - kept + front :]}"
        if font.getlength(short) <= width:
            return short
    return "…"


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
