"""Places on a page as its pictures need them: whole pixels, inside the scan, with a margin."""

from __future__ import annotations

from dataclasses import replace

from ....records import Page, Region
from ...asking import Refused

Box = tuple[int, int, int, int]  # left, top, width, height
_MARGIN = 0.35  # of the longer side: a piece of a stroke is read by what is around it


def cut_box(page: Page, region: Region, margin: float = _MARGIN) -> Box:
    """The rectangle around a region, with a margin, cut off at the edges of the scan."""
    left, top, right, bottom = region.bounds
    more = margin * max(right - left, bottom - top)
    left, top, right, bottom = left - more, top - more, right + more, bottom + more
    if page.size is not None:
        right, bottom = min(right, page.size[0]), min(bottom, page.size[1])
    left, top = max(left, 0), max(top, 0)
    return round(left), round(top), max(round(right - left), 1), max(round(bottom - top), 1)


def area_of(page: Page) -> Box | None:
    """The rectangle around a page that is only a part of its scan; None: it is all of it."""
    if not page.regions:
        return None
    lefts, tops, rights, bottoms = zip(*(r.bounds for r in page.regions), strict=True)
    return cut_box(page, Region.rectangle(min(lefts), min(tops), max(rights), max(bottoms)), 0)


def box_of(text: str) -> Box | None:
    """``left,top,width,height`` in pixels, as an address has it."""
    if not text:
        return None
    try:
        left, top, width, height = (int(float(part)) for part in text.split(","))
    except (ValueError, OverflowError) as error:
        raise Refused(f"a region must be left,top,width,height in pixels, got {text!r}") from error
    if min(left, top) < 0 or min(width, height) < 1 or max(left, top, width, height) > 10**6:
        raise Refused(f"a region must lie on the scan, got {text!r}")
    return left, top, width, height


def region_of(box: Box) -> Region:
    """The region that a rectangle is."""
    left, top, width, height = box
    return Region.rectangle(left, top, left + width, top + height)


def restricted(page: Page, box: Box | None) -> Page:
    """The page, or only a rectangle of it."""
    if box is None:
        return page
    if page.size is not None and (box[0] >= page.size[0] or box[1] >= page.size[1]):
        width, height = page.size
        raise Refused(f"the region lies outside the picture, which has {width} × {height} pixels")
    return replace(page, regions=(region_of(box),))
