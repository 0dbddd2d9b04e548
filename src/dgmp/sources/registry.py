"""The kinds of sources, by the ending of a file (".pdf") or the scheme of an address ("https").

A kind is a class with the names of :class:`~dgmp.records.Source` and two class methods:
``found_in(address)`` gives the pictures of a file or address, and ``at(address)`` the one that a
catalogue remembers by ``Source.address``. A kind of addresses has a third, ``listed(address)``,
which gives them as pages with names and labels. Whatever is not listed is a picture file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol, runtime_checkable

from ..errors import ImageError
from ..records import Source, file_and_part
from ..storage import AnyPath, is_object_address
from .iiif import CanvasSource
from .listing import Listing
from .local_file import FileSource
from .pdf import PdfPage

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class SourceKind(Protocol):
    """The class methods of a kind of source."""

    def at(self, address: str) -> Source:
        """The source of an address that it gave itself."""

    def found_in(self, address: str | AnyPath) -> tuple[Source, ...]:
        """All pictures of a file or address, in order; an ImageError where it cannot be read."""


@runtime_checkable
class AddressKind(SourceKind, Protocol):
    """The class methods of a kind of source that is found by addresses."""

    def listed(self, address: str) -> Listing:
        """All pages of an address, in order; an ImageError where it cannot be had."""


SOURCES: dict[str, SourceKind] = {
    ".pdf": PdfPage,
    "file": CanvasSource,
    "http": CanvasSource,
    "https": CanvasSource,
}


def is_address(text: str | AnyPath) -> bool:
    """Whether a text is an address such as ``https://…``; a path or an object is none."""
    address = isinstance(text, str) and _SCHEME.match(text) is not None
    return address and not is_object_address(text)


def list_address(address: str) -> Listing:
    """The pages of an address."""
    kind = _kind(address)
    if not isinstance(kind, AddressKind):
        known = ", ".join(sorted(key for key in SOURCES if not key.startswith(".")))
        raise ImageError(address, f"no address that is read here; known are {known}")
    return kind.listed(address)


def sources_at(address: str | AnyPath) -> tuple[Source, ...]:
    """The pictures of a file or address, in order."""
    return _kind(str(address)).found_in(address)


def open_source(address: str) -> Source:
    """The source that gave this address."""
    return _kind(address).at(address)


def _kind(address: str) -> SourceKind:
    scheme = None if is_object_address(address) else _SCHEME.match(address)
    key = scheme[1] if scheme else Path(file_and_part(address)[0]).suffix
    return SOURCES.get(key.lower(), FileSource)
