"""The kinds of sources, by the ending of a file (".pdf") or the scheme of an address ("https").

A kind is a class with the names of :class:`~dgmp.records.Source` and two class methods:
``found_in(address)`` gives the pictures of a file or address, and ``at(address)`` the one that a
catalogue remembers by ``Source.address``. Whatever is not listed is a picture file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ..records import Source
from .local_file import FileSource


class SourceKind(Protocol):
    """The class methods of a kind of source."""

    def at(self, address: str) -> Source:
        """The source of an address that it gave itself."""

    def found_in(self, address: str) -> tuple[Source, ...]:
        """All pictures of a file or address, in order; an ImageError where it cannot be read."""


SOURCES: dict[str, SourceKind] = {}


def sources_at(address: str | Path) -> tuple[Source, ...]:
    """The pictures of a file or address, in order."""
    return _kind(str(address)).found_in(str(address))


def open_source(address: str) -> Source:
    """The source that gave this address."""
    return _kind(address).at(address)


def _kind(address: str) -> SourceKind:
    scheme, separator, _ = address.partition("://")
    # Only what follows the ending is a part: folders and files may have a # in their names.
    key = scheme if separator else Path(address).suffix.partition("#")[0]
    return SOURCES.get(key.lower(), FileSource)
