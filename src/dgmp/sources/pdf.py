"""The pages of a PDF document, read by pypdfium2 (extra ``sources``).

A page that is one picture is that picture: a JPEG byte for byte, anything else pixel for pixel,
turned as the page shows it. That it looks like the page is checked on a small drawing of both,
since masks, inverted colours and stamps can lie over it. Every other page is drawn: one that is
covered by pictures at their resolution, one of letters and lines at ``DPI``. Listing looks at the
objects of each page and decodes nothing.

PDFium is not made for threads, so one at a time uses it. A document is refused for what can be seen
before it is drawn: a password, more than ``MOST_PAGES``, ``MOST_OBJECTS`` on a page, a picture of
more than ``LIMIT`` pixels. A drawing that takes for ever cannot be stopped.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import DgmpError, ImageError, MissingExtra
from ..names import need
from ..storage import AnyPath, as_path
from .local_file import FileSource

DPI = 300  # of drawn pages: some 60 pixels between the lines of a letter or a printed book
LARGEST_DPI = 600  # of pages that are covered by pictures
LIMIT = 20_000 * 20_000  # pixels of a picture in the document, as of picture files
MOST_PIXELS = 100_000_000  # of a page: 400 MB while it is drawn
MOST_PAGES = 20_000
MOST_OBJECTS = 500_000
_BAND = 1024  # rows
_COVERS = 0.97  # of width and height, by the one picture that is the page, and not much more
_GLANCE = 96  # pixels on the longer side of the small drawings that are compared
_ALIKE = 10.0  # of 255: the mean difference by another way of making them small is 2 to 4
_PASSWORD = 4  # FPDF_ERR_PASSWORD
_PART = re.compile(r"(.*)#page=(\d+)", re.DOTALL)

_one_at_a_time = threading.RLock()


@dataclass(frozen=True)
class PdfPage:
    """A page of a document; its stamp and content are those of the file and its number."""

    path: AnyPath
    number: int  # from 1, as PDF viewers count

    @classmethod
    def at(cls, address: str) -> PdfPage:
        """The page of an address such as ``book.pdf#page=3``."""
        match = _PART.fullmatch(address)
        path, number = (match[1], int(match[2])) if match else (address, 1)
        return cls(FileSource.at(path).path, number)

    @classmethod
    def found_in(cls, address: str | AnyPath) -> tuple[PdfPage, ...]:
        """All pages of the document."""
        path = as_path(address)
        count = _page_count(path, FileSource(path).stamp())
        return tuple(cls(path, number) for number in range(1, count + 1))

    @property
    def address(self) -> str:
        """The absolute path of the document, and the page."""
        return f"{FileSource(self.path).address}{self.part}"

    @property
    def part(self) -> str:
        """``#page=3``."""
        return f"#page={self.number}"

    @property
    def size(self) -> tuple[int, int]:
        """Of the picture that :meth:`open` gives."""
        return self._about().size

    def open(self) -> BinaryIO:
        """The picture that the page is, or a drawing of it: JPEG or PNM."""
        about = self._about()
        with _document(self.path) as document, closing(document[self.number - 1]) as page:
            found = _own_picture(page, about.size) if about.is_picture else None
            return BytesIO(found or _drawn(page, about.scale))

    def stamp(self) -> str:
        """That of the file; empty if it is not there, or has fewer pages."""
        stamp = FileSource(self.path).stamp()
        try:
            return stamp if stamp and self.number <= _page_count(self.path, stamp) else ""
        except ImageError:
            return stamp

    @property
    def content_hash(self) -> str:
        """SHA-256 of that of the file and the page."""
        whole = FileSource(self.path).content_hash
        return hashlib.sha256(f"{whole} {self.part}".encode()).hexdigest()

    def _about(self) -> _About:
        stamp = FileSource(self.path).stamp()
        count = _page_count(self.path, stamp)
        if not 1 <= self.number <= count:
            raise ImageError(self.address, f"has no page {self.number}, only {count}")
        return _about_page(self.path, self.number, stamp)


@dataclass(frozen=True)
class _About:
    """What is known of a page before it is drawn."""

    size: tuple[int, int]
    scale: float  # pixels per point, to draw it at that size
    is_picture: bool  # nothing but one picture, as far as can be seen without decoding


@dataclass(frozen=True)
class _Placed:
    """A picture on a page."""

    image: Any
    density: tuple[float, float]  # pixels per point, across and down
    covers: tuple[float, float]  # shares of the width and height of the page
    larger: float  # its width or height in those of the page


@lru_cache(maxsize=1024)
def _page_count(path: AnyPath, stamp: str) -> int:
    """Kept until the file changes."""
    with _document(path) as document:
        count = len(document)
    if count > MOST_PAGES:
        raise ImageError(path, f"too large: {count} pages, the limit is {MOST_PAGES}")
    return count


@lru_cache(maxsize=65536)
def _about_page(path: AnyPath, number: int, stamp: str) -> _About:
    """The same for what is known of a page."""
    with _document(path) as document, closing(document[number - 1]) as page:
        return _look_at(page)


def _content(path: AnyPath) -> bytes:
    with path.open("rb") as file:
        return file.read()


@contextmanager
def _document(path: AnyPath) -> Iterator[Any]:
    try:
        pdfium = need("pypdfium2")
    except MissingExtra as error:
        raise ImageError(path, f"not read here: {error}") from error
    try:
        with _one_at_a_time:
            place = path if isinstance(path, Path) else _content(path)
            if not (path.stat().st_size if isinstance(path, Path) else place):
                raise ImageError(path, "empty: the file has no bytes")
            with closing(pdfium.PdfDocument(place)) as document:
                if not len(document):
                    raise ImageError(path, "empty: a PDF document without pages")
                yield document
    except FileNotFoundError as error:
        raise ImageError(path, "missing: there is no such file") from error
    except PermissionError as error:
        raise ImageError(path, "may not be read by this user") from error
    except OSError as error:
        raise ImageError(path, f"broken: {error}") from error
    except pdfium.PdfiumError as error:
        if error.err_code == _PASSWORD:
            reason = "encrypted: needs a password; save a copy without one"
        else:
            reason = f"broken: {error}"
        raise ImageError(path, reason) from error
    except DgmpError:
        raise
    except Exception as error:  # whatever a document does, the others go on
        raise ImageError(path, f"broken: {str(error) or type(error).__name__}") from error


def _look_at(page: Any) -> _About:
    objects = []
    for each in page.get_objects():  # also those inside of others
        objects.append(each)
        if len(objects) > MOST_OBJECTS:
            raise ImageError(page, f"too large: more than {MOST_OBJECTS} objects on the page")
    raw = need("pypdfium2.raw")
    images = [each for each in objects if each.type == raw.FPDF_PAGEOBJ_IMAGE]
    for image in images:
        width, height = image.get_px_size()
        if width * height > LIMIT:
            raise ImageError(
                page,
                f"too large: a picture of {width}×{height} pixels, the limit is "
                f"{LIMIT / 1e6:.0f} million",
            )
    across, down = page.get_size()
    if not min(across, down) > 0:
        raise ImageError(page, "broken: a page without width or height")
    placed = [_placed(page, image) for image in images if image.level == 0]
    alone = _alone(placed)
    if alone is not None:
        width, height = alone.image.get_px_size()
        if (_turns(alone.image)[0] + page.get_rotation() // 90) % 2:
            width, height = height, width
        if width * height <= MOST_PIXELS:
            return _About((width, height), width / across, is_picture=True)
    scale = min(_scale(placed), math.sqrt(MOST_PIXELS / (across * down)))
    # As PDFium rounds when it draws.
    size = (math.ceil(across * scale), math.ceil(down * scale))
    return _About(size, scale, is_picture=False)


def _placed(page: Any, image: Any) -> _Placed:
    left, bottom, right, top = image.get_bounds()
    page_left, page_bottom, page_right, page_top = page.get_bbox()
    width, height = image.get_px_size()
    matrix = image.get_matrix()
    if abs(matrix.b) + abs(matrix.c) > abs(matrix.a) + abs(matrix.d):
        width, height = height, width  # laid down by a quarter turn
    across, down = page_right - page_left, page_top - page_bottom
    covered = (
        max(min(right, page_right) - max(left, page_left), 0) / across,
        max(min(top, page_top) - max(bottom, page_bottom), 0) / down,
    )
    larger = max((right - left) / across, (top - bottom) / down)
    density = (width / max(right - left, 1e-3), height / max(top - bottom, 1e-3))
    return _Placed(image, density, covered, larger)


def _alone(placed: list[_Placed]) -> _Placed | None:
    """The one picture that is the page."""
    if len(placed) != 1:
        return None
    only = placed[0]
    square = 0.98 < only.density[0] / only.density[1] < 1.02
    covers = min(only.covers) >= _COVERS and only.larger <= 2 - _COVERS
    return only if square and covers else None


def _scale(placed: list[_Placed]) -> float:
    """Pixels per point: those of the pictures where they cover the page, else by ``DPI``."""
    finest = max((max(each.density) for each in placed), default=0.0)
    if sum(each.covers[0] * each.covers[1] for each in placed) >= 0.5:
        return min(finest, LARGEST_DPI / 72)
    return DPI / 72


def _turns(image: Any) -> tuple[int, bool]:
    """Quarter turns to the left, and whether it is mirrored, left and right, before that."""
    matrix = image.get_matrix()
    mirrored = matrix.a * matrix.d - matrix.b * matrix.c < 0
    across, up = (-matrix.a, -matrix.b) if mirrored else (matrix.a, matrix.b)
    if abs(across) >= abs(up):
        return (0 if across > 0 else 2), mirrored
    return (1 if up > 0 else 3), mirrored


def _own_picture(page: Any, size: tuple[int, int]) -> bytes | None:
    """The picture that a page is, if it has the size that was said and looks like the page."""
    raw = need("pypdfium2.raw")
    (image,) = (each for each in page.get_objects((raw.FPDF_PAGEOBJ_IMAGE,)) if each.level == 0)
    small = page.render(scale=_GLANCE / max(page.get_size()), grayscale=True).to_pil()
    if sorted(image.get_px_size()) != sorted(size):  # known better once it is decoded
        return None
    turns, mirrored = _turns(image)
    turns -= page.get_rotation() // 90
    if turns % 4 == 0 and not mirrored and image.get_filters(skip_simple=True) == ["DCTDecode"]:
        encoded = bytes(image.get_data(decode_simple=True))
        if _looks_like(encoded, size, small):
            return encoded
    pixels = image.get_bitmap().to_numpy()
    if mirrored:
        pixels = pixels[:, ::-1]
    encoded = _pnm(np.rot90(pixels, turns))
    return encoded if _looks_like(encoded, size, small) else None


def _looks_like(encoded: bytes, size: tuple[int, int], small: Any) -> bool:
    pil, chops, stat = need("PIL.Image"), need("PIL.ImageChops"), need("PIL.ImageStat")
    try:
        with pil.open(BytesIO(encoded), formats=("JPEG", "PPM")) as picture:
            if picture.size != size:
                return False
            picture.draft("RGB", (_GLANCE * 2, _GLANCE * 2))
            own = picture.convert("L").resize(small.size, pil.Resampling.BOX)
    except (OSError, SyntaxError, ValueError, pil.DecompressionBombError):
        # PDFium may read what Pillow does not.
        return False
    return float(stat.Stat(chops.difference(own, small)).mean[0]) < _ALIKE


def _drawn(page: Any, scale: float) -> bytes:
    return _pnm(page.render(scale=scale).to_numpy())


def _pnm(pixels: NDArray[np.uint8]) -> bytes:  # (height, width[, channels]), blue first
    """As PNM, grey where all of it is."""
    height, width = pixels.shape[:2]
    bands = [pixels[row : row + _BAND] for row in range(0, height, _BAND)]
    if pixels.ndim == 3 and not all((part[..., :3] == part[..., :1]).all() for part in bands):
        kind, rows = b"P6", (part[..., 2::-1] for part in bands)
    else:
        kind, rows = b"P5", (part if part.ndim == 2 else part[..., 0] for part in bands)
    # In bands: whole copies would take several times the memory of the page.
    return b"".join([b"%s %d %d 255\n" % (kind, width, height), *(r.tobytes() for r in rows)])
