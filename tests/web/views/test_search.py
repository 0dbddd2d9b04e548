"""Search by a page, by a region of it, by an upload."""

import re
from pathlib import Path

import pytest

from dgmp.catalogue import Catalogue
from dgmp.records import Hit
from dgmp.web.store import Store


@pytest.fixture
def scan(catalogue, page_ids):
    """The file of the first page."""
    return Path(Catalogue.open(catalogue).paths()[page_ids[0]])


def upload(client, post, content, name="page.jpg"):
    return post("/search", files={"picture": (name, content, "image/jpeg")})


def test_pages_are_ranked_by_likeness_without_the_query(reader, page_ids):
    hits = reader.get("/search.json", params={"page": page_ids[0]}).json()["hits"]
    assert page_ids[0] not in {hit["page"] for hit in hits}
    likenesses = [hit["likeness"] for hit in hits]
    assert likenesses == sorted(likenesses, reverse=True)


def test_the_likeness_that_hits_are_ordered_by_is_shown(reader, page_ids):
    found = reader.get("/search.json", params={"page": page_ids[0]}).json()["hits"]
    page = reader.get("/search", params={"page": page_ids[0]}).text
    shown = re.findall(r'<p class="soft">likeness (-?\d\.\d\d)</p>', page)
    assert [float(figure) for figure in shown] == [round(hit["likeness"], 2) for hit in found]


def test_where_there_is_no_likeness_the_cosine_is_shown(reader, page_ids, monkeypatch):
    hits = (Hit(page_ids[1], "", 0.413),)
    monkeypatch.setattr(Store, "search", lambda store, query, n: hits)
    page = reader.get("/search", params={"page": page_ids[0]}).text
    assert '<p class="soft">cosine 0.41</p>' in page


def test_a_hit_has_evidence(reader, page_ids):
    hit = reader.get("/search.json", params={"page": page_ids[0]}).json()["hits"][0]
    assert reader.get(hit["compare"]).status_code == 200


def test_the_end_of_a_name_is_enough(reader, page_ids):
    name = page_ids[0].rpartition("/")[2]
    assert reader.get("/search.json", params={"page": name}).json()["query"]["page"] == page_ids[0]


def test_a_region_is_another_query_than_its_page(reader, page_ids):
    whole = reader.get("/search.json", params={"page": page_ids[0]}).json()
    width, height = whole["query"]["size"]
    asked = {"page": page_ids[0], "region": f"0,0,{width},{height // 2}"}
    part = reader.get("/search.json", params=asked).json()
    assert part["region"] == [0, 0, width, height // 2]
    assert [h["cosine"] for h in part["hits"]] != [h["cosine"] for h in whole["hits"]]
    assert page_ids[0] not in {hit["page"] for hit in part["hits"]}
    compared = reader.get(part["hits"][0]["compare"].replace("/compare", "/compare.json")).json()
    assert compared["cosine"] == pytest.approx(part["hits"][0]["cosine"], abs=1e-3)


@pytest.mark.parametrize(
    "region", ["1,2,3", "a,b,c,d", "-1,0,5,5", "0,0,0,5", "9e9,0,1,1", "nan,0,1,1"]
)
def test_what_is_no_region_is_refused(reader, page_ids, region):
    answer = reader.get("/search", params={"page": page_ids[0], "region": region})
    assert answer.status_code == 400


def test_a_region_outside_of_the_picture_is_refused(reader, page_ids):
    answer = reader.get("/search", params={"page": page_ids[0], "region": "90000,0,10,10"})
    assert "outside the picture" in answer.text


def test_a_copy_of_a_page_finds_that_page(client, post, page_ids, scan):
    answer = upload(client, post, scan.read_bytes())
    assert answer.status_code == 303
    found = client.get(answer.headers["location"].replace("/search", "/search.json")).json()
    assert found["hits"][0]["page"] == page_ids[0]
    assert found["hits"][0]["cosine"] == pytest.approx(1, abs=1e-3)
    assert client.get(found["query"]["picture"]).headers["content-type"] == "image/jpeg"
    hit = found["hits"][1]
    compared = client.get(hit["compare"].replace("/compare", "/compare.json")).json()
    assert compared["cosine"] == pytest.approx(hit["cosine"], abs=1e-3)


def test_what_is_no_picture_is_refused_in_a_sentence(client, post):
    answer = upload(client, post, b"not a picture")
    assert answer.status_code == 415
    assert "cannot be used" in answer.text


def test_a_form_without_a_file_is_refused(post):
    answer = post("/search", picture="text")
    assert "choose a picture first" in answer.text


def test_an_upload_that_is_gone_is_said(reader):
    assert "no longer kept" in reader.get("/search?upload=gone").text


def test_a_page_that_is_not_here_is_said_above_the_form(reader):
    answer = reader.get("/search", params={"page": "no<such>page"})
    assert answer.status_code == 404
    assert "holds no page" in answer.text
    assert 'id="picture"' in answer.text
    assert 'value="no&lt;such&gt;page"' in answer.text


def test_a_file_that_is_no_picture_is_said_above_the_form(client, post):
    answer = upload(client, post, b"no picture")
    assert answer.status_code == 415
    assert 'role="alert">the picture cannot be used' in answer.text
    assert 'id="picture"' in answer.text


def test_programs_get_what_was_wrong_as_before(reader):
    found = reader.get("/search.json", params={"page": "nothing"})
    assert (found.status_code, list(found.json())) == (404, ["error", "status"])
