"""All pages of manifests, collections, or a list of both, with names for their ids.

A page is called ``LABEL OF THE MANIFEST/LABEL OF THE CANVAS``. Labels that are there twice, in a
manifest or among manifests, get a few letters that follow from their ids, so that names stay when
others come and go. The label of the manifest is the page's manuscript.

A list is a text file with an address on every line; lines that begin with ``#`` are remarks. What
cannot be had of it is left out with its reason, and what was seen within a day is not asked for
again: a long list that was interrupted goes on where it was.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..errors import ImageError, Unreachable
from ..records import Page
from ..storage import AnyPath
from .iiif import CanvasSource, fetch_document, file_of, kept_manifest, same_host
from .listing import Listing, Note
from .manifests import Canvas, Collection, Manifest

DEPTH = 8  # of collections in collections
MOST_MANIFESTS = 10_000
MOST_CANVASES = 250_000
_A_DAY = 86400.0  # seconds: manifests of a collection are asked for again after it
_UNSAFE = re.compile(r'[/\\#<>:"|?*\x00-\x1f\x7f]+')
_LONGEST = 80  # characters of a name


def list_canvases(address: str) -> Listing:
    """The pages of a manifest or collection, http(s) or ``file:``.

    The address itself is asked for anew; where it cannot be reached, it is as it was last seen,
    with a note. An ImageError if it cannot be had at all.
    """
    walk = _Walk()
    return _listed(walk, list(walk.manifests(address.partition("#")[0], max_age=0)))


def list_all(addresses: Sequence[str]) -> Listing:
    """The pages of several manifests and collections."""
    walk = _Walk()
    found: list[_Found] = []
    for address in addresses:
        try:
            found += walk.manifests(address.partition("#")[0], max_age=_A_DAY)
        except ImageError as error:
            walk.left_out.append((address, error.reason))
    return _listed(walk, found)


def read_address_list(path: AnyPath) -> tuple[str, ...] | None:
    """The addresses of a text file of this machine with one on every line; None: it is none."""
    if (
        not isinstance(path, Path)
        or path.suffix.lower() not in (".txt", ".lst")
        or not path.is_file()
    ):
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
    lines = [line for each in text.splitlines() if (line := each.strip())]
    found = [line for line in lines if not line.startswith("#")]
    is_list = all(re.fullmatch(r"(?:https?|file)://\S+", line) for line in found)
    return tuple(dict.fromkeys(found)) if found and is_list else None


def _listed(walk: _Walk, manifests: Sequence[_Found]) -> Listing:
    folders = _names([(each.manifest.label, each.where) for each in manifests], "manifest")
    shown = Counter(each.manifest.label for each in manifests)
    pages: list[Page] = []
    for (where, manifest, given), folder in zip(manifests, folders, strict=True):
        alone = manifest.label and shown[manifest.label] == 1
        manuscript = manifest.label if alone else folder
        public = file_of(where) is None and not same_host(where, given)
        seen: set[str] = set()
        for canvas, name in _named(manifest.canvases):
            page_id = f"{folder}/{name}"
            if canvas.image is None:
                walk.left_out.append((page_id, "no picture: the canvas has none"))
            elif canvas.id in seen:
                walk.left_out.append((page_id, "listed twice: the manifest has this canvas before"))
            elif len(pages) == MOST_CANVASES:
                walk.left_out.append((page_id, f"not listed: over {MOST_CANVASES} canvases"))
                break
            else:
                source = CanvasSource(where, canvas.id, public, canvas.image)
                pages.append(Page(page_id, source, manuscript=manuscript, size=source.size))
                if canvas.images > 1:
                    walk.notes.append((page_id, f"has {canvas.images} pictures, the first is used"))
            seen.add(canvas.id)
    return Listing(tuple(pages), tuple(walk.left_out), tuple(walk.notes))


class _Found(NamedTuple):
    where: str  # its address
    manifest: Manifest
    given: str  # the address of the user that led to it


@dataclass
class _Walk:
    """Through collections, each document once."""

    left_out: list[Note] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    found: int = 0

    def manifests(self, address: str, *, max_age: float) -> Iterator[_Found]:
        """Those of an address that a user gave, in the order of the collections."""
        if address in self.seen:
            return
        try:
            top = fetch_document(address, given=address, max_age=max_age)
        except Unreachable as error:
            kept = kept_manifest(address)
            if kept is None:
                raise ImageError(address, error.reason) from error
            self.notes.append((address, f"{error.reason}; listed as it was last seen"))
            top = kept
        self.seen.add(address)
        yield from self._inside(address, top, 0, address)

    def _inside(
        self, where: str, document: Manifest | Collection, depth: int, given: str
    ) -> Iterator[_Found]:
        if isinstance(document, Manifest):
            self.found += 1
            yield _Found(where, document, given)
            return
        if depth == DEPTH:
            self.left_out.append((where, f"not listed: over {DEPTH} collections deep"))
            return
        for member in document.members:
            # A fragment would be read back as that of a canvas, and say that it is not public.
            address = member.address.partition("#")[0]
            if member.inside is not None:
                yield from self._inside(address or where, member.inside, depth + 1, given)
            elif address not in self.seen:
                self.seen.add(address)
                if self.found >= MOST_MANIFESTS:
                    self.left_out.append((where, f"not listed: over {MOST_MANIFESTS} manifests"))
                    return
                yield from self._member(address, depth + 1, given)

    def _member(self, address: str, depth: int, given: str) -> Iterator[_Found]:
        try:
            if not address.lower().startswith(("http://", "https://")):
                raise ImageError(address, "refused: only http and https are asked")
            host = "" if file_of(given) else given
            document = fetch_document(address, given=host, max_age=_A_DAY)
        except ImageError as error:
            self.left_out.append((address or given, error.reason))
            return
        yield from self._inside(address, document, depth, given)


def _named(canvases: Sequence[Canvas]) -> Iterator[tuple[Canvas, str]]:
    labels = [
        (canvas.label or f"canvas {number}", canvas.id) for number, canvas in enumerate(canvases, 1)
    ]
    return zip(canvases, _names(labels, "canvas"), strict=True)


def _names(labels: Sequence[tuple[str, str]], empty: str) -> list[str]:
    """A name for each label with its id; those that would be the same to a file system differ."""
    names = [_safe(label) or empty for label, _ in labels]
    counts = Counter(name.casefold() for name in names)
    return [
        name if counts[name.casefold()] == 1 else f"{name}~{_letters(id)}"
        for name, (_, id) in zip(names, labels, strict=True)
    ]


def _safe(label: str) -> str:
    text = _UNSAFE.sub("_", unicodedata.normalize("NFC", label)).strip(" .")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}~{_letters(label)}"


def _letters(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]
