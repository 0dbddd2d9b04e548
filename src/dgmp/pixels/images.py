"""Picture files as archives have them, read as 8-bit grey with dark ink on light paper, or colour.

JPEG, PNG, TIFF (strips and tiles, 1 to 32 bits, CMYK, several pictures in a file), JPEG 2000, and
BMP, GIF, WebP, PNM. EXIF rotation is applied, transparency is laid over white, a palette is looked
up, 16-bit and float values become 8-bit. A TIFF's thumbnails and masks are not pages.

Whatever cannot be read raises :class:`ImageError` with one of the reasons of ``docs/corpora.md``.
Pictures over ``LIMIT`` pixels, and those that would take more than ``MOST_BYTES`` of memory, are
refused before anything is decoded. Pixels are converted, and averaged down, in bands of rows:
besides what its decoder holds a picture takes a byte per pixel that is asked for.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ImageError
from ..names import need
from ..records import Grey, Source
from .drawn import is_drawn
from .pixel_types import Colours, to_colours, to_grey

LIMIT = 20_000 * 20_000  # pixels: the largest maps and charters; above this a file is a bomb
MOST_BYTES = 1_000_000_000  # while a picture is decoded
MOST_FRAMES = 20_000  # of a TIFF, thumbnails among them
SMALLEST = 16  # pixels on the shorter side: less cannot hold a letter
SMALLEST_DPI, LARGEST_DPI = 100, 2400  # that a scan may have
FORMATS = ("JPEG", "PNG", "TIFF", "JPEG2000", "BMP", "GIF", "PPM", "WEBP")
SUFFIXES = frozenset(
    [
        ".jpg",
        ".jpeg",
        ".jpe",
        ".png",
        ".tif",
        ".tiff",
        ".jp2",
        ".j2k",
        ".jpf",
        ".jpx",
        ".j2c",
        ".bmp",
        ".gif",
        ".webp",
        ".pbm",
        ".pgm",
        ".ppm",
    ]
)
# Files that hold pages and that nobody here reads: they are listed, not passed over.
FOREIGN = frozenset(
    [
        ".djvu",
        ".djv",
        ".heic",
        ".heif",
        ".avif",
        ".svg",
        ".psd",
        ".dng",
        ".raw",
        ".zip",
        ".eps",
        ".ps",
    ]
)
# How such files begin, whatever their name says.
_BEGINNINGS = (
    (b"%PDF", "a PDF document; give it the ending .pdf"),
    (b"AT&TFORM", "a DjVu document; export its pages as TIFF or PNG"),
    (b"%!PS", "a PostScript document; export its pages as TIFF or PNG"),
    (b"8BPS", "a Photoshop file; save it as TIFF or PNG"),
    (b"PK\x03\x04", "a ZIP archive; unpack it"),
    (b"\x1f\x8b", "a gzip archive; unpack it"),
    (b"version https://git-lfs", "a Git LFS pointer; fetch the picture by git lfs pull"),
    (b"<?xml", "an XML file"),
    (b"<svg", "an SVG drawing; export it as PNG"),
    (b"<!DOCTYPE", "a web page, probably saved in place of the picture"),
    (b"<html", "a web page, probably saved in place of the picture"),
)
_ORIENTATION = 0x0112
_COMPRESSION, _ROWS_PER_STRIP, _TILES = 259, 278, 324  # tags of TIFF
_SUBFILE = 254  # TIFF NewSubfileType: bit 0 reduced-resolution copy, bit 2 transparency mask


@dataclass(frozen=True)
class Picture:
    """One picture of a file, as its header has it: its frame, its size as displayed."""

    frame: int
    size: tuple[int, int]  # width, height
    dpi: float | None = None  # its resolution, if the header has a believable one


def pictures_in(source: Source, *, most: int = MOST_FRAMES) -> tuple[Picture, ...]:
    """The pictures of a file, from its headers alone; several in a TIFF, else one.

    A file with more than ``most`` is refused before its further headers are read.
    """
    path = source.address
    if (known := source.size) is not None:
        _check_size(path, known)
        return (Picture(0, known),)
    with _opened(source) as image:
        if is_drawn(image):
            raise ImageError(path, "drawn by dgmp: a picture of pages, no page")
        found = []
        for frame in _frames(path, image, most):
            if image.format == "TIFF":
                if frame and image.tag_v2.get(_SUBFILE, 0) & 0b101:
                    continue
                _check_strips(path, image)
            _check_size(path, image.size)
            found.append(Picture(frame, _displayed_size(image), _resolution(image)))
        return tuple(found)


def picture_size(source: Source) -> tuple[int, int]:
    """Width and height of the first picture by its own header, whatever its source says."""
    with _opened(source) as image:
        return _displayed_size(image)


def _frames(path: str, image: Any, most: int) -> Iterator[int]:
    """The number of each frame, which is sought; to count them first would read all headers."""
    yield 0
    frame = 1
    while image.format == "TIFF":
        try:
            image.seek(frame)
        except EOFError:
            return
        if frame == most:
            raise ImageError(path, f"too large: more than {most} pictures in the file")
        yield frame
        frame += 1


def read_image(source: Source, frame: int = 0, *, turn: int = 0, reduce: int = 1) -> Grey:
    """Decode one picture to 8-bit grey.

    ``turn`` is the number of quarter turns clockwise that set it upright, after those of EXIF.
    ``reduce`` 2, 4 or 8 decodes a JPEG or JPEG 2000 at that fraction of its size, which saves time
    and memory on huge pages; other formats are read whole and averaged down.
    """
    return _read(to_grey, "L", source, frame, turn, reduce)


def read_colour(source: Source, frame: int = 0, *, turn: int = 0, reduce: int = 1) -> Colours:
    """The same with its colours; a picture that has none stays grey."""
    return _read(to_colours, None, source, frame, turn, reduce)


def _read(
    convert: Callable[[str, Any, int], Colours],
    draft: str | None,  # what a JPEG's decoder is asked for
    source: Source,
    frame: int,
    turn: int,
    reduce: int,
) -> Colours:
    if reduce not in (1, 2, 4, 8):
        raise ValueError(f"reduce must be 1, 2, 4 or 8, got {reduce}")
    path = source.address
    with _opened(source) as image:
        if frame:
            try:
                image.seek(frame)
            except EOFError as error:
                raise ImageError(path, f"has no frame {frame}") from error
        _check_size(path, image.size)
        if image.format == "TIFF":
            _check_strips(path, image)
        full = image.size
        if image.format in ("JPEG", "MPO"):
            # The decoder's own luminance has no colour planes, and needs no second copy.
            # Rounded down: of a size that is too large by one pixel it would take the double.
            image.draft(draft, (max(full[0] // reduce, 1), max(full[1] // reduce, 1)))
        elif image.format == "JPEG2000" and reduce > 1:
            image.reduce = reduce.bit_length() - 1
        _check_memory(path, image, full, reduce)
        orientation = _load(image)
        # A decoder that cannot make it smaller has made it as large as it is.
        smaller = reduce > 1 and 2 * full[0] * full[1] < reduce**2 * image.width * image.height
        pixels = _turned(convert(path, image, reduce if smaller else 1), orientation)
    return np.ascontiguousarray(np.rot90(pixels, -turn)) if turn else pixels


def _check_size(path: str, size: tuple[int, int]) -> None:
    width, height = size
    if width * height > LIMIT:
        raise ImageError(
            path, f"too large: {width}×{height} pixels, the limit is {LIMIT / 1e6:.0f} million"
        )
    if min(size) < SMALLEST:
        raise ImageError(path, f"too small: {width}×{height} pixels")


def _check_memory(path: str, image: Any, full: tuple[int, int], reduce: int) -> None:
    """Refuse a picture whose decoder would need too much, by what its header says."""
    pixels, whole = image.width * image.height, full[0] * full[1]
    each = {"1": 1, "L": 1, "P": 1}.get(image.mode, 2 if image.mode.startswith("I;16") else 4)
    if image.format == "JPEG2000":  # OpenJPEG has its own whole numbers of every tile
        pixels, each = whole // reduce**2, each + 4 * len(image.getbands())
    elif image.format == "WEBP":
        each *= 4  # libwebp's frames, and Pillow's
    wanted = pixels * each
    if image.info.get("progressive"):  # all coefficients, 16 bits each, before the first row
        wanted += 2 * whole * len(image.getbands())
    if image.format == "TIFF" and image.tag_v2.get(_COMPRESSION, 1) != 1:  # a strip at a time
        rows = image.tag_v2.get(_ROWS_PER_STRIP, full[1])
        wanted += 0 if _TILES in image.tag_v2 else full[0] * min(rows, full[1]) * each
    if wanted > MOST_BYTES:
        raise ImageError(
            path,
            f"too large: {full[0]}×{full[1]} pixels of {image.mode} take {wanted / 1e9:.1f} GB to "
            f"decode, the limit is {MOST_BYTES / 1e9:.0f} GB; save it as grey, or as a JPEG",
        )


def _check_strips(path: str, image: Any) -> None:
    """A TIFF whose data should lie behind its end is cut off; its header shows it at once."""
    tags = image.tag_v2
    ends = [
        offset + count
        for offsets, counts in ((273, 279), (324, 325))
        for offset, count in zip(_many(tags.get(offsets)), _many(tags.get(counts)), strict=False)
    ]
    if ends and max(ends) > image.fp.seek(0, os.SEEK_END):
        raise ImageError(path, "truncated: the end of the file is missing")


def _many(value: Any) -> tuple[int, ...]:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _displayed_size(image: Any) -> tuple[int, int]:
    width, height = image.size
    # TIFF sizes come turned already.
    turned = image.format != "TIFF" and _orientation(image) in (5, 6, 7, 8)
    return (height, width) if turned else (width, height)


def _resolution(image: Any) -> float | None:
    """Dots per inch by the tag of JFIF, EXIF, PNG, TIFF …; 72, 96 and 1 are what programs write."""
    try:
        across, down = map(float, image.info.get("dpi", (0, 0)))
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    believable = SMALLEST_DPI <= across <= LARGEST_DPI and abs(across - down) <= 0.02 * across
    return round(across, 1) if believable else None


def _orientation(image: Any) -> int:
    if image.format == "PNG" and "exif" not in image.info:
        return 1  # asking further would decode the picture
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # damaged EXIF raises anything; a picture is not lost for it
        return 1


def _load(image: Any) -> int:
    """Decode, and return how the picture is still to be turned."""
    if image.format != "TIFF":
        image.load()
        return _orientation(image)
    orientation = _orientation(image)
    if orientation != 1:
        # Pillow 13 turns TIFF by itself and scrambles those without compression on the way:
        # it gets an orientation of nothing to turn, and the stored size.
        image._size = getattr(image, "_tile_size", image.size)
        image.getexif().pop(_ORIENTATION, None)
        if _ORIENTATION in image.tag_v2:
            del image.tag_v2[_ORIENTATION]
    image.load()
    return orientation


def _turned(pixels: Colours, orientation: int) -> Colours:
    """EXIF's eight ways to lay a picture down."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """An open Pillow image; all that can go wrong inside becomes an ImageError."""
    image_module = need("PIL.Image")
    path = source.address
    try:
        with source.open() as file:
            if not file.read(1):
                raise ImageError(path, "empty: the file has no bytes")
            file.seek(0)
            with _our_limit(image_module), image_module.open(file, formats=FORMATS) as image:
                yield image
    except ImageError:
        raise
    except FileNotFoundError as error:
        raise ImageError(path, "missing: there is no such file") from error
    except IsADirectoryError as error:
        raise ImageError(path, "a folder, not a picture") from error
    except PermissionError as error:
        raise ImageError(path, "may not be read by this user") from error
    except image_module.UnidentifiedImageError as error:
        raise ImageError(path, _what_else(source)) from error
    except MemoryError as error:
        raise ImageError(path, "too large for this machine's memory") from error
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        OverflowError,
        ZeroDivisionError,
        struct.error,
        zlib.error,
    ) as error:  # Pillow's decoders raise whatever a damaged file makes them stumble over
        text = str(error) or type(error).__name__
        cut_off = "truncated" in text.lower() or isinstance(error, EOFError)
        reason = "truncated: the end of the file is missing" if cut_off else f"broken: {text}"
        raise ImageError(path, reason) from error


def _what_else(source: Source) -> str:
    with source.open() as file:
        start = file.read(64)
    if not start.strip(b"\0"):
        return "not an image: nothing but zeros, an unfinished download or copy"
    stripped = start.lstrip(b"\xef\xbb\xbf \r\n\t")
    for beginning, what in _BEGINNINGS:
        if stripped[: len(beginning)].lower() == beginning.lower():
            return f"not an image: {what}"
    if start[4:12] in (b"ftypheic", b"ftypmif1", b"ftypavif", b"ftypheix"):
        return "not an image dgmp reads: HEIC or AVIF; save it as JPEG or PNG"
    known = (
        b"\xff\xd8",
        b"\x89PNG",
        b"II*\0",
        b"MM\0*",
        b"\0\0\0\x0cjP",
        b"\xff\x4f\xff\x51",
        b"GIF8",
    )
    if start.startswith(known):
        return "broken: begins as an image, and its header cannot be read"
    return "not an image: no format that is known here"


_limit_lock = threading.Lock()
_limit_users = 0
_limit_before: int | None = None


@contextmanager
def _our_limit(image_module: Any) -> Iterator[None]:
    """Pillow's guard is a global and lower than ours: lifted while a file of ours is open."""
    global _limit_users, _limit_before
    with _limit_lock:
        if _limit_users == 0:
            _limit_before = image_module.MAX_IMAGE_PIXELS
            image_module.MAX_IMAGE_PIXELS = None
        _limit_users += 1
    try:
        yield
    finally:
        with _limit_lock:
            _limit_users -= 1
            if _limit_users == 0:
                image_module.MAX_IMAGE_PIXELS = _limit_before
