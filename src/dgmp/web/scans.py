"""Decoded scans for zooming, kept in memory within a bound.

A scan is decoded once, whoever asks how often for which part of it: those who ask meanwhile wait
for the same decoding. Scans of up to ``WHOLE`` bytes are kept at full size. Larger ones are decoded
at the fraction (½, ¼, ⅛) that is wanted, and never at more than ``LARGEST`` bytes: the finest
zoom of a map of 400 million pixels is a quarter of it, enlarged.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ..pixels import Colours, pictures_in, read_colour
from ..records import Page

T = TypeVar("T")
KEPT = 400_000_000  # bytes of decoded scans
WHOLE = KEPT // 4
LARGEST = KEPT // 2
_THREADS = 2  # that decode and encode: a large scan takes up to 2 GB while it is decoded
_Key = tuple[str, str, int]  # page id, stamp, reduce


class Scans:
    """The scans of pages, decoded when they are asked for."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "scans")
        self._lock = threading.Lock()
        self._decoded: OrderedDict[_Key, Colours] = OrderedDict()
        self._under_way: dict[_Key, Future[Colours]] = {}
        self._large = threading.Lock()  # one at a time

    async def run(self, function: Callable[[], T]) -> T:
        """Call a function where scans are decoded, beside the threads of other requests."""
        return await asyncio.shield(asyncio.wrap_future(self._pool.submit(function)))

    async def pixels(self, page: Page, stamp: str, size: tuple[int, int], scale: float) -> Colours:
        """The scan of a page as displayed, whose ``size`` is known, to be shown ``scale`` smaller.

        Its pixels may be fewer than ``size``, by a whole factor.
        """
        key = (page.id, stamp, reduction(size, scale))
        with self._lock:
            if (found := self._decoded.get(key)) is not None:
                self._decoded.move_to_end(key)
                return found
            future = self._under_way.get(key)
            if future is None:
                future = self._pool.submit(self._decode, page, key)
                self._under_way[key] = future
        return await asyncio.shield(asyncio.wrap_future(future))

    def close(self) -> None:
        """Decode no more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def kept(self) -> int:
        """Bytes that are held."""
        with self._lock:
            return sum(pixels.nbytes for pixels in self._decoded.values())

    def _decode(self, page: Page, key: _Key) -> Colours:
        try:
            if key[2] > 1:
                with self._large:
                    pixels = self._read(page, key[2])
            else:
                pixels = self._read(page, 1)
            with self._lock:
                self._decoded[key] = pixels
                held = sum(pixels.nbytes for pixels in self._decoded.values())
                while held > KEPT:
                    held -= self._decoded.popitem(last=False)[1].nbytes
            return pixels
        finally:
            with self._lock:
                del self._under_way[key]

    @staticmethod
    def _read(page: Page, reduce: int) -> Colours:
        return read_colour(page.source, page.frame, turn=page.turn, reduce=reduce)


def reduction(size: tuple[int, int], scale: float) -> int:
    """The fraction at which a scan is decoded to be shown ``scale`` times smaller."""
    full = 3 * size[0] * size[1]
    if full <= WHOLE:
        return 1
    wanted = next(reduce for reduce in (8, 4, 2, 1) if reduce <= max(scale, 1))
    return next((r for r in (1, 2, 4, 8) if r >= wanted and full / r**2 <= LARGEST), 8)


def displayed_size(page: Page) -> tuple[int, int]:
    """Width and height of its scan as displayed, by the catalogue or else by the file's header."""
    if page.size is not None:
        return page.size
    pictures = {picture.frame: picture.size for picture in pictures_in(page.source)}
    width, height = pictures.get(page.frame, (0, 0))
    return (height, width) if page.turn % 2 else (width, height)
