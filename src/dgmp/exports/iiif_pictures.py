"""The pictures of exported canvases: links to scans, or JPEG files beside the manifests."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from urllib.parse import quote, urlsplit

from ..errors import ImageError
from ..files import as_named
from ..names import need
from ..pixels import pictures_in, read_image, save_drawn
from ..records import Page
from ..sources import CanvasSource

LONGEST = 2000  # pixels, of a JPEG that is written
_NO_SIZE = (1000, 1000)  # where neither manifest nor catalogue has one
_SHOWN = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp"}


@dataclass(frozen=True)
class PictureLink:
    """Where a browser finds the picture of a scan."""

    address: str
    format: str
    size: tuple[int, int]  # width, height


def link_picture(page: Page, shared: Path, base: str, file: Path, address: str) -> PictureLink:
    """The scan of a page, if it lies in the folder ``shared``, whose address is ``base``.

    The picture of a canvas on the web stays there. Of other scans, and where browsers do not show
    one as it is described (a TIFF, a page of a PDF, a scan that was turned), a JPEG is written as
    ``file``, whose address will be ``address``. ImageError: the scan cannot be read.
    """
    if isinstance(page.source, CanvasSource):
        size = page.size or page.source.size or _NO_SIZE
        shown = page.source.shown(size[page.turn % 2], page.turn)
        format = _SHOWN.get(PurePath(urlsplit(shown).path).suffix.lower(), "image/jpeg")
        return PictureLink(shown, format, size)
    path = PurePath(as_named(page.source.address))
    kind = _SHOWN.get(path.suffix.lower())
    size = page.size or next(
        each.size for each in pictures_in(page.source) if each.frame == page.frame
    )
    if kind is not None and path.is_relative_to(shared) and not page.turn:
        return PictureLink(
            base + quote(os.fsencode(path.relative_to(shared).as_posix())), kind, size
        )
    reduce = next((r for r in (1, 2, 4) if max(size) / r <= LONGEST), 8)
    try:
        pixels = read_image(page.source, page.frame, turn=page.turn, reduce=reduce)
    except OSError as error:
        raise ImageError(page.id, f"cannot be read: {error}") from error
    file.parent.mkdir(exist_ok=True)
    save_drawn(need("PIL.Image").fromarray(pixels), file)
    return PictureLink(address, "image/jpeg", (pixels.shape[1], pixels.shape[0]))
