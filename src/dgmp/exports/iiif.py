"""Hands as IIIF Presentation 3: static files that a viewer opens from a web server.

    collection.json      a Collection: the manifests below, and those that pages came from
    manifests/1.json     a Manifest for each book, that is a folder or a file of several pages
    hands/1.json         an AnnotationCollection for each hand
    hands/1-pages.json   its AnnotationPage, with an annotation for each page
    images/1-1.jpg       pictures of scans that cannot be linked to

``ADDRESS`` is that of the folder which holds this folder and the scans. A page that came from a
manifest on the web keeps the canvas that it has there. Pieces of writing that a page shares with
another are annotations that link the places on both canvases.
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
from .outgoing import Outgoing, PageEvidence, hand_title

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
    books = _books(going)
    notes = {note.page.id: note for note in _notes(going, to.base)}
    for name, pages in _named(books):
        for page in pages:
            notes[page.id].canvas = _canvas_of(page, f"{to.base}canvas/{name}")
    listed, unread = [], 0
    for number, book in enumerate(books, start=1):
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

    page: Page
    id: str
    hand: Hand
    body: list[dict[str, Any]]
    evidence: PageEvidence | None
    canvas: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "type": "Annotation",
            "motivation": "tagging",
            "body": self.body,
            "target": _target(self.canvas, self.page, self.page.regions),
        }

    def links(self, notes: Mapping[str, _Note]) -> list[dict[str, Any]]:
        """The pieces that the page shares with another: places here linked to places there."""
        found = self.evidence
        if found is None or found.page_id not in notes:
            return []
        there = notes[found.page_id]
        links = []
        for number, (here, other, share) in enumerate(found.pieces, start=1):
            speaks = "for" if share > 0 else "against"
            text = f"speaks {speaks} one hand: {share:+.4f} of the cosine {found.cosine:.4f}"
            place = _target(there.canvas, there.page, (other,))
            if isinstance(place, str):  # a body has a type
                source, _, fragment = place.partition("#")
                place = _specific({"id": source, "type": "Canvas"}, fragment)
            link = {"id": f"{self.id}/pieces/{number}", "type": "Annotation"}
            links.append(
                link
                | {
                    "motivation": "linking",
                    "body": [place, _words(text, "text/plain", "describing")],
                    "target": _target(self.canvas, self.page, (here,)),
                }
            )
        return links


def _notes(going: Outgoing, base: str) -> Iterator[_Note]:
    evidence = going.evidence()
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
            if (found := evidence.get(id)) is not None:
                text += f"; {_likest(found, hand)}"
                values["evidence"] = _plain(found)
            body = [
                _words(text, "text/plain", "tagging"),
                _words(json.dumps(values, ensure_ascii=False), "application/json", "describing"),
            ]
            name = f"{base}hands/{hand.number}/{number}"
            yield _Note(going.pages[id], name, hand, body, found)


def _likest(found: PageEvidence, hand: Hand) -> str:
    """The page that speaks for a hand, or for another where a page is alone."""
    whose = "of this hand" if found.hand == hand.number else f"of hand {found.hand}"
    sure = "" if found.probability is None else f", one hand by {found.probability:.0%}"
    return f"most like {found.page_id} {whose}{sure}"


def _plain(found: PageEvidence) -> dict[str, Any]:
    """Evidence as JSON; boxes are left, top, width and height in pixels of the scans."""
    return {
        "page": found.page_id,
        "hand": found.hand,
        "cosine": round(found.cosine, 6),
        "probability": None if found.probability is None else round(found.probability, 4),
        "pieces": [
            {"here": _box([here]), "there": _box([there]), "share": round(share, 6)}
            for here, there, share in found.pieces
        ],
        "rest": round(found.rest, 6),
    }


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


def _named(books: Sequence[_Book]) -> Iterator[tuple[str, list[Page]]]:
    """The pages of every scan, with the name that its canvas has among all."""
    for number, book in enumerate(books, start=1):
        for at, pages in enumerate(book.scans.values(), start=1):
            yield f"{number}-{at}", pages


def _canvas_of(page: Page, own: str) -> str:
    """The canvas that a page has on the web; ``own``: the one that it gets here."""
    return (
        page.source.canvas if isinstance(page.source, CanvasSource) and _manifest_of(page) else own
    )


def _canvas(
    name: str, scan: str, pages: Sequence[Page], notes: Mapping[str, _Note], to: _Place
) -> tuple[dict[str, Any], bool]:
    """A canvas with its picture and what is said of its pages; False: the scan cannot be read."""
    own = f"{to.base}canvas/{name}"
    there = _manifest_of(pages[0])
    id = _canvas_of(pages[0], own)
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
    links = [link for page in pages for link in notes[page.id].links(notes)]
    label = {"none": ["pieces that look like those of another page"]}
    pieces = {"id": f"{own}/pieces", "type": "AnnotationPage", "label": label, "items": links}
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
        ]
        + ([pieces] if links else []),
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


def _target(canvas: str, page: Page, regions: Sequence[Region] | None) -> Any:
    """The canvas of a page, or the place of some regions on it.

    A canvas of the web may be of another size than its picture here: its places are in percent.
    """
    there, box = _manifest_of(page), _box(regions) if regions else []
    fragment = f"xywh={','.join(map(str, box))}" if box else ""
    if not there:
        return f"{canvas}#{fragment}" if fragment else canvas
    if box and page.size is not None:
        shares = (100 * value / whole for value, whole in zip(box, page.size * 2, strict=True))
        fragment = "xywh=percent:" + ",".join(f"{share:.2f}" for share in shares)
    return _specific({"id": canvas, "type": "Canvas", "partOf": there}, fragment)


def _specific(source: dict[str, Any], fragment: str) -> dict[str, Any]:
    selector = {"selector": {"type": "FragmentSelector", "value": fragment}} if fragment else {}
    return {"type": "SpecificResource", "source": source, **selector}


def _box(regions: Sequence[Region]) -> list[int]:
    """Left, top, width and height of the rectangle around some regions, in whole pixels."""
    lefts, tops, rights, bottoms = zip(*(region.bounds for region in regions), strict=True)
    left, top = round(max(min(lefts), 0)), round(max(min(tops), 0))
    return [left, top, round(max(rights)) - left, round(max(bottoms)) - top]


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
