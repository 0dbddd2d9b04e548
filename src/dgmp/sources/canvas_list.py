"""All pages of a manifest, or of the manifests of a collection, with names for their ids.

A page is called ``LABEL OF THE MANIFEST/LABEL OF THE CANVAS``. Labels that are there twice, in a
manifest or among manifests, get a few letters that follow from their ids, so that names stay when
others come and go. The label of the manifest is the page's manuscript.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import ImageError, Unreachable
from ..records import Page
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
    walk = _Walk(address.partition("#")[0])
    manifests = list(walk.manifests())
    folders = _names([(manifest.label, where) for where, manifest in manifests], "manifest")
    shown = Counter(manifest.label for _, manifest in manifests)
    pages: list[Page] = []
    for (where, manifest), folder in zip(manifests, folders, strict=True):
        alone = manifest.label and shown[manifest.label] == 1
        manuscript = manifest.label if alone else folder
        public = file_of(where) is None and not same_host(where, walk.address)
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


@dataclass
class _Walk:
    """Through collections, each document once."""

    address: str
    left_out: list[Note] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    found: int = 0

    def manifests(self) -> Iterator[tuple[str, Manifest]]:
        """Each with its address, in the order of the collections."""
        try:
            top = fetch_document(self.address, given=self.address, max_age=0)
        except Unreachable as error:
            kept = kept_manifest(self.address)
            if kept is None:
                raise ImageError(self.address, error.reason) from error
            self.notes.append((self.address, f"{error.reason}; listed as it was last seen"))
            top = kept
        self.seen.add(self.address)
        yield from self._inside(self.address, top, 0)

    def _inside(
        self, where: str, document: Manifest | Collection, depth: int
    ) -> Iterator[tuple[str, Manifest]]:
        if isinstance(document, Manifest):
            self.found += 1
            yield where, document
            return
        if depth == DEPTH:
            self.left_out.append((where, f"not listed: over {DEPTH} collections deep"))
            return
        for member in document.members:
            # A fragment would be read back as that of a canvas, and say that it is not public.
            address = member.address.partition("#")[0]
            if member.inside is not None:
                yield from self._inside(address or where, member.inside, depth + 1)
            elif address not in self.seen:
                self.seen.add(address)
                if self.found >= MOST_MANIFESTS:
                    self.left_out.append((where, f"not listed: over {MOST_MANIFESTS} manifests"))
                    return
                yield from self._member(address, depth + 1)

    def _member(self, address: str, depth: int) -> Iterator[tuple[str, Manifest]]:
        try:
            if not address.lower().startswith(("http://", "https://")):
                raise ImageError(address, "refused: only http and https are asked")
            given = "" if file_of(self.address) else self.address
            document = fetch_document(address, given=given, max_age=_A_DAY)
        except ImageError as error:
            self.left_out.append((address or self.address, error.reason))
            return
        yield from self._inside(address, document, depth)


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
