"""Hands as tags in ALTO files: copies of those that lie beside the scans.

Every text block of a page refers by TAGREFS to an OtherTag of type ``hand``. The schema of ALTO 4
has such references on blocks, lines and words, not on the page itself.
"""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ..corpora import layout_file, text_elements, whole_and_part
from ..errors import CatalogueError
from ..files import as_named
from ..records import Hand, file_and_part
from ..sources import is_address
from ..storage import AnyPath, as_path
from .outgoing import Outgoing, clean, hand_title

_BEFORE = ("Description", "Styles")  # of Tags, by the schema


def write_alto(going: Outgoing, folder: Path, place: Path) -> None:
    """A copy of every ALTO file, in the same folders as the scans."""
    files: dict[AnyPath, list[tuple[str, Hand]]] = {}
    without = 0
    for hand, id, _ in going.rows():
        address = going.paths[id]
        layout = (
            None
            if is_address(address)
            else layout_file(as_path(as_named(file_and_part(address)[0])))
        )
        if layout is None:
            without += 1
        else:
            files.setdefault(layout, []).append((id, hand))
    written = 0
    for layout, pages in files.items():
        text = _tagged(layout, pages)
        if text is None:
            without += len(pages)
            continue
        to = folder / PurePosixPath(file_and_part(pages[0][0])[0]).parent / layout.name
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8")
        written += 1
    if not written:
        raise CatalogueError(f"{place}: no page has an ALTO file beside it: nothing to tag")
    if without:
        warnings.warn(f"{without} pages have no ALTO file beside them", stacklevel=4)


def _tagged(layout: AnyPath, pages: list[tuple[str, Hand]]) -> str | None:
    """The file with its tags; None for one that is no ALTO, or can no longer be read."""
    try:
        content = layout.read_bytes()
        found = ElementTree.iterparse(io.BytesIO(content), events=["start-ns"])
        names = [name for _, name in found]
        root = ElementTree.fromstring(content)
    except (OSError, ElementTree.ParseError, ValueError):
        return None
    space, _, kind = root.tag.rpartition("}")
    if kind != "alto":
        return None
    space = f"{space}}}" if space else ""
    for prefix, address in names:
        if not re.fullmatch(r"ns\d+", prefix):  # those the writer gives itself
            ElementTree.register_namespace(prefix, address)
    elements = text_elements(root)
    tags = _tags(root, space)
    known = set()
    for id, hand in pages:
        name = f"dgmp_hand_{hand.number}"
        if name not in known:
            sure = f"confidence {hand.confidence:.2f}"
            about = {"ID": name, "TYPE": "hand", "LABEL": clean(hand_title(hand))}
            SubElement(tags, f"{space}OtherTag", about | {"DESCRIPTION": f"dgmp: {sure}"})
            known.add(name)
        number = whole_and_part(id)[1]
        part = elements if number is None else elements[number : number + 1]
        for element in part:
            references = [*element.get("TAGREFS", "").split(), name]
            element.set("TAGREFS", " ".join(references))
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _tags(root: Element, space: str) -> Element:
    """The element Tags, new where there is none."""
    found = root.find(f"{space}Tags")
    if found is None:
        found = Element(f"{space}Tags")
        before = [i for i, e in enumerate(root) if e.tag in {f"{space}{name}" for name in _BEFORE}]
        root.insert(max(before, default=-1) + 1, found)
    return found
