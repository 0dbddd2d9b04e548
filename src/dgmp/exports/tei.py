"""Hands as TEI: a ``handNote`` for each, and a ``surface`` for every picture.

A zone for each page on it points at its hand by ``@hand``; ``@cert`` of a handNote is the
confidence of the hand, ``@cert`` of a zone how well the page fits it, both from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ..corpora import page_of_side
from ..records import Hand, Page
from .outgoing import Outgoing, clean, relative_address

NAMESPACE = "http://www.tei-c.org/ns/1.0"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_ABOUT = (
    "Pages were grouped into hands by how alike their writing is. cert of a handNote is the "
    "probability that the hand is right: all of its pages by one writer, and no other page of the "
    "collection. cert of a zone is how well the page fits its hand."
)


def write_tei(going: Outgoing, file: Path, place: Path) -> None:
    """A TEI document with hands in its header and pages as facsimile."""
    root = Element("TEI", xmlns=NAMESPACE)
    header = SubElement(root, "teiHeader")
    places = _write_pictures(SubElement(root, "facsimile"), going, place.parent)
    _write_about(header, going)
    notes = SubElement(SubElement(header, "profileDesc"), "handNotes")
    for hand in going.hands:
        _write_hand(notes, hand, places)
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    file.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', encoding="utf-8")


def _write_about(header: Element, going: Outgoing) -> None:
    from .. import __version__

    about = SubElement(header, "fileDesc")
    _text(SubElement(about, "titleStmt"), "title", f"Hands of {going.title}")
    _text(SubElement(about, "publicationStmt"), "p", "Not published: made for further work.")
    pages = f"{len(going.pages)} pages, listed in the facsimile."
    _text(SubElement(about, "sourceDesc"), "p", pages)
    encoding = SubElement(header, "encodingDesc")
    _text(SubElement(encoding, "projectDesc"), "p", _ABOUT)
    version = ".".join(part for part in __version__.split(".") if part.isdigit())
    application = SubElement(
        SubElement(encoding, "appInfo"), "application", ident="dgmp", version=version
    )
    _text(application, "label", "dgmp")


def _write_hand(notes: Element, hand: Hand, places: Mapping[str, str]) -> None:
    cert = f"{hand.confidence:.4f}"
    note = SubElement(notes, "handNote", {_ID: f"hand{hand.number}", "n": str(hand.number)})
    note.set("cert", cert)
    if hand.name:
        _text(SubElement(note, "p"), "name", hand.name)
    if hand.note:
        _text(note, "p", hand.note)
    if hand.decided:
        _text(note, "p", "Confirmed by a person.")
    pages = SubElement(SubElement(note, "p"), "locusGrp")
    for id in hand.page_ids:
        _text(pages, "locus", id).set("facs", places[id])
    if hand.nearest is not None:
        near = _text(note, "p", "Most like this hand: ")
        _text(near, "ref", f"hand {hand.nearest}").set("target", f"#hand{hand.nearest}")


def _write_pictures(facsimile: Element, going: Outgoing, folder: Path) -> dict[str, str]:
    """A surface for every picture; gives what points at each page, by its id."""
    pictures: dict[str, list[Page]] = {}
    for id in sorted(going.pages):
        pictures.setdefault(page_of_side(id), []).append(going.pages[id])
    fits = {id: (hand, fit) for hand, id, fit in going.rows()}
    places = {}
    for number, (picture, pages) in enumerate(pictures.items(), start=1):
        surface = SubElement(facsimile, "surface", {_ID: f"page{number}"})
        address = relative_address(going.paths[pages[0].id], folder)
        _write_picture(surface, picture, address, pages[0].size)
        for page in pages:
            zones = _write_page(surface, page, *fits[page.id])
            places[page.id] = f"#page{number}"
            if page.id != picture:
                places[page.id] = " ".join(f"#{_named(zone, surface)}" for zone in zones)
    return places


def _write_picture(
    surface: Element, picture: str, address: str, size: tuple[int, int] | None
) -> None:
    graphic = {"url": clean(address)}
    if size is not None:
        width, height = size
        for key, value in zip(("ulx", "uly", "lrx", "lry"), (0, 0, width, height), strict=True):
            surface.set(key, str(value))
        graphic |= {"width": f"{width}px", "height": f"{height}px"}
    _text(surface, "label", picture)
    SubElement(surface, "graphic", graphic)


def _write_page(surface: Element, page: Page, hand: Hand, fit: float) -> list[Element]:
    """A zone for every region of a page, or one without corners."""
    zones = []
    for region in page.regions or (None,):
        zone = SubElement(surface, "zone", hand=f"#hand{hand.number}", cert=f"{fit:.4f}")
        if region is not None:
            corners = (f"{max(round(x), 0)},{max(round(y), 0)}" for x, y in region.corners)
            zone.set("points", " ".join(corners))
        zones.append(zone)
    return zones


def _named(zone: Element, surface: Element) -> str:
    """The id that a zone gets by its place among the zones of its surface."""
    name = f"{surface.get(_ID)}.{surface.findall('zone').index(zone) + 1}"
    zone.set(_ID, name)
    return name


def _text(parent: Element, name: str, text: str) -> Element:
    element = SubElement(parent, name)
    element.text = clean(text)
    return element
