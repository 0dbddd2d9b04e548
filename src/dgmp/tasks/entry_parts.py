"""All that is stored of a page, made where the page is described."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..describers import Describer, Read, page_and_halves
from ..errors import ImageError, Unreachable
from ..pixels import picture_size, thumbnail
from ..records import Page
from ..sources import CanvasSource
from ..storage import CHANGED


def _size_of(page: Page) -> tuple[int, int] | None:
    """Of the picture that was read: a IIIF service may give a smaller one than its manifest has."""
    if not isinstance(page.source, CanvasSource):
        return page.size
    width, height = picture_size(page.source)
    return (height, width) if page.turn % 2 else (width, height)


@dataclass(frozen=True)
class EntryParts:
    """Called where the page is described: all of its entry but the page."""

    describer: Describer
    read: Read

    def __call__(self, page: Page) -> dict[str, Any]:
        try:
            stamp, before = page.stamp(), page.content_hash
        except OSError as error:
            raise ImageError(page.id, f"cannot be read: {error.strerror}") from error
        image = self.read(page)
        vector, halves = page_and_halves(self.describer, image)
        try:
            content = page.content_hash
        except OSError as error:
            raise ImageError(page.id, f"went away while it was read: {error}") from error
        if page.stamp() != stamp or content != before:
            raise Unreachable(page.id, CHANGED)
        return {
            "source": page.source.stamp(),
            "size": _size_of(page),
            "vector": vector,
            "content_hash": content,
            "thumbnail": thumbnail(image),
            "stamp": stamp,
            "halves": halves,
            "line_distance": image.line_distance,
        }
