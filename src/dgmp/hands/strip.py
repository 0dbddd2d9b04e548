"""Hands along books as a picture: a strip for each book, page after page, coloured by hand.

Every page is a small map of its bands where they lie on the scan. The hands with most bands have
the colours of Okabe and Ito, which readers with any colour vision can tell apart; the others are
grey, and each band bears the number of its hand. A band is paler the less firmly it belongs to its
hand, and hatched where it is doubtful. A dark line stands where the hand changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from ..names import need
from ..plotting import BLUE, INK, ORANGE, PALE, SKY, STROKES, picture
from ..records import file_and_part
from .sequence import BandHand, BookHands

COLOURS = (BLUE, ORANGE, "#009e73", "#e69f00", "#cc79a7", SKY, "#f0e442", INK)
ROWS = 60  # of at most MOST_PAGES pages; more would not fit on a picture
MOST_PAGES = 32  # in a row; a longer book goes on in the next
MOST_LISTED = 12  # hands in the legend
LONGEST_NAME = 16  # letters

_PAGE = 0.42, 0.95  # inches: width and height of a page
_TITLE = 0.27  # inches above a row
_LETTER = 0.062  # inches of a name below a page, per letter
_LEAST_PAGES = 10  # that a picture is wide: the legend needs as much
_FLAT = 5  # letters that a page is wide
_ENTRY = 2.1, 0.17  # inches: width and height in the legend
_GAP = 0.14  # of a page's width, between pages
_PALEST = 0.3  # of the colour


@dataclass(frozen=True)
class _Row:
    title: str
    pages: Sequence[Sequence[BandHand]]


def draw_strip(found: BookHands, path: Path | str) -> Path:
    """Save the strips of all books in the format that the ending of ``path`` asks for."""
    path = Path(path)
    rows = _rows(found)
    shown = rows[:ROWS]
    colour = _colours(found)
    wide = max([_LEAST_PAGES, *(len(row.pages) for row in shown)])
    letters = max([1, *(len(_name(page)) for row in shown for page in row.pages)])
    upright = letters > _FLAT
    names = (_LETTER * letters if upright else 0.1) + 0.08
    pitch = _TITLE + _PAGE[1] + names + 0.12
    width = 0.2 + wide * _PAGE[0]
    handles = _legend(found, colour)
    columns = max(int(width / _ENTRY[0]), 1)
    legend = 0.25 + _ENTRY[1] * -(-len(handles) // columns)
    left_out = len(rows) - len(shown)
    high = max(len(shown), 1) * pitch + (0.25 if left_out else 0)
    with picture(path, width, high + legend) as figure:
        axes = figure.add_subplot()
        axes.set_xlim(0, wide * _PAGE[0])
        axes.set_ylim(high, 0)  # inches downwards
        axes.axis("off")
        for number, row in enumerate(shown):
            top = number * pitch + _TITLE
            axes.text(0, top - 0.07, row.title, fontsize=9, weight="bold", va="bottom")
            for column, page in enumerate(row.pages):
                left = column * _PAGE[0]
                _draw_page(axes, page, left, top, colour)
                middle = left + (1 - _GAP) * _PAGE[0] / 2
                axes.text(
                    middle,
                    top + _PAGE[1] + 0.04,
                    _name(page),
                    fontsize=7,
                    rotation=90 if upright else 0,
                    ha="center",
                    va="top",
                )
        if left_out:
            axes.text(0, high - 0.05, f"and {left_out} more rows", fontsize=9, va="bottom")
        figure.legend(
            handles=handles, loc="outside lower left", ncols=columns, handlelength=1.6, fontsize=8
        )
    return path


def _rows(found: BookHands) -> list[_Row]:
    """Books as rows of pages; a long book goes on in further rows."""
    rows = []
    for book, bands in found.books().items():
        pages = [list(page) for _, page in groupby(bands, key=lambda band: band.page)]
        hands = len({band.hand for band in bands})
        changes = sum(band.change for band in bands)
        counts = [(len(pages), "page"), (hands, "hand"), (changes, "change")]
        about = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts)
        # A dollar sign would begin a formula.
        title = f"{book or 'pages'}: {about}".replace("$", r"\$")
        for start in range(0, len(pages), MOST_PAGES):
            part = pages[start : start + MOST_PAGES]
            rows.append(_Row(title if not start else "… continued", part))
    return rows


def _colours(found: BookHands) -> dict[int, str]:
    """Of the hands with most bands; those of one band have none."""
    counts = Counter(band.hand for band in found.bands)
    ranked = sorted((hand for hand in counts if counts[hand] > 1), key=lambda h: (-counts[h], h))
    return dict(zip(ranked, COLOURS, strict=False))


def _draw_page(
    axes: Any, bands: Sequence[BandHand], left: float, top: float, colours: dict[int, str]
) -> None:
    patches = need("matplotlib.patches")
    width, height = (1 - _GAP) * _PAGE[0], _PAGE[1]
    for band, (x0, y0, x1, y1) in zip(bands, _map(bands), strict=True):
        x, y, wide, high = left + x0 * width, top + y0 * height, (x1 - x0) * width, (y1 - y0)
        high *= height
        fill = _mixed(colours.get(band.hand, STROKES), band.firmness)
        style: dict[str, Any] = {"facecolor": fill, "edgecolor": "white", "linewidth": 0.6}
        axes.add_patch(patches.Rectangle((x, y), wide, high, **style))
        if band.doubtful:
            hatched = {"fill": False, "edgecolor": INK, "linewidth": 0, "hatch": "/////"}
            axes.add_patch(patches.Rectangle((x, y), wide, high, **hatched))
        if high > 0.1 and wide > 0.1:
            dark = sum(fill) / 3 < 0.55
            behind = {"facecolor": fill, "edgecolor": "none", "boxstyle": "square,pad=0.15"}
            axes.text(
                x + wide / 2,
                y + high / 2,
                str(band.hand),
                fontsize=6,
                color="white" if dark else INK,
                ha="center",
                va="center_baseline",
                bbox=behind if band.doubtful else None,
            )
        if band.change:
            within = band is not bands[0]
            at = left - _GAP * _PAGE[0] / 2
            line = (
                ([x - 0.02, x + wide + 0.02], [y, y]) if within else ([at, at], [top, top + height])
            )
            axes.plot(*line, color=INK, linewidth=2, solid_capstyle="butt", clip_on=False)


def _map(bands: Sequence[BandHand]) -> list[tuple[float, float, float, float]]:
    """Where the bands of a page lie in it, from 0 to 1; one below the other if not known."""
    known = [band.bounds for band in bands if band.bounds is not None]
    if len(known) < len(bands):
        number = len(bands)
        return [(0.0, place / number, 1.0, (place + 1) / number) for place in range(number)]
    lefts, tops, rights, bottoms = zip(*known, strict=True)
    left, top = min(lefts), min(tops)
    wide, high = max(max(rights) - left, 1), max(max(bottoms) - top, 1)
    return [
        ((b[0] - left) / wide, (b[1] - top) / high, (b[2] - left) / wide, (b[3] - top) / high)
        for b in known
    ]


def _name(page: Sequence[BandHand]) -> str:
    """The file of a page without its ending, the end of a long one."""
    file, part = file_and_part(page[0].page)
    name = PurePosixPath(file).stem + part
    return (name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}").replace(
        "$", r"\$"
    )


def _mixed(colour: str, firmness: float) -> tuple[float, float, float]:
    """The colour on white, paler the less firm."""
    share = _PALEST + (1 - _PALEST) * min(max(firmness, 0.0), 1.0)
    red, green, blue = (1 - share * (1 - part) for part in need("matplotlib.colors").to_rgb(colour))
    return red, green, blue


def _legend(found: BookHands, colours: dict[int, str]) -> list[Any]:
    patch, line = need("matplotlib.patches").Patch, need("matplotlib.lines").Line2D
    handles = []
    listed = [hand for hand in found.hands if len(hand.page_ids) > 1][:MOST_LISTED]
    for hand in listed:
        bands = [band for band in found.bands if band.hand == hand.number]
        pages = len({band.page for band in bands})
        text = f"hand {hand.number}: {len(bands)} bands on {pages} page{'' if pages == 1 else 's'}"
        handles.append(patch(facecolor=colours.get(hand.number, STROKES), label=text))
    if rest := len(found.hands) - len(listed):
        handles.append(patch(facecolor=STROKES, label=f"grey: {rest} further"))
    firm = patch(facecolor=PALE, label="pale: fits its hand less well")
    doubt = patch(facecolor="white", edgecolor=INK, hatch="/////", label="hatched: doubtful")
    change = line([], [], color=INK, linewidth=2, label="dark line: the hand changes")
    return [*handles, firm, doubt, change]
