"""Two pages side by side: figures, evidence, decisions."""

from dataclasses import replace

import pytest

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


@pytest.mark.parametrize("verdict", ["same", "different", "unsure"])
def test_a_decision_is_stored_with_its_note(client, post, pair, verdict):
    answer = post("/compare", pair, verdict=verdict, note="the g")
    assert answer.status_code == 303
    (stored,) = client.get("/compare.json", params=pair).json()["decided"]
    assert (stored["verdict"], stored["note"]) == (verdict, "the g")


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
