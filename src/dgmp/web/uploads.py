"""Pictures that people bring along to search with: bounded, kept for a while in memory, deleted.

The guard bounds the bytes while they come in. Before anything is decoded, the header must be that
of a picture that dgmp reads, of at most ``MOST_PIXELS`` in all its frames. A picture is kept under
a random name for ``SECONDS``, and only the newest ``KEPT`` of together ``KEPT_BYTES`` are.
"""

from __future__ import annotations

import hashlib
import io
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import BinaryIO

from ..errors import DgmpError, ImageError
from ..pixels import Colours, pictures_in, read_colour
from ..records import Page
from .images import as_jpeg

MOST_BYTES = 50 * 2**20
MOST_PIXELS = 100_000_000  # a sheet of A3 at 600 dpi has 70 million
MOST_PICTURES = 64  # in one file
KEPT, KEPT_BYTES = 8, 3 * MOST_BYTES
SECONDS = 3600.0
SHOWN = (1000, 1400)  # pixels, at most
ZOOMED = 4000  # pixels of either side, at most, of a picture to zoom into


class UploadRefused(DgmpError):
    """A picture that cannot be taken, or is no longer kept; with the status of the answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, eq=False)
class UploadSource:
    """A picture in memory."""

    content: bytes = field(repr=False)
    address: str = "the uploaded picture"
    part: str = ""
    size: None = None  # not known before the header is read

    def open(self) -> BinaryIO:
        """Its bytes."""
        return io.BytesIO(self.content)

    def stamp(self) -> str:
        """By its content: it never changes."""
        return self.content_hash

    @property
    def content_hash(self) -> str:
        """SHA-256 of its bytes."""
        return hashlib.sha256(self.content).hexdigest()


class Uploads:
    """The pictures that are kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Page]] = OrderedDict()
        self._decoding = threading.Lock()
        self._decoded: tuple[str, int, Colours] | None = None  # the newest, with name and turn

    def keep(self, file: BinaryIO) -> str:
        """Keep a picture, and return the name by which it is found."""
        content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UploadRefused(413, f"the picture has more than {MOST_BYTES // 2**20} MB")
        if not content:
            raise UploadRefused(400, "choose a picture first: no file came with the form")
        source = UploadSource(content)
        page = Page("the uploaded picture", source, size=_checked_size(source))
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._forget()
            self._kept[name] = (time.monotonic(), page)
            while len(self._kept) > KEPT or self._bytes() > KEPT_BYTES:
                self._kept.popitem(last=False)
        return name

    def page(self, name: str) -> Page:
        """The page of an upload, to be described."""
        with self._lock:
            self._forget()
            if name not in self._kept:
                raise UploadRefused(404, "the picture is no longer kept; upload it again")
            return self._kept[name][1]

    def picture(self, name: str) -> bytes:
        """An upload as JPEG, to be shown."""
        source, size = self.page(name).source, self.page(name).size
        assert size is not None
        room = min(size[0] / SHOWN[0], size[1] / SHOWN[1])
        reduce = next(r for r in (8, 4, 2, 1) if r <= max(room, 1))
        try:
            pixels = read_colour(source, reduce=reduce)
        except ImageError as error:
            raise UploadRefused(400, f"the picture cannot be shown: {error.reason}") from error
        return as_jpeg(pixels, SHOWN)

    def cut_out(
        self, name: str, box: tuple[int, int, int, int], height: int, turn: int = 0
    ) -> bytes:
        """A rectangle (left, top, width, height) of an upload as JPEG, at most that high.

        It is in pixels of the picture after ``turn`` quarter turns clockwise.
        """
        left, top, width, high = box
        part = self._pixels(name, turn)[top : top + high, left : left + width]
        if not part.size:
            raise UploadRefused(400, "the rectangle lies outside the picture")
        return as_jpeg(part, (ZOOMED, height))

    def clear(self) -> None:
        """Delete all."""
        with self._lock:
            self._kept.clear()
            self._decoded = None

    def _pixels(self, name: str, turn: int) -> Colours:
        """An upload at full size; the evidence of one is cut out of it piece by piece."""
        with self._decoding:
            source, decoded = self.page(name).source, self._decoded
            if decoded is None or decoded[:2] != (name, turn):
                try:
                    decoded = name, turn, read_colour(source, turn=turn)
                except ImageError as error:
                    reason = f"the picture cannot be shown: {error.reason}"
                    raise UploadRefused(400, reason) from error
                self._decoded = decoded
            return decoded[2]

    def _bytes(self) -> int:
        sources = [page.source for _, page in self._kept.values()]
        return sum(len(s.content) for s in sources if isinstance(s, UploadSource))

    def _forget(self) -> None:
        now = time.monotonic()
        for name in [n for n, (since, _) in self._kept.items() if now - since > SECONDS]:
            del self._kept[name]
        if self._decoded is not None and self._decoded[0] not in self._kept:
            self._decoded = None


def _checked_size(source: UploadSource) -> tuple[int, int]:
    """Width and height by the header of what can be decoded without harm."""
    try:
        pictures = pictures_in(source, most=MOST_PICTURES)
    except ImageError as error:
        status = next((s for start, s in _STATUS.items() if error.reason.startswith(start)), 400)
        raise UploadRefused(status, f"the picture cannot be used: {error.reason}") from error
    pixels = sum(width * height for width, height in (picture.size for picture in pictures))
    if pixels > MOST_PIXELS:
        raise UploadRefused(
            413,
            f"the picture cannot be used: it has {pixels / 1e6:.0f} million pixels in "
            f"{len(pictures)} frames; the limit is {MOST_PIXELS / 1e6:.0f} million",
        )
    return pictures[0].size


_STATUS = {"too large": 413, "not an image": 415}
