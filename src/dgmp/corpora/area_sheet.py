"""A sheet of pictures with the writing that was found on each drawn in, for a person to check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ImageError
from ..names import need
from ..pixels import drawn_kind, read_image, save_drawn, sheet_font, shortened
from ..records import Page

MOST = 60  # pictures
COLUMNS = 5
_CELL = (300, 230)  # pixels, width and height
_LINE = 18  # pixels, height of a line of text
_GAP = 10
_COLOURS = ((200, 20, 20), (20, 60, 200))  # of a page, or the left one, and the right one
_DIMMED = 0.45  # of the brightness, of what is not used


class FoundAreas(NamedTuple):
    """A picture, the pages that were found on it, and why there are none."""

    picture: Page
    pages: Sequence[Page]
    reason: str = ""


def draw_area_sheet(found: Sequence[FoundAreas], path: Path, *, most: int = MOST) -> Path:
    """Save a sheet of up to ``most`` pictures, spread over all, as PNG or JPEG."""
    drawn_kind(path)
    image, drawing = need("PIL.Image"), need("PIL.ImageDraw")
    shown = [found[i * len(found) // most] for i in range(most)] if len(found) > most else found
    rows = -(-len(shown) // COLUMNS)
    across, down = _CELL[0] + _GAP, _CELL[1] + 2 * _LINE + _GAP
    sheet = image.new("RGB", (COLUMNS * across + _GAP, rows * down + _LINE + 2 * _GAP), "white")
    draw = drawing.Draw(sheet)
    draw.font = font = sheet_font(13)
    for number, areas in enumerate(shown):
        left, top = _GAP + number % COLUMNS * across, _GAP + number // COLUMNS * down
        sheet.paste(_cell(areas), (left, top))
        draw.text((left, top + _CELL[1]), shortened(areas.picture.id, font, _CELL[0]), fill="black")
        draw.text(
            (left, top + _CELL[1] + _LINE), shortened(note(areas), font, _CELL[0]), fill="grey"
        )
    draw.text(
        (_GAP, sheet.height - _LINE - _GAP // 2), _count(len(shown), len(found)), fill="black"
    )
    return save_drawn(sheet, path)


def note(areas: FoundAreas) -> str:
    """What was found on a picture, in a few words."""
    if areas.reason:
        return areas.reason
    page = areas.pages[0]
    words = []
    if page.turn:
        words.append(f"turned by {90 * page.turn}°")
    if len(areas.pages) > 1:
        words.append("an opening")
    elif page.regions is not None:
        words.append("cut to the writing")
    return ", ".join(words) or "used as it is"


def _count(shown: int, found: int) -> str:
    left_off = f"; {found - shown} are left off" if found > shown else ""
    return f"{shown} of {found} pictures{left_off}"


def _cell(areas: FoundAreas) -> Any:
    image, drawing = need("PIL.Image"), need("PIL.ImageDraw")
    cell = image.new("RGB", _CELL, (235, 235, 235))
    turn = areas.pages[0].turn if areas.pages else areas.picture.turn
    longest = max(areas.picture.size or (0, 0))
    reduce = max(r for r in (1, 2, 4, 8) if r == 1 or longest / r >= 2 * max(_CELL))
    try:
        pixels = read_image(areas.picture.source, areas.picture.frame, turn=turn, reduce=reduce)
    except ImageError:
        return cell
    grey = image.fromarray(pixels)
    grey.thumbnail(_CELL, image.Resampling.LANCZOS)
    zoom = grey.width / (pixels.shape[1] * reduce)
    outlines = [
        (number, [(x * zoom, y * zoom) for x, y in region.corners])
        for number, page in enumerate(areas.pages)
        for region in page.regions or ()
    ]
    dimmed = grey.point(lambda value: value * _DIMMED)
    used = image.new("L", grey.size, 255 if areas.pages and not outlines else 0)
    for _, corners in outlines:
        drawing.Draw(used).polygon(corners, fill=255)
    small = image.composite(grey, dimmed, used).convert("RGB")
    for number, corners in outlines:
        drawing.Draw(small).polygon(corners, outline=_COLOURS[number % 2], width=2)
    cell.paste(small, ((_CELL[0] - small.width) // 2, (_CELL[1] - small.height) // 2))
    return cell
