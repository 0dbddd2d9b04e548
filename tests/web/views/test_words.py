"""Words: typed, pointed at; what is said where they cannot be found."""

import json
import shutil
from itertools import pairwise

import pytest
from starlette.testclient import TestClient

from dgmp.catalogue import Catalogue
from dgmp.web import create_app, urls
from dgmp.web.views.words import ON_A_LEAF

from ..conftest import HOME


@pytest.fixture(scope="module")
def spotter(spotted):
    """A client for looking only."""
    with TestClient(create_app(spotted, read_only=True), HOME) as client:
        yield client


@pytest.fixture(scope="module")
def found(spotter):
    return spotter.get("/words.json", params={"word": "Dominus"}).json()


def test_places_come_best_first_on_leaves(spotter, found):
    second = spotter.get(found["leaf"]["next"].replace("/words", "/words.json")).json()
    hits = [*found["hits"], *second["hits"]]
    assert [hit["rank"] for hit in hits] == list(range(1, 2 * ON_A_LEAF + 1))
    assert all(one["likeness"] >= other["likeness"] for one, other in pairwise(hits))


def test_a_leaf_beyond_the_last_is_the_last(spotter):
    found = spotter.get("/words.json", params={"word": "et", "leaf": 10**6}).json()
    assert found["hits"][-1]["rank"] == found["leaf"]["total"]


def test_a_place_leads_to_its_page_its_hand_and_its_picture(spotter, found):
    hit = found["hits"][0]
    page = spotter.get(hit["address"].replace("?", ".json?")).json()
    assert (page["page"]["page"], page["box"]) == (hit["page"], hit["box"])
    assert page["hand"] == hit["hand"]
    assert spotter.get(hit["cut_out"]).headers["content-type"] == "image/jpeg"
    text = spotter.get("/words", params={"word": "Dominus"}).text
    for address in (hit["address"], hit["cut_out"], hit["hand"]["address"]):
        assert address.replace("&", "&amp;") in text


def test_more_like_a_place_begins_with_it(spotter, found):
    hit = found["hits"][5]
    more = spotter.get(hit["more"].replace("/words", "/words.json")).json()
    assert (more["hits"][0]["page"], more["hits"][0]["box"]) == (hit["page"], hit["box"])
    assert more["query"]["page"] == hit["page"]


def test_a_rectangle_that_is_drawn_need_be_no_candidate(spotter, found):
    left, top, width, height = found["hits"][0]["box"]
    asked = {"page": found["hits"][0]["page"], "region": f"{left + 1},{top},{width - 1},{height}"}
    assert len(spotter.get("/words.json", params=asked).json()["hits"]) == ON_A_LEAF


def test_the_page_says_which_word_was_asked_for(spotter):
    text = spotter.get("/words", params={"word": "<b>et</b>"}).text
    assert 'value="&lt;b&gt;et&lt;/b&gt;"' in text


@pytest.mark.parametrize(
    ("asked", "status", "reason"),
    [
        ({"word": "ж"}, 400, "the alphabet"),
        ({"word": "x" * 101}, 400, "at most 100 letters"),
        ({"word": "?!"}, 400, "no letter"),
        ({"page": "none", "region": "1,2,30,40"}, 404, "holds no page"),
        ({"page": "PAGE"}, 400, "region is missing"),
        ({"page": "PAGE", "region": "1,2,3"}, 400, "left,top,width,height"),
        ({"page": "PAGE", "region": "1,2,2,40"}, 400, "too small"),
        ({"page": "PAGE", "region": "9000,2,30,40"}, 400, "reaches beyond"),
        ({"word": "et", "leaf": "x"}, 400, "whole number"),
    ],
)
def test_what_cannot_be_found_is_said_above_the_form(spotter, spotted, asked, status, reason):
    first = min(Catalogue.open(spotted).paths())
    asked = {name: first if value == "PAGE" else value for name, value in asked.items()}
    page, twin = (spotter.get(address, params=asked) for address in ("/words", "/words.json"))
    assert (page.status_code, twin.status_code) == (status, status)
    assert reason in twin.json()["error"]
    assert 'role="alert"' in page.text
    assert 'id="word"' in page.text


def test_without_an_index_the_page_names_the_commands(reader):
    found = reader.get("/words.json").json()
    assert "dgmp spot" in found["lacking"]
    answer = reader.get("/words?word=et")
    assert answer.status_code == 400
    assert answer.text.count("No page has been looked at for words") == 1


def test_a_page_offers_to_find_words_where_that_can_be(reader, spotter, found, page_ids):
    address = found["hits"][0]["address"]
    assert "Find this word" in spotter.get(address).text
    assert "Find this word" not in reader.get(address).text
    assert "Find this hand" in reader.get(address).text


def test_reading_only_offers_no_job(spotter, spotted):
    with TestClient(create_app(spotted), HOME) as client:
        assert client.get("/words.json").json()["can_look"]
    assert not spotter.get("/words.json").json()["can_look"]


def test_pages_that_are_new_or_changed_are_named_and_those_that_are_gone_not_found(
    spotted, catalogue, page_ids
):
    shutil.copytree(spotted / "words", catalogue / "words")
    index = catalogue / "words" / "words.json"
    stored = json.loads(index.read_text())
    for page in stored["pages"]:
        page["stamp"] = "another"
    index.write_text(json.dumps(stored))
    Catalogue.open(catalogue).drop([page_ids[8]])
    with TestClient(create_app(catalogue), HOME) as client:
        found = client.get("/words.json?word=et").json()
        text = client.get("/words?word=et").text
    assert {hit["page"] for hit in found["hits"]} == {page_ids[4]}
    assert all(hit["changed"] for hit in found["hits"])
    assert found["unseen"]["number"] == len(page_ids) - 2
    assert f"Changed since they were looked at: {found['hits'][0]['title']}." in text
    assert "Not looked at yet: " in text


def test_an_index_that_cannot_be_read_is_said_and_pages_are_still_shown(
    spotted, catalogue, page_ids
):
    shutil.copytree(spotted / "words", catalogue / "words")
    (catalogue / "words" / "words.json").write_text("{")
    with TestClient(create_app(catalogue), HOME) as client:
        assert "is not JSON" in client.get("/words").text
        assert client.get("/words?word=et").status_code == 400
        assert client.get(urls.page(page_ids[0])).status_code == 200
