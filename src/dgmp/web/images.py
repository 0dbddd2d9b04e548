"""Scans by the IIIF Image API 3.0, level 2, so that any IIIF viewer can zoom into a page.

    /iiif/{identifier}/info.json
    /iiif/{identifier}/{region}/{size}/{rotation}/{quality}.{format}

An identifier stands for a page of the catalogue, never for a path. Shown is the whole scan that
the page is on, as displayed: after EXIF and after the quarter turns that set it upright. What is
not in the catalogue, or whose scan is gone, is 404; what the API does not know 400; what is asked
for and not offered (other rotations and formats) 501.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ..errors import DgmpError, ImageError
from ..names import need
from ..pixels import Colours
from ..records import Page
from .scans import Scans, displayed_size

TILE = 512
MOST_PIXELS = 25_000_000  # of one answer
CONTEXT = "http://iiif.io/api/image/3/context.json"
FORMATS = {"jpg": "image/jpeg", "png": "image/png"}
OTHER_FORMATS = ("tif", "gif", "jp2", "pdf", "webp")  # of the API
QUALITIES = ("default", "color", "gray", "bitonal")
_NUMBER = r"(\d{1,9}(?:\.\d{1,10})?)"
_QUALITY_JPEG = 88

Found = Callable[[str], Page]  # the page of an identifier, or a DgmpError


class _Wrong(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class _Asked:
    """A part of a scan and how large it is drawn, in pixels of the scan and of the answer."""

    left: int
    top: int
    width: int
    height: int
    size: tuple[int, int]


def image_routes(find: Found, scans: Scans) -> list[BaseRoute]:
    """The addresses below ``/iiif``."""

    async def answer(request: Request) -> Response:
        try:
            return await _answer(request, find, scans)
        except _Wrong as error:
            return PlainTextResponse(error.reason, error.status)
        except ImageError as error:
            return PlainTextResponse(f"The scan cannot be shown: {error.reason}", 404)
        except DgmpError as error:
            return PlainTextResponse(str(error), 404)
        except OSError as error:
            return PlainTextResponse(f"The scan cannot be reached: {error.strerror}", 404)

    return [Route("/iiif/{rest:path}", answer, methods=["GET", "HEAD"], name="iiif")]


async def _answer(request: Request, find: Found, scans: Scans) -> Response:
    # Of the path as it came: an identifier may hold %2F.
    path = request.scope.get("raw_path", b"").decode("latin-1").partition("?")[0]
    parts = path.partition("/iiif/")[2].split("/")
    if len(parts) == 1:
        return RedirectResponse(f"{_service(request, parts[0])}/info.json", 303)
    is_info = parts[-1] == "info.json"
    identifier = "/".join(parts[:-1] if is_info else parts[:-4])
    if not identifier or len(identifier) > 10_000:
        raise _Wrong(404, "An image has the address identifier/region/size/rotation/quality.format")
    page = await run_in_threadpool(find, unquote(identifier, errors="replace"))
    stamp = await run_in_threadpool(page.stamp)
    if not stamp:
        raise _Wrong(404, "The scan cannot be shown: its file is gone")
    size = await run_in_threadpool(displayed_size, page)
    if min(size) < 1:
        raise _Wrong(404, "The scan cannot be shown: it has no such frame")
    tag = hashlib.sha256(f"{stamp} {size} {path}".encode()).hexdigest()[:32]
    known = {"ETag": f'"{tag}"', "Cache-Control": "private, max-age=60"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=known)
    if is_info:
        about = info(_service(request, identifier), size)
        kind = f'application/ld+json;profile="{CONTEXT}"'
        plain = "application/ld+json" not in request.headers.get("accept", "")
        return JSONResponse(about, 200, known, "application/json" if plain else kind)
    region, wanted, rotation, last = (unquote(part, errors="replace") for part in parts[-4:])
    asked = _part(region, wanted, size)
    turns, mirrored = _turns(rotation)
    quality, form = _quality(last)
    pixels = await scans.pixels(page, stamp, size, asked.width / asked.size[0])
    encoded = await scans.run(
        lambda: _encoded(_drawn(pixels, asked, size), turns, mirrored, quality, form)
    )
    return Response(encoded, 200, known, FORMATS[form])


def info(service: str, size: tuple[int, int]) -> dict[str, Any]:
    """What a viewer has to know of a scan."""
    longest = max(size)
    factors = [2**n for n in range(16) if n == 0 or longest / 2 ** (n - 1) > TILE]
    smaller = [(-(-size[0] // factor), -(-size[1] // factor)) for factor in factors]
    return {
        "@context": CONTEXT,
        "id": service,
        "type": "ImageService3",
        "protocol": "http://iiif.io/api/image",
        "profile": "level2",
        "width": size[0],
        "height": size[1],
        "maxArea": MOST_PIXELS,
        "sizes": [
            {"width": width, "height": height}
            for width, height in reversed(smaller)
            if width * height <= MOST_PIXELS
        ],
        "tiles": [{"width": TILE, "scaleFactors": factors}],
        "extraQualities": list(QUALITIES[1:]),
        "extraFeatures": ["mirroring", "regionSquare", "sizeUpscaling"],
    }


def as_jpeg(pixels: Colours, most: tuple[int, int]) -> bytes:
    """A picture made small enough for a width and height."""
    height, width = pixels.shape[:2]
    size = _size(f"!{most[0]},{most[1]}", width, height)
    whole = _Asked(0, 0, width, height, size)
    return _encoded(_drawn(pixels, whole, (width, height)), 0, False, "default", "jpg")


def _service(request: Request, identifier: str) -> str:
    known = quote(unquote(identifier, errors="replace"), safe="")
    return f"{request.url.scheme}://{request.headers.get('host', '')}/iiif/{known}"


def _part(region: str, wanted: str, size: tuple[int, int]) -> _Asked:
    left, top, width, height = _region(region, size)
    if left >= size[0] or top >= size[1]:
        raise _Wrong(400, f"The region {region} lies outside of {size[0]}×{size[1]} pixels")
    width, height = min(width, size[0] - left), min(height, size[1] - top)
    if width < 1 or height < 1:
        raise _Wrong(400, f"The region {region} is empty")
    return _Asked(left, top, width, height, _size(wanted, width, height))


def _region(text: str, size: tuple[int, int]) -> tuple[int, int, int, int]:
    if text == "full":
        return 0, 0, *size
    if text == "square":
        side = min(size)
        return (size[0] - side) // 2, (size[1] - side) // 2, side, side
    if found := re.fullmatch(r"(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})", text, re.ASCII):
        left, top, width, height = map(int, found.groups())
        return left, top, width, height
    if found := re.fullmatch("pct:" + ",".join([_NUMBER] * 4), text, re.ASCII):
        shares = [float(number) / 100 for number in found.groups()]
        left, top = round(shares[0] * size[0]), round(shares[1] * size[1])
        return left, top, round(shares[2] * size[0]), round(shares[3] * size[1])
    raise _Wrong(400, "A region is full, square, x,y,w,h or pct:x,y,w,h")


def _size(text: str, width: int, height: int) -> tuple[int, int]:
    """Width and height of the answer for a region of that size."""
    larger = text.startswith("^")
    plain = text.removeprefix("^")
    most = (MOST_PIXELS / (width * height)) ** 0.5  # may be above 1
    if plain == "max":
        zoom = most if larger else min(most, 1.0)
        return _rounded_down(width * zoom, height * zoom)
    if found := re.fullmatch(f"pct:{_NUMBER}", plain, re.ASCII):
        zoom = float(found[1]) / 100
        across, down = _rounded(width * zoom, height * zoom)
        if not zoom:
            raise _Wrong(400, "The size is empty")
    elif found := re.fullmatch(r"(\d{1,9}),", plain, re.ASCII):
        across, down = _rounded(int(found[1]), height * int(found[1]) / width)
        across = int(found[1])
    elif found := re.fullmatch(r",(\d{1,9})", plain, re.ASCII):
        across, down = _rounded(width * int(found[1]) / height, int(found[1]))
        down = int(found[1])
    elif found := re.fullmatch(r"(!?)(\d{1,9}),(\d{1,9})", plain, re.ASCII):
        across, down = int(found[2]), int(found[3])
        if found[1]:
            zoom = min(across / width, down / height, most, 1e9 if larger else 1.0)
            across, down = _rounded(width * zoom, height * zoom) if zoom else (0, 0)
    else:
        raise _Wrong(400, "A size is max, w, or ,h or w,h or !w,h or pct:n, all also with ^ before")
    if across < 1 or down < 1:
        raise _Wrong(400, "The size is empty")
    if not larger and (across > width or down > height):
        raise _Wrong(400, f"The size is larger than the region; ask for ^{plain} to enlarge it")
    if across * down > MOST_PIXELS:
        raise _Wrong(400, f"The size is over {MOST_PIXELS} pixels")
    return across, down


def _rounded(across: float, down: float) -> tuple[int, int]:
    return max(round(across), 1), max(round(down), 1)


def _rounded_down(across: float, down: float) -> tuple[int, int]:
    return max(int(across + 1e-6), 1), max(int(down + 1e-6), 1)


def _turns(text: str) -> tuple[int, bool]:
    found = re.fullmatch(f"(!?){_NUMBER}", text, re.ASCII)
    if not found or float(found[2]) > 360:
        raise _Wrong(400, "A rotation is a number of degrees from 0 to 360, ! before it mirrors")
    turns, rest = divmod(float(found[2]), 90)
    if rest:
        raise _Wrong(501, "Rotations are by 0, 90, 180 and 270 degrees")
    return int(turns) % 4, bool(found[1])


def _quality(text: str) -> tuple[str, str]:
    quality, dot, form = text.rpartition(".")
    if not dot or quality not in QUALITIES:
        raise _Wrong(400, f"A quality is {', '.join(QUALITIES)}, and has a format behind a dot")
    if form not in FORMATS:
        status = 501 if form in OTHER_FORMATS else 400
        raise _Wrong(status, "Formats are jpg and png")
    return quality, form


def _drawn(pixels: Colours, asked: _Asked, size: tuple[int, int]) -> Colours:
    """A part of the scan at the size asked for."""
    cv2 = need("cv2")
    high, wide = pixels.shape[:2]
    left, right = (round(x * wide / size[0]) for x in (asked.left, asked.left + asked.width))
    top, bottom = (round(y * high / size[1]) for y in (asked.top, asked.top + asked.height))
    left, top = min(left, wide - 1), min(top, high - 1)
    part = pixels[top : max(bottom, top + 1), left : max(right, left + 1)]
    if part.shape[1::-1] == asked.size:
        return part
    smaller = asked.size[0] <= part.shape[1] and asked.size[1] <= part.shape[0]
    method = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(part, asked.size, interpolation=method), np.uint8)


def _encoded(pixels: Colours, turns: int, mirrored: bool, quality: str, form: str) -> bytes:
    cv2 = need("cv2")
    if mirrored:
        pixels = pixels[:, ::-1]
    pixels = np.ascontiguousarray(np.rot90(pixels, -turns))
    if pixels.ndim == 3:
        to = cv2.COLOR_RGB2BGR if quality in ("default", "color") else cv2.COLOR_RGB2GRAY
        pixels = cv2.cvtColor(pixels, to)
    if quality == "bitonal":
        _, pixels = cv2.threshold(pixels, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    options = [cv2.IMWRITE_JPEG_QUALITY, _QUALITY_JPEG] if form == "jpg" else []
    done, encoded = cv2.imencode(f".{form}", pixels, options)
    assert done
    return bytes(encoded)
