"""Hands as TEI: a ``handNote`` for each, and a ``surface`` for every page.

A zone of each surface points at its hand by ``@hand``; ``@cert`` of a handNote is the confidence of
the hand, ``@cert`` of a zone how well the page fits it, both from 0 to 1.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ..corpora import whole_and_part
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
    numbers = {id: number for number, id in enumerate(sorted(going.pages), start=1)}
    root = Element("TEI", xmlns=NAMESPACE)
    header = SubElement(root, "teiHeader")
    _write_about(header, going)
    notes = SubElement(SubElement(header, "profileDesc"), "handNotes")
    for hand in going.hands:
        _write_hand(notes, hand, numbers)
    facsimile = SubElement(root, "facsimile")
    fits = {id: (hand, fit) for hand, id, fit in going.rows()}
    for id, number in numbers.items():
        address = relative_address(going.paths[id], place.parent)
        _write_page(facsimile, going.pages[id], address, number, *fits[id])
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


def _write_hand(notes: Element, hand: Hand, numbers: dict[str, int]) -> None:
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
        _text(pages, "locus", id).set("facs", f"#page{numbers[id]}")
    if hand.nearest is not None:
        near = _text(note, "p", "Most like this hand: ")
        _text(near, "ref", f"hand {hand.nearest}").set("target", f"#hand{hand.nearest}")


def _write_page(
    facsimile: Element, page: Page, address: str, number: int, hand: Hand, fit: float
) -> None:
    surface = SubElement(facsimile, "surface", {_ID: f"page{number}"})
    graphic = {"url": clean(address)}
    if page.size is not None:
        width, height = page.size
        for key, value in zip(("ulx", "uly", "lrx", "lry"), (0, 0, width, height), strict=True):
            surface.set(key, str(value))
        graphic |= {"width": f"{width}px", "height": f"{height}px"}
    _text(surface, "label", page.id)
    SubElement(surface, "graphic", graphic)
    part = whole_and_part(page.id)[1] is not None
    for region in page.regions if part and page.regions else (None,):
        zone = SubElement(surface, "zone", hand=f"#hand{hand.number}", cert=f"{fit:.4f}")
        if region is not None:
            corners = (f"{max(round(x), 0)},{max(round(y), 0)}" for x, y in region.corners)
            zone.set("points", " ".join(corners))


def _text(parent: Element, name: str, text: str) -> Element:
    element = SubElement(parent, name)
    element.text = clean(text)
    return element
