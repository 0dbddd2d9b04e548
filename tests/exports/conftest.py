"""Hands on their way out, over small pages on disk, and the schemas of standard formats."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from drawing import written
from jsonschema import Draft202012Validator
from lxml import etree
from PIL import Image

from dgmp.corpora import side_pages
from dgmp.exports import Outgoing
from dgmp.records import Hand, Page, Region
from dgmp.sources import FileSource

SCHEMAS = Path(__file__).parent / "schemas"
NAMES = ("ms 12/f2.jpg", "ms 12/f10.png", "ms 40/ä&<1>.jpg", "=1+1.tif")


@pytest.fixture
def scans(tmp_path):
    """Four scans: two of a book, one with an odd name, a TIFF that looks like a formula."""
    folder = tmp_path / "scans"
    for seed, name in enumerate(NAMES):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(written(seed=seed)).save(path)
    return folder


@pytest.fixture
def going(scans):
    """Two hands over these scans; the first has a name and a note."""
    pages = {}
    for name in NAMES:
        with Image.open(scans / name) as image:
            pages[name] = Page(name, FileSource(scans / name), size=image.size)
    hands = (
        Hand(1, (NAMES[1], NAMES[0], NAMES[3]), (0.91, 0.75, 0.5), 0.62, 2, "Märta & Co", "+ left"),
        Hand(2, (NAMES[2],), (1.0,), 0.5, None, decided=True),
    )
    return Outgoing("Säckingen", hands, pages, lambda ids: {id: small(len(id)) for id in ids})


def small(seed):
    encoded = io.BytesIO()
    Image.fromarray(written(120, 90, distance=20, seed=seed)).save(encoded, "JPEG")
    return encoded.getvalue()


def changed(going, name, **values):
    """The same hands with one page changed."""
    page = replace(going.pages[name], **values)
    return replace(going, pages=dict(going.pages) | {name: page})


def sides(page):
    """Both pages of a photographed opening."""
    halves = Region.rectangle(10, 20, 200, 280), Region.rectangle(210, 20, 400, 280)
    return side_pages(page, 0, halves)


def only(going, *pages):
    """One hand of these pages."""
    hand = Hand(1, tuple(page.id for page in pages), (1.0,) * len(pages), 0.5, None)
    return replace(going, hands=(hand,), pages={page.id: page for page in pages})


@pytest.fixture(scope="session")
def tei_schema():
    return etree.RelaxNG(etree.parse(SCHEMAS / "tei_subset.rng"))


@pytest.fixture(scope="session")
def alto_schema():
    class Local(etree.Resolver):
        def resolve(self, address, _, context):
            return self.resolve_filename(str(SCHEMAS / Path(address).name), context)

    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(Local())
    return etree.XMLSchema(etree.parse(SCHEMAS / "alto-4-2.xsd", parser))


@pytest.fixture(scope="session")
def check_iiif():
    """A function that checks a document against the schema of its type."""
    schema = json.loads((SCHEMAS / "iiif_presentation_3.json").read_text())

    def check(document):
        of_type = schema | {"$ref": f"#/$defs/{document['type']}"}
        Draft202012Validator(of_type).validate(document)

    return check
