"""Hands as TEI, checked against the schema of all of TEI."""

from dataclasses import replace
from urllib.parse import unquote

import pytest
from lxml import etree

from dgmp.exports import write_hands
from dgmp.records import Region

from .conftest import NAMES, changed, only, sides

TEI = {"t": "http://www.tei-c.org/ns/1.0"}
ID = "{http://www.w3.org/XML/1998/namespace}id"


@pytest.fixture
def written(tmp_path, tei_schema):
    """A function that writes hands, checks the file and gives its document."""

    def write(going):
        document = etree.parse(write_hands(going, tmp_path / "hands.tei.xml"))
        tei_schema.assertValid(document)
        return document

    return write


def test_every_hand_is_a_hand_note_with_its_confidence(written, going):
    notes = written(going).findall(".//t:handNote", TEI)
    assert [(note.get(ID), note.get("cert")) for note in notes] == [
        ("hand1", "0.6200"), ("hand2", "0.5000")
    ]  # fmt: skip
    assert notes[0].findtext("t:p/t:name", namespaces=TEI) == "Märta & Co"
    assert notes[0].find("t:p/t:ref", TEI).get("target") == "#hand2"
    assert "Confirmed by a person." in notes[1].itertext()


def test_the_pages_of_a_hand_are_those_whose_zones_point_at_it(written, going):
    document = written(going)
    surfaces = {s.get(ID): s for s in document.findall(".//t:surface", TEI)}
    for hand in going.hands:
        loci = document.findall(f".//t:handNote[@n='{hand.number}']//t:locus", TEI)
        named = [surfaces[locus.get("facs").removeprefix("#")] for locus in loci]
        assert [s.findtext("t:label", namespaces=TEI) for s in named] == list(hand.page_ids)
        zones = document.findall(f".//t:zone[@hand='#hand{hand.number}']", TEI)
        assert {id(zone.getparent()) for zone in zones} == {id(surface) for surface in named}


def test_the_picture_of_a_surface_is_found_from_the_file(written, going, tmp_path):
    for surface in written(going).findall(".//t:surface", TEI):
        graphic = surface.find("t:graphic", TEI)
        assert (tmp_path / unquote(graphic.get("url"))).is_file()
        assert graphic.get("width") == f"{surface.get('lrx')}px"


def test_a_page_that_is_a_part_of_a_scan_is_a_zone_with_corners(written, going):
    regions = (Region.rectangle(10, 20, 110.4, 80),)
    page = replace(going.pages[NAMES[2]], id=f"{NAMES[2]}#region=0", regions=regions)
    zone = written(only(going, page)).find(".//t:zone", TEI)
    assert zone.get("points") == "10,20 110,20 110,80 10,80"


def test_a_name_with_a_character_that_xml_has_not_is_written(written, going):
    document = written(only(going, replace(going.pages[NAMES[0]], id="a\x0bb")))
    assert "a\ufffdb" in "".join(document.getroot().itertext())


def test_a_page_whose_size_is_not_known_has_no_corners(written, going):
    document = written(changed(going, NAMES[0], size=None))
    surfaces = document.findall(".//t:surface", TEI)
    assert sum(surface.get("lrx") is None for surface in surfaces) == 1


def test_both_sides_of_an_opening_are_zones_of_one_surface(written, going):
    left, right = sides(going.pages[NAMES[0]])
    document = written(only(going, left, right))
    (surface,) = document.findall(".//t:surface", TEI)
    assert surface.findtext("t:label", namespaces=TEI) == NAMES[0]
    zones = {f"#{zone.get(ID)}": zone for zone in surface.findall("t:zone", TEI)}
    loci = {locus.text: zones[locus.get("facs")] for locus in document.findall(".//t:locus", TEI)}
    assert loci[left.id].get("points") == "10,20 200,20 200,280 10,280"
    assert loci[right.id].get("points") == "210,20 400,20 400,280 210,280"


def test_a_page_cut_out_of_a_photograph_is_a_zone_with_corners(written, going):
    cut = replace(going.pages[NAMES[0]], regions=(Region.rectangle(10, 20, 110, 80),))
    zone = written(only(going, cut)).find(".//t:zone", TEI)
    assert zone.get("points") == "10,20 110,20 110,80 10,80"
