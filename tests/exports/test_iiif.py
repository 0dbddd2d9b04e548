"""Hands as IIIF Presentation 3, checked against a schema and what it cannot say."""

import json
from collections import Counter
from dataclasses import replace
from urllib.parse import unquote

import pytest
from PIL import Image

from dgmp.exports import PageEvidence, write_hands
from dgmp.exports.iiif import ADDRESS
from dgmp.records import Region
from dgmp.sources import CanvasSource, FileSource
from dgmp.sources.manifests import CanvasImage

from .conftest import NAMES, changed, only, sides

MANIFEST = "https://a.org/m.json"
CANVAS = "https://a.org/canvas/7"


def canvas_source(manifest=MANIFEST):
    """The source of a page that came from a manifest."""
    return CanvasSource(manifest, CANVAS, image=CanvasImage(service="https://a.org/i/7"))


@pytest.fixture
def written(tmp_path, check_iiif):
    """A function that writes hands, checks every document and gives them by name."""

    def write(going):
        folder = write_hands(going, tmp_path / "iiif")
        found = {
            file.relative_to(folder).as_posix(): json.loads(file.read_text())
            for file in folder.rglob("*.json")
            if file.name != "hands.json"
        }
        for name, document in found.items():
            check_iiif(document)
            assert document["@context"] == "http://iiif.io/api/presentation/3/context.json"
            assert document["id"] == f"{ADDRESS}iiif/{name}"
        return found

    return write


def canvases(documents):
    listed = documents["collection.json"]["items"]
    manifests = [d for item in listed for d in documents.values() if d["id"] == item["id"]]
    return {c["label"]["none"][0]: c for manifest in manifests for c in manifest["items"]}


def inside(value):
    """All objects in a document."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from inside(part)


def test_the_collection_lists_a_manifest_for_each_folder(written, going):
    documents = written(going)
    listed = documents["collection.json"]["items"]
    assert [item["label"]["none"] for item in listed] == [["Säckingen"], ["ms 12"], ["ms 40"]]
    assert {item["id"] for item in listed} == {
        document["id"] for document in documents.values() if document["type"] == "Manifest"
    }


def test_the_canvases_of_a_book_stand_in_natural_order(written, going):
    assert list(canvases(written(going))) == [NAMES[3], NAMES[0], NAMES[1], NAMES[2]]


def test_a_canvas_has_the_size_of_its_scan(written, going):
    for name, canvas in canvases(written(going)).items():
        assert (canvas["width"], canvas["height"]) == going.pages[name].size


def test_every_picture_is_where_its_address_says(written, going, tmp_path):
    for canvas in canvases(written(going)).values():
        (page,) = canvas["items"]
        (painting,) = page["items"]
        assert painting["target"] == canvas["id"]
        body = painting["body"]
        with Image.open(tmp_path / unquote(body["id"].removeprefix(ADDRESS))) as image:
            assert image.size == (body["width"], body["height"])
            assert body["format"] == Image.MIME[image.format]


def test_no_two_things_have_one_id(written, going):
    painted = [
        thing["id"]
        for document in written(going).values()
        if document["type"] == "Manifest"
        for thing in inside(document)
        if thing.get("type") in ("Canvas", "Annotation", "AnnotationPage", "Manifest")
    ]
    assert max(Counter(painted).values()) == 1


def test_a_hand_is_an_annotation_collection_of_its_pages(written, going):
    documents = written(going)
    hand = documents["hands/1.json"]
    assert hand["type"] == "AnnotationCollection"
    assert (hand["label"], hand["total"]) == ({"none": ["Märta & Co (hand 1)"]}, 3)
    assert hand["summary"]["none"] == ["+ left", "3 pages, confidence 62%, most like hand 2"]
    page = documents["hands/1-pages.json"]
    assert hand["first"] == {"id": page["id"], "type": "AnnotationPage"}
    assert page["partOf"][0]["id"] == hand["id"]
    drawn = canvases(documents)
    assert [note["target"] for note in page["items"]] == [
        drawn[id]["id"] for id in going.hands[0].page_ids
    ]


def test_an_annotation_says_hand_confidence_and_fit_in_words_and_values(written, going):
    note = written(going)["hands/1-pages.json"]["items"][0]
    words, values = note["body"]
    assert words["value"] == "Märta & Co (hand 1): confidence 62%, this page fits it by 91%"
    assert json.loads(values["value"]) == {
        "hand": 1,
        "name": "Märta & Co",
        "confidence": 0.62,
        "decided": False,
        "nearest": 2,
        "page": NAMES[1],
        "fit": 0.91,
    }


def test_a_canvas_has_the_annotations_of_its_pages(written, going):
    documents = written(going)
    (page,) = canvases(documents)[NAMES[2]]["annotations"]
    assert page["items"] == documents["hands/2-pages.json"]["items"]
    assert page["partOf"][0]["id"] == documents["hands/2.json"]["id"]


def test_a_page_of_a_manifest_keeps_its_canvas(written, going):
    documents = written(changed(going, NAMES[2], source=canvas_source(), manuscript="Cod. 7"))
    canvas = canvases(documents)[NAMES[2]]
    there = [{"id": MANIFEST, "type": "Manifest"}]
    assert (canvas["id"], canvas["partOf"]) == (CANVAS, there)
    assert canvas["items"][0]["items"][0]["body"]["id"] == (
        "https://a.org/i/7/full/420,/0/default.jpg"
    )
    (note,) = documents["hands/2-pages.json"]["items"]
    assert note["target"] == {
        "type": "SpecificResource",
        "source": {"id": CANVAS, "type": "Canvas", "partOf": there},
    }


def test_the_collection_lists_the_manifests_that_pages_came_from(written, going):
    documents = written(changed(going, NAMES[2], source=canvas_source(), manuscript="Cod. 7"))
    assert documents["collection.json"]["items"][-1] == {
        "id": MANIFEST,
        "type": "Manifest",
        "label": {"none": ["Cod. 7"]},
    }


def test_a_manifest_in_a_file_is_not_named(written, going):
    documents = written(changed(going, NAMES[2], source=canvas_source("file:///home/m.json")))
    assert "file:" not in json.dumps(documents)


def test_a_part_of_a_canvas_of_the_web_is_in_percent(written, going):
    page = replace(
        going.pages[NAMES[2]],
        id=f"{NAMES[2]}#region=0",
        source=canvas_source(),
        regions=(Region.rectangle(0, 75, 420, 150),),
    )
    (note,) = written(only(going, page))["hands/1-pages.json"]["items"]
    assert note["target"]["selector"]["value"] == "xywh=percent:0.00,25.00,100.00,25.00"


def test_parts_of_a_scan_are_places_on_one_canvas(written, going):
    bands = [
        replace(
            going.pages[NAMES[0]],
            id=f"{NAMES[0]}#band={number}",
            regions=(Region.rectangle(0, 50 * number, 420, 50 * number + 50),),
        )
        for number in (0, 1)
    ]
    documents = written(only(going, *bands))
    (canvas,) = canvases(documents).values()
    assert [note["target"] for note in documents["hands/1-pages.json"]["items"]] == [
        f"{canvas['id']}#xywh=0,0,420,50", f"{canvas['id']}#xywh=0,50,420,50"
    ]  # fmt: skip


def test_a_scan_that_is_gone_leaves_its_canvas_empty(written, going, scans):
    (scans / NAMES[3]).unlink()
    with pytest.warns(UserWarning, match="1 scans cannot be read"):
        documents = written(going)
    assert canvases(documents)[NAMES[3]]["items"][0]["items"] == []


def test_both_sides_of_an_opening_are_places_on_one_canvas_of_its_folder(written, going):
    documents = written(only(going, *sides(going.pages[NAMES[0]]), going.pages[NAMES[1]]))
    assert [item["label"]["none"] for item in documents["collection.json"]["items"]] == [["ms 12"]]
    drawn = canvases(documents)
    assert list(drawn) == [NAMES[0], NAMES[1]]
    targets = [note["target"] for note in documents["hands/1-pages.json"]["items"]]
    assert targets == [
        f"{drawn[NAMES[0]]['id']}#xywh=10,20,190,260",
        f"{drawn[NAMES[0]]['id']}#xywh=210,20,190,260",
        drawn[NAMES[1]]["id"],
    ]


def test_a_page_cut_out_of_a_photograph_is_a_place_on_its_canvas(written, going):
    cut = replace(going.pages[NAMES[0]], regions=(Region.rectangle(10, 20, 110, 80),))
    (note,) = written(only(going, cut))["hands/1-pages.json"]["items"]
    assert note["target"].endswith("#xywh=10,20,100,60")


def test_folders_with_a_number_sign_are_books_of_their_own(written, going, scans):
    pages = [
        replace(going.pages[NAMES[0]], id=f"Box #{n}/p.jpg", source=FileSource(scans / NAMES[n]))
        for n in (1, 2)
    ]
    listed = written(only(going, *pages))["collection.json"]["items"]
    assert [item["label"]["none"] for item in listed] == [["Box #1"], ["Box #2"]]


@pytest.fixture
def vouched(going):
    """The same hands with evidence for a page of the first, and for the page that is alone."""
    pieces = (
        (Region.rectangle(10.2, 20, 60, 70.4), Region.rectangle(300, 200, 420, 300), 0.031),
        (Region.rectangle(90, 20, 140, 70), Region.rectangle(30, 30, 80, 80), -0.004),
    )
    evidence = {
        NAMES[1]: PageEvidence(NAMES[0], 1, 0.42, 0.97, pieces, 0.393),
        NAMES[2]: PageEvidence(NAMES[3], 1, 0.11, None, (), 0.11),
    }
    return replace(going, evidence=lambda: evidence)


def links(canvas):
    _, pieces = canvas["annotations"]
    return pieces["items"]


def test_an_annotation_has_its_evidence_in_words_and_values(written, vouched):
    words, values = written(vouched)["hands/1-pages.json"]["items"][0]["body"]
    assert words["value"].endswith(f"most like {NAMES[0]} of this hand, one hand by 97%")
    found = json.loads(values["value"])["evidence"]
    assert (found["page"], found["hand"], found["probability"]) == (NAMES[0], 1, 0.97)
    assert found["pieces"][0] == {
        "here": [10, 20, 50, 50], "there": [300, 200, 120, 100], "share": 0.031
    }  # fmt: skip
    shares = sum(piece["share"] for piece in found["pieces"])
    assert shares + found["rest"] == pytest.approx(found["cosine"], abs=1e-5)


def test_a_page_alone_has_the_nearest_other_hand_as_evidence(written, vouched):
    words, values = written(vouched)["hands/2-pages.json"]["items"][0]["body"]
    assert words["value"].endswith(f"most like {NAMES[3]} of hand 1")
    assert json.loads(values["value"])["evidence"]["pieces"] == []


def test_pieces_link_places_on_both_canvases(written, vouched):
    drawn = canvases(written(vouched))
    here, there = drawn[NAMES[1]], drawn[NAMES[0]]
    first, second = links(here)
    assert {first["motivation"], second["motivation"]} == {"linking"}
    assert first["target"] == f"{here['id']}#xywh=10,20,50,50"
    place, words = first["body"]
    assert place["source"] == {"id": there["id"], "type": "Canvas"}
    assert place["selector"]["value"] == "xywh=300,200,120,100"
    assert words["value"] == "speaks for one hand: +0.0310 of the cosine 0.4200"
    assert second["body"][1]["value"].startswith("speaks against one hand: -0.0040")


def test_pieces_on_a_canvas_of_the_web_are_in_percent(written, vouched):
    elsewhere = changed(vouched, NAMES[0], source=canvas_source(), size=(600, 400))
    place = links(canvases(written(elsewhere))[NAMES[1]])[0]["body"][0]
    assert place["source"]["partOf"] == [{"id": MANIFEST, "type": "Manifest"}]
    assert place["selector"]["value"] == "xywh=percent:50.00,50.00,20.00,25.00"


def test_no_two_links_have_one_id(written, vouched):
    both = dict(vouched.evidence())
    both[NAMES[0]] = replace(both[NAMES[1]], page_id=NAMES[1])
    drawn = canvases(written(replace(vouched, evidence=lambda: both)))
    ids = [link["id"] for name in NAMES[:2] for link in links(drawn[name])]
    assert len(set(ids)) == len(ids) == 4
