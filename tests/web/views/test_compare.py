"""Two pages side by side: figures, evidence, decisions."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from dgmp.sources import FileSource


@pytest.fixture
def pair(page_ids):
    return {"first": page_ids[0], "second": page_ids[1]}


def test_two_pages_come_with_a_probability_in_a_sentence(reader, pair):
    found = reader.get("/compare.json", params=pair).json()
    assert 0 < found["probability"] < 1
    assert found["sentence"] in reader.get("/compare", params=pair).text.replace("&#39;", "'")


def test_evidence_lies_on_both_scans(reader, pair):
    found = reader.get("/compare.json", params=pair).json()
    assert found["same"]
    assert found["against"]
    for piece in found["same"] + found["against"]:
        for side in ("first", "second"):
            left, top, width, height = piece[side]["box"]
            assert 0 <= left < left + width <= found[side]["size"][0]
            assert 0 <= top < top + height <= found[side]["size"][1]


def test_pieces_and_the_rest_add_up_to_the_cosine(reader, pair):
    found = reader.get("/compare.json", params=pair).json()
    total = sum(piece["share"] for piece in found["same"] + found["against"]) + found["rest"]
    assert total == pytest.approx(found["cosine"], abs=1e-4)


def test_a_cut_out_is_a_picture(reader, pair):
    piece = reader.get("/compare.json", params=pair).json()["same"][0]
    assert reader.get(piece["first"]["cut_out"]).headers["content-type"] == "image/jpeg"


def test_a_scan_opens_by_iiif(reader, pair):
    found = reader.get("/compare.json", params=pair).json()
    info = reader.get(found["first"]["image"] + "/info.json").json()
    assert [info["width"], info["height"]] == found["first"]["size"]


@pytest.fixture(scope="module")
def uploaded(reader, page_ids):
    """The first page as a picture from elsewhere, beside the second."""
    store = reader.app.state.store
    scan = Path(store.page(page_ids[0]).source.address).read_bytes()
    return {"upload": store.uploads.keep(io.BytesIO(scan)), "second": page_ids[1]}


@pytest.fixture(scope="module")
def compared_upload(reader, uploaded):
    return reader.get("/compare.json", params=uploaded).json()


def test_an_upload_is_compared_as_its_page_is(reader, pair, compared_upload):
    stored = reader.get("/compare.json", params=pair).json()
    assert compared_upload["cosine"] == pytest.approx(stored["cosine"], abs=2e-3)
    assert compared_upload["probability"] == pytest.approx(stored["probability"], abs=0.02)
    pieces = compared_upload["same"] + compared_upload["against"]
    total = sum(piece["share"] for piece in pieces) + compared_upload["rest"]
    assert total == pytest.approx(compared_upload["cosine"], abs=1e-4)


def test_pictures_of_an_upload_are_parts_of_it(reader, compared_upload):
    side, piece = compared_upload["first"], compared_upload["same"][0]["first"]
    whole = Image.open(io.BytesIO(reader.get(side["picture"]).content))
    assert list(whole.size) == side["size"]
    left, top, width, height = piece["box"]
    assert 0 <= left < left + width <= side["size"][0]
    assert 0 <= top < top + height <= side["size"][1]
    small = Image.open(io.BytesIO(reader.get(piece["cut_out"]).content))
    assert small.height <= 88


def test_a_region_is_compared_by_itself(reader, pair, compared_upload, uploaded):
    width, height = compared_upload["first"]["size"]
    region = {"region": f"0,0,{width},{height // 2}"}
    by_page = reader.get("/compare.json", params=pair | region).json()
    by_upload = reader.get("/compare.json", params=uploaded | region).json()
    for found in (by_page, by_upload):
        assert found["cosine"] != compared_upload["cosine"]
        assert max(p["first"]["box"][1] for p in found["same"]) < height // 2
    assert by_page["cosine"] == pytest.approx(by_upload["cosine"], abs=0.02)


def test_only_pages_of_the_catalogue_can_be_decided_about(client, pair, uploaded, reader):
    scan = reader.app.state.store.uploads.page(uploaded["upload"]).source.open()
    own = uploaded | {"upload": client.app.state.store.uploads.keep(scan)}
    assert 'name="verdict"' in client.get("/compare", params=pair).text
    for asked in (own, pair | {"region": "0,0,400,400"}):
        answer = client.get("/compare", params=asked)
        assert answer.status_code == 200
        assert 'name="verdict"' not in answer.text


def test_an_upload_that_is_no_longer_kept_is_said(reader, uploaded):
    for address in (
        "/compare?upload=gone&second=" + uploaded["second"],
        "/uploads/gone/0,0,9,9.jpg",
    ):
        answer = reader.get(address)
        assert answer.status_code == 404
        assert "no longer kept" in answer.text


@pytest.mark.parametrize("box", ["90000,0,5,5", "1,2", "x"])
def test_a_part_that_an_upload_has_not_is_refused(reader, uploaded, box):
    assert reader.get(f"/uploads/{uploaded['upload']}/{box}.jpg").status_code == 400


@pytest.mark.parametrize("verdict", ["same", "different", "unsure"])
def test_a_decision_is_stored_with_its_note(client, post, pair, verdict):
    answer = post("/compare", pair, verdict=verdict, note="the g")
    assert answer.status_code == 303
    (stored,) = client.app.state.store.history()
    assert (stored.verdict, stored.note) == (verdict, "the g")


def test_what_was_decided_stands_beside_the_two_pages(client, post, pair):
    post("/compare", pair, verdict="different", note="the g")
    (stored,) = client.get("/compare.json", params=pair).json()["decided"]
    assert (stored["verdict"], stored["note"]) == ("different", "the g")


def test_a_decision_as_json_gives_its_id(client, post, pair):
    answer = post("/compare.json", pair, verdict="same")
    (stored,) = client.get("/decisions.json").json()["decisions"]
    assert answer.json()["decision"] == stored["id"]


def test_two_people_do_not_overwrite_each_other(client, post, pair):
    seen = client.get("/compare.json", params=pair).json()["seen"]
    assert post("/compare", pair, verdict="same", seen=seen).status_code == 303
    late = post("/compare", pair, verdict="different", seen=seen)
    assert late.status_code == 409
    assert client.get("/decisions.json").json()["total"] == 1


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"verdict": "perhaps"}, 400, "verdict must be one of"),
        ({"second": "none", "verdict": "same"}, 404, "holds no page"),
        ({"verdict": ""}, 400, "verdict is missing"),
    ],
)
def test_what_cannot_be_decided_is_said(post, pair, fields, status, says):
    answer = post("/compare", pair | fields)
    assert answer.status_code == status
    assert says in answer.text


def test_a_page_is_not_compared_with_itself(reader, page_ids):
    answer = reader.get("/compare", params={"first": page_ids[0], "second": page_ids[0]})
    assert "cannot be compared with itself" in answer.text


def test_a_describer_with_pieces_has_no_heat_maps(reader, pair):
    assert reader.get("/compare.json", params=pair).json()["heat_maps"] is None
    assert reader.get("/heat-maps/0.png", params=pair).status_code == 404


def test_pages_whose_scans_are_gone_are_compared_by_what_is_stored(client, catalogue, pair):
    store = client.app.state.store
    pages = [replace(store.page(id), source=FileSource(catalogue / "gone")) for id in pair.values()]
    store.catalogue.relabel(pages)
    found = client.get("/compare.json", params=pair).json()
    assert 0 < found["probability"] < 1
    assert "missing" in found["lacking"]
    assert found["lacking"] in client.get("/compare", params=pair).text
