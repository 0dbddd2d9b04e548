"""Hands as tags in ALTO files, checked against the schema of ALTO 4.2."""

from dataclasses import replace

import pytest
from lxml import etree

from dgmp.errors import CatalogueError
from dgmp.exports import write_hands
from dgmp.sources import FileSource

from .conftest import NAMES, only

ALTO = {"a": "http://www.loc.gov/standards/alto/ns-v4#"}
BLOCK = '<TextBlock ID="b{0}" HPOS="{0}" VPOS="20" WIDTH="100" HEIGHT="50"{1}/>'
FILE = """<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#" xmlns:xlink="http://www.w3.org/1999/xlink">
<Description><MeasurementUnit>pixel</MeasurementUnit></Description>
<Styles/>{tags}<Layout><Page ID="p" PHYSICAL_IMG_NR="1" WIDTH="420" HEIGHT="300">
<PrintSpace>{blocks}</PrintSpace></Page></Layout></alto>"""
TAGS = '<Tags><LayoutTag ID="main" LABEL="main"/></Tags>'


@pytest.fixture
def tagged(going, scans, tmp_path, alto_schema):
    """A function that puts an ALTO file beside a scan and gives its tagged copy, checked."""

    def tag(blocks, tags=""):
        (scans / NAMES[0]).with_suffix(".xml").write_text(FILE.format(blocks=blocks, tags=tags))
        with pytest.warns(UserWarning, match="3 pages have no ALTO file"):
            out = write_hands(going, tmp_path / "alto")
        document = etree.parse(out / "ms 12" / "f2.xml")
        alto_schema.assertValid(document)
        return document

    return tag


def test_every_block_of_a_page_refers_to_its_hand(tagged):
    document = tagged(BLOCK.format(10, "") + BLOCK.format(200, ""))
    (tag,) = document.findall(".//a:OtherTag", ALTO)
    assert (tag.get("TYPE"), tag.get("LABEL")) == ("hand", "Märta & Co (hand 1)")
    blocks = document.findall(".//a:TextBlock", ALTO)
    assert [block.get("TAGREFS") for block in blocks] == [tag.get("ID")] * 2


def test_tags_that_are_there_stay(tagged):
    document = tagged(BLOCK.format(10, ' TAGREFS="main"'), TAGS)
    assert document.find(".//a:TextBlock", ALTO).get("TAGREFS") == "main dgmp_hand_1"
    assert document.find(".//a:LayoutTag", ALTO).get("ID") == "main"


def test_the_file_beside_the_scan_is_not_changed(tagged, scans):
    tagged(BLOCK.format(10, ""))
    assert "OtherTag" not in (scans / "ms 12" / "f2.xml").read_text()


@pytest.mark.parametrize("layout", [None, "<PcGts/>", "<alto"])
def test_without_an_alto_file_there_is_nothing_to_write(going, scans, tmp_path, layout):
    if layout is not None:
        (scans / NAMES[0]).with_suffix(".xml").write_text(layout)
    with pytest.raises(CatalogueError, match="no page has an ALTO file"):
        write_hands(going, tmp_path / "alto")
    assert not (tmp_path / "alto").exists()


def test_copies_of_equal_names_lie_in_the_folders_of_their_scans(going, tmp_path):
    pages = []
    for box in ("Box #1", "Box #2"):
        scan = tmp_path / "scans" / box / "p.jpg"
        scan.parent.mkdir(parents=True)
        scan.with_suffix(".xml").write_text(FILE.format(blocks=BLOCK.format(10, ""), tags=""))
        pages.append(replace(going.pages[NAMES[0]], id=f"{box}/p.jpg", source=FileSource(scan)))
    out = write_hands(only(going, *pages), tmp_path / "alto")
    copies = sorted(file.relative_to(out).as_posix() for file in out.rglob("*.xml"))
    assert copies == ["Box #1/p.xml", "Box #2/p.xml"]
