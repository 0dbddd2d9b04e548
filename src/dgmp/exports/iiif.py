"""Hands as IIIF Presentation 3: static files that a viewer opens from a web server.

    collection.json      a Collection: the manifests below, and those that pages came from
    manifests/1.json     a Manifest for each book, that is a folder or a file of several pages
    hands/1.json         an AnnotationCollection for each hand
    hands/1-pages.json   its AnnotationPage, with an annotation for each page
    images/1-1.jpg       pictures of scans that cannot be linked to

``ADDRESS`` is that of the folder which holds this folder and the scans. A page that came from a
manifest on the web keeps the canvas that it has there.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from ..corpora import page_of_side
from ..errors import ImageError
from ..records import Hand, Page, Region, file_and_part
from ..sources import CanvasSource
from .iiif_pictures import link_picture
from .outgoing import Outgoing, hand_title

ADDRESS = "http://localhost:8000/"
CONTEXT = "http://iiif.io/api/presentation/3/context.json"
_NO_SIZE = (1000, 1000)  # of a canvas whose scan cannot be read and was never measured


@dataclass
class _Place:
    """Where the files go, and what their addresses will be."""

    folder: Path
    shared: Path  # the folder that holds the export, and the scans that are linked to
    base: str

    def put(self, name: str, kind: str, label: str, **values: Any) -> dict[str, Any]:
        """Write a document; gives the reference to it."""
        reference = {"id": self.base + name, "type": kind, "label": {"none": [label]}}
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        document = {"@context": CONTEXT, **reference, **values}
        file.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return reference


@dataclass
class _Book:
    """The scans of a manifest, and the pages on each."""

    label: str
    scans: dict[str, list[Page]] = field(default_factory=dict)


def write_iiif(going: Outgoing, folder: Path, place: Path) -> None:
    """Collection, manifests, hands and pictures."""
    place = place.absolute()
    to = _Place(folder, place.parent, f"{ADDRESS}{quote(place.name)}/")
    notes = {note.page_id: note for note in _notes(going, to.base)}
    listed, unread = [], 0
    for number, book in enumerate(_books(going), start=1):
        canvases = []
        for at, (scan, pages) in enumerate(book.scans.items(), start=1):
            canvas, painted = _canvas(f"{number}-{at}", scan, pages, notes, to)
            canvases.append(canvas)
            unread += not painted
        hands = {"id": f"{to.base}hands.json", "type": "Dataset", "format": "application/json"}
        name = f"manifests/{number}.json"
        listed.append(to.put(name, "Manifest", book.label, seeAlso=[hands], items=canvases))
    listed += _sources(going)
    to.put("collection.json", "Collection", going.title, items=listed)
    for hand in going.hands:
        _write_hand(hand, [notes[id] for id in hand.page_ids], to)
    if unread:
        warnings.warn(f"{unread} scans cannot be read; their canvases are empty", stacklevel=3)


@dataclass
class _Note:
    """What is said of a page: its annotation, once it is known on which canvas it lies."""

    page_id: str
    id: str
    hand: Hand
    body: list[dict[str, Any]]
    target: Any = None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "type": "Annotation",
            "motivation": "tagging",
            "body": self.body,
            "target": self.target,
        }


def _notes(going: Outgoing, base: str) -> Iterator[_Note]:
    for hand in going.hands:
        title = hand_title(hand)
        for number, (id, fit) in enumerate(zip(hand.page_ids, hand.fits, strict=True), start=1):
            text = f"{title}: confidence {hand.confidence:.0%}, this page fits it by {fit:.0%}"
            values = {
                "hand": hand.number,
                "name": hand.name,
                "confidence": round(hand.confidence, 4),
                "decided": hand.decided,
                "nearest": hand.nearest,
                "page": id,
                "fit": round(fit, 4),
            }
            body = [
                _words(text, "text/plain", "tagging"),
                _words(json.dumps(values, ensure_ascii=False), "application/json", "describing"),
            ]
            yield _Note(id, f"{base}hands/{hand.number}/{number}", hand, body)


def _words(value: str, format: str, purpose: str) -> dict[str, Any]:
    return {"type": "TextualBody", "value": value, "format": format, "purpose": purpose}


def _books(going: Outgoing) -> list[_Book]:
    """The pages by folder, that is manifest, or, where a file has several, by file."""
    books: dict[str, _Book] = {}
    for id in sorted(going.pages, key=_natural):
        page = going.pages[id]
        whole = page_of_side(id)
        file, several = file_and_part(whole)
        name = file if several else PurePosixPath(file).parent.as_posix()
        label = page.manuscript or (going.title if name == "." else name)
        books.setdefault(name, _Book(label)).scans.setdefault(whole, []).append(page)
    return list(books.values())


def _canvas(
    name: str, scan: str, pages: Sequence[Page], notes: Mapping[str, _Note], to: _Place
) -> tuple[dict[str, Any], bool]:
    """A canvas with its picture and what is said of its pages; False: the scan cannot be read."""
    own = f"{to.base}canvas/{name}"
    there = _manifest_of(pages[0])
    id = pages[0].source.canvas if isinstance(pages[0].source, CanvasSource) and there else own
    image = f"images/{name}.jpg"
    painting = []
    size = pages[0].size or _NO_SIZE
    try:
        link = link_picture(pages[0], to.shared, ADDRESS, to.folder / image, to.base + image)
    except ImageError:
        pass  # counted by the caller
    else:
        size = pages[0].size or link.size
        body = {
            "id": link.address,
            "type": "Image",
            "format": link.format,
            "width": link.size[0],
            "height": link.size[1],
        }
        about = {"id": f"{own}/picture", "type": "Annotation", "motivation": "painting"}
        painting.append({**about, "body": body, "target": id})
    for page in pages:
        notes[page.id].target = _target(id, page, there)
    canvas = {
        "id": id,
        "type": "Canvas",
        "label": {"none": [scan]},
        "width": size[0],
        "height": size[1],
        **({"partOf": there} if there else {}),
        "items": [{"id": f"{own}/pictures", "type": "AnnotationPage", "items": painting}],
        "annotations": [
            {
                "id": f"{own}/hands/{number}",
                "type": "AnnotationPage",
                "partOf": [_collection(notes[page.id].hand, to.base)],
                "items": [notes[page.id].to_json()],
            }
            for number, page in enumerate(pages, start=1)
        ],
    }
    return canvas, bool(painting)


def _manifest_of(page: Page) -> list[dict[str, Any]]:
    """The manifest on the web that a page came from, as JSON has it; empty: none."""
    source = page.source
    if not isinstance(source, CanvasSource):
        return []
    addresses = (source.manifest, source.canvas)
    if not all(address.startswith(("http://", "https://")) for address in addresses):
        return []  # in a file on this machine
    return [{"id": source.manifest, "type": "Manifest"}]


def _target(canvas: str, page: Page, there: list[dict[str, Any]]) -> Any:
    """The canvas of a page, or the place on it where the writing of the page is.

    A canvas of the web may be of another size than its picture here: its places are in percent.
    """
    fragment = _fragment(page.regions, page.size if there else None) if page.regions else ""
    if not there:
        return f"{canvas}#{fragment}" if fragment else canvas
    source = {"id": canvas, "type": "Canvas", "partOf": there}
    selector = {"type": "FragmentSelector", "value": fragment}
    about = {"selector": selector} if fragment else {}
    return {"type": "SpecificResource", "source": source, **about}


def _fragment(regions: Sequence[Region], size: tuple[int, int] | None) -> str:
    """The rectangle around some regions in pixels, or in percent of a size."""
    lefts, tops, rights, bottoms = zip(*(region.bounds for region in regions), strict=True)
    left, top = max(min(lefts), 0), max(min(tops), 0)
    box = (left, top, max(rights) - left, max(bottoms) - top)
    if size is None:
        return "xywh=" + ",".join(f"{value:.0f}" for value in box)
    return "xywh=percent:" + ",".join(
        f"{100 * value / whole:.2f}" for value, whole in zip(box, size * 2, strict=True)
    )


def _sources(going: Outgoing) -> list[dict[str, Any]]:
    """References to the manifests on the web that pages came from."""
    labels = {
        each["id"]: page.manuscript or each["id"]
        for page in going.pages.values()
        for each in _manifest_of(page)
    }
    return [
        {"id": id, "type": "Manifest", "label": {"none": [label]}}
        for id, label in sorted(labels.items())
    ]


def _collection(hand: Hand, base: str) -> dict[str, Any]:
    label = {"none": [hand_title(hand)]}
    return {"id": f"{base}hands/{hand.number}.json", "type": "AnnotationCollection", "label": label}


def _write_hand(hand: Hand, notes: Sequence[_Note], to: _Place) -> None:
    pages = f"hands/{hand.number}-pages.json"
    title = hand_title(hand)
    first = {"id": to.base + pages, "type": "AnnotationPage"}
    about = [hand.note] if hand.note else []
    near = f", most like hand {hand.nearest}" if hand.nearest is not None else ""
    about.append(f"{len(notes)} pages, confidence {hand.confidence:.0%}{near}")
    summary = {"none": about}
    name = f"hands/{hand.number}.json"
    to.put(
        name, "AnnotationCollection", title, summary=summary, total=len(notes), first=first,
        last=first,
    )  # fmt: skip
    items = [note.to_json() for note in notes]
    to.put(
        pages, "AnnotationPage", title, partOf=[_collection(hand, to.base)], startIndex=0,
        items=items,
    )  # fmt: skip


def _natural(name: str) -> list[tuple[int, str]]:
    """By which f2 comes before f10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
