"""Parts of a picture as pages of their own: sides of an opening, text regions, bands of lines.

A part has the labels of its page and lies on the same scan, so that two parts of one page by one
writer are neither hit nor miss for each other. So it is with both pages of an opening: one
photograph has one light, one camera and one paper.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..records import Page, Region

PARTS = ("page", "region", "band")  # what of a corpus may be described
_SIDE = re.compile(r"#side=(\d+)$")
_PART = re.compile(r"#(?:region|band)=(\d+)$")


def side_pages(page: Page, turn: int, sides: Sequence[Region]) -> tuple[Page, ...]:
    """The page as it was found on its picture; both pages of an opening, ``#side=0`` the left one.

    ``turn`` are quarter turns clockwise that set the picture upright, ``sides`` the written area of
    each page on it; none: all of it.
    """
    size = page.size[::-1] if page.size is not None and turn % 2 else page.size
    upright = replace(page, turn=(page.turn + turn) % 4, size=size)
    if len(sides) < 2:
        return (replace(upright, regions=tuple(sides) or None),)
    return _parts(upright, "side", sides)


def page_of_side(page_id: str) -> str:
    """The id of the picture that a page, a side of an opening or a part of one is on."""
    return picture_and_side(whole_and_part(page_id)[0])[0]


def picture_and_side(page_id: str) -> tuple[str, int | None]:
    """The picture that a page is a side of, and which; None for a page that is no side."""
    found = _SIDE.search(page_id)
    return (page_id, None) if found is None else (page_id[: found.start()], int(found[1]))


def region_pages(page: Page) -> tuple[Page, ...]:
    """A page for every text region, ``#region=0`` and so on; a page with one or none as it is."""
    if page.regions is None or len(page.regions) < 2:
        return (page,)
    return _parts(page, "region", page.regions)


def band_pages(page: Page, line_distance: float, bands: Sequence[Region]) -> tuple[Page, ...]:
    """A page for every band, ``#band=0`` and so on, all at the scale of the whole page."""
    return _parts(replace(page, line_distance=line_distance), "band", bands)


def whole_and_part(page_id: str) -> tuple[str, int | None]:
    """The id of the page that a part is of, and its number; None for a page that is no part."""
    found = _PART.search(page_id)
    return (page_id, None) if found is None else (page_id[: found.start()], int(found[1]))


def _parts(page: Page, what: str, regions: Sequence[Region]) -> tuple[Page, ...]:
    scan = page.scan or page.id
    return tuple(
        replace(page, id=f"{page.id}#{what}={number}", scan=scan, regions=(region,))
        for number, region in enumerate(regions)
    )
