"""The canvases of IIIF manifests and collections, by address or by file.

A page is found again by ``MANIFEST#canvas=ID``; MANIFEST is an http(s) address, or the ``file:``
address of a manifest on this machine. ``MANIFEST#public&canvas=ID`` is one whose manifest lies on
another host than the address that the user gave: nothing of it is asked for in private networks.
Pictures are fetched when they are opened, at the size of :mod:`.image_service`, and kept in the
cache; listing asks for manifests only. The stamp follows from what the manifest says of the canvas:
a picture that is replaced under the same address is not noticed.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, TypeGuard
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..errors import ImageError
from ..names import need
from ..storage import AnyPath
from .answer_cache import AnswerCache
from .fetching import fetch, place
from .image_service import picture_address, wanted_size
from .listing import Listing
from .local_file import FileSource
from .manifests import CanvasImage, Collection, Manifest, read_document

DOCUMENT_BYTES = 64_000_000  # of a manifest; those of a thousand pages with text links have 20
PICTURE_BYTES = 200_000_000  # of one of 3200 pixels: 1 to 3 million; of a plain TIFF 100
_PIXELS = 100_000_000  # of a picture that is not ours to choose
_FORMATS = ("JPEG", "PNG", "TIFF", "JPEG2000", "GIF", "WEBP")
_ADDRESS = re.compile(r"(.*?)#(public&)?canvas=(.*)", re.DOTALL)


@dataclass(frozen=True)
class CanvasSource:
    """The picture of a canvas."""

    manifest: str  # its address
    canvas: str  # its id in the manifest
    public: bool = False  # the manifest lies on a host that the user did not give
    image: CanvasImage | None = field(default=None, compare=False)  # None: looked up when needed

    @classmethod
    def at(cls, address: str) -> CanvasSource:
        """The canvas of an address that it gave itself."""
        match = _ADDRESS.fullmatch(address)
        if match is None:
            raise ImageError(address, "is no canvas: MANIFEST#canvas=ID is needed")
        return cls(match[1], match[3], bool(match[2]))

    @classmethod
    def found_in(cls, address: str | AnyPath) -> tuple[CanvasSource, ...]:
        """The canvases with a picture of a manifest or collection."""
        return tuple(cls.at(page.source.address) for page in cls.listed(str(address)).pages)

    @classmethod
    def listed(cls, address: str) -> Listing:
        """The pages of a manifest or collection."""
        from .canvas_list import list_canvases

        return list_canvases(address)

    @property
    def address(self) -> str:
        """The address of the manifest, and the canvas."""
        return f"{self.manifest}#{'public&' if self.public else ''}canvas={self.canvas}"

    @property
    def part(self) -> str:
        """Nothing: the page is named by the manifest."""
        return ""

    @property
    def size(self) -> tuple[int, int] | None:
        """As the manifest has it, at the size that is asked for."""
        size = self._image().size
        return None if size is None else wanted_size(size)

    def open(self) -> BinaryIO:
        """The picture, fetched unless it is in the cache."""
        return self._fetched().open("rb")

    def stamp(self) -> str:
        """By what the manifest says, without a request.

        Empty only if the manifest, as last seen, has the canvas no longer, or its file is gone.
        """
        image = self.image
        if image is None:
            manifest = kept_manifest(self.manifest)
            if manifest is None:
                return "" if self.manifest.startswith("file:") else "not known now"
            image = _image_of(manifest, self.canvas)
        if image is None:
            return ""
        return hashlib.sha256(f"{image.service} {image.plain} {image.size}".encode()).hexdigest()

    @property
    def content_hash(self) -> str:
        """SHA-256 of the picture as it was fetched."""
        return FileSource(self._fetched()).content_hash

    def shown(self, width: int, turn: int = 0) -> str:
        """The address of the picture for a browser: so wide, then turned by quarters clockwise.

        An ImageError where the manifest is not kept and cannot be reached.
        """
        image = self._image()
        if not image.service:
            return image.plain
        return f"{image.service}/full/{width},/{90 * turn}/default.jpg"

    @property
    def _given(self) -> str:
        return "" if self.public or self.manifest.startswith("file:") else self.manifest

    def _image(self) -> CanvasImage:
        if self.image is not None:
            return self.image
        manifest = kept_manifest(self.manifest)
        if manifest is None:
            manifest = fetch_document(self.manifest, given=self._given)
        image = _image_of(manifest, self.canvas)
        if image is None:
            raise ImageError(
                self.address, "missing: the manifest has no such canvas with a picture"
            )
        return image

    def _fetched(self) -> Path:
        image = self._image()
        address = image.plain
        if image.service:
            about = fetch(
                f"{image.service}/info.json",
                most_bytes=DOCUMENT_BYTES,
                given=self._given,
                check=_read_json,
            )
            try:
                address = picture_address(image.service, _read_json(about))
            except ValueError as error:
                raise ImageError(self.address, f"broken: {error}") from error
        return fetch(
            address, most_bytes=PICTURE_BYTES, given=self._given, check=partial(_check, address)
        )


def fetch_document(
    address: str, *, given: str, max_age: float | None = None
) -> Manifest | Collection:
    """The manifest or collection of an address, http(s) or ``file:``."""
    path = file_of(address)
    if path is None:
        path = fetch(
            address,
            most_bytes=DOCUMENT_BYTES,
            given=given,
            check=_read_document,
            max_age=max_age,
        )
    return _parsed(path)


def kept_manifest(address: str) -> Manifest | Collection | None:
    """A document as it was last seen, however old; None: not here. Nothing is asked for."""
    path = file_of(address) or AnswerCache.of_user().find(address)
    try:
        return None if path is None else _parsed(path)
    except ImageError:
        return None


def file_of(address: str) -> Path | None:
    """The file of a ``file:`` address; None for others."""
    return Path(url2pathname(urlsplit(address).path)) if address.startswith("file:") else None


def is_manifest_file(path: AnyPath) -> TypeGuard[Path]:
    """Whether a file of this machine is a IIIF manifest or collection."""
    try:
        if (
            not isinstance(path, Path)
            or path.suffix.lower() not in (".json", ".jsonld")
            or not path.is_file()
        ):
            return False
        if path.stat().st_size > DOCUMENT_BYTES:
            return False
        _parsed(path)
    except ImageError:
        return False
    return True


def same_host(address: str, other: str) -> bool:
    """Whether two addresses are of one host."""
    return place(address) == place(other)


def _parsed(path: Path) -> Manifest | Collection:
    return _read_document_once(path, FileSource(path).stamp())


@lru_cache(maxsize=32)
def _read_document_once(path: Path, stamp: str) -> Manifest | Collection:
    return _read_document(path)


def _read_document(path: Path) -> Manifest | Collection:
    try:
        return read_document(_read_json(path))
    except ValueError as error:
        raise ImageError(path, str(error)) from error
    except RecursionError as error:
        raise ImageError(path, "broken: nested too deeply") from error


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ImageError(path, f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ImageError(path, f"is not JSON: {error}") from error


def _image_of(document: Manifest | Collection, canvas: str) -> CanvasImage | None:
    canvases = document.canvases if isinstance(document, Manifest) else ()
    return next((each.image for each in canvases if each.id == canvas), None)


def _check(address: str, path: Path) -> None:
    """Decode a picture, a JPEG at an eighth, so that a broken one is not kept."""
    pil = need("PIL.Image")
    try:
        with pil.open(path, formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > _PIXELS:
                raise ImageError(
                    address,
                    f"too large: {width}×{height} pixels, the limit is {_PIXELS / 1e6:.0f} million",
                )
            picture.draft("L", (width // 8, height // 8))
            picture.load()
    except ImageError:
        raise
    except pil.UnidentifiedImageError as error:
        raise ImageError(address, "not an image: what the service sent is none") from error
    except Exception as error:  # Pillow's decoders raise whatever they stumble over
        raise ImageError(address, f"broken: {error}") from error
