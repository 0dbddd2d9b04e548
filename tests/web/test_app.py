"""The whole application: every address with its twin, errors, what goes with every answer."""

import json
import re

import pytest
from starlette.testclient import TestClient

from dgmp.errors import CatalogueError
from dgmp.web import create_app

from .conftest import HOME


def test_the_start_page_is_the_list_of_hands(client):
    assert str(client.get("/").url) == f"{HOME}/hands"


@pytest.mark.parametrize("address", ["/hands", "/search", "/words", "/map", "/decisions", "/jobs"])
def test_an_address_has_a_twin_in_json(client, address):
    page, twin = client.get(address), client.get(f"{address}.json")
    assert (page.status_code, twin.status_code) == (200, 200)
    assert page.headers["content-type"].startswith("text/html")
    assert isinstance(json.loads(twin.text), dict)
    assert f'href="{address}.json"' in page.text


@pytest.mark.parametrize("address", ["/nothing", "/hands/999", "/pages/!", "/static/none.js"])
def test_what_is_not_there_is_a_page_that_says_so(client, address):
    answer = client.get(address)
    assert answer.status_code == 404
    assert "Not here" in answer.text


@pytest.mark.parametrize("address", ["/nothing.json", "/hands/999.json", "/pages/!.json"])
def test_errors_have_twins_too(client, address):
    answer = client.get(address)
    assert (answer.status_code, set(answer.json())) == (404, {"error", "status"})


def test_an_error_is_one_sentence_on_a_page(client):
    answer = client.get("/compare?first=a&second=b")
    assert answer.status_code == 404
    assert "holds no page &#39;a&#39;" in answer.text


def test_a_bug_is_answered_behind_the_guard(client, caplog):
    client.app.state.store.size = None  # calling it is a bug
    answer = client.get("/jobs")
    assert answer.status_code == 500
    assert "Content-Security-Policy" in answer.headers
    assert "Traceback" not in answer.text
    assert "TypeError" in caplog.text


@pytest.mark.parametrize(
    "address", ["/hands", "/search", "/words", "/map", "/decisions", "/jobs", "/none"]
)
def test_pages_hold_no_script_or_style_of_their_own(client, address):
    text = client.get(address).text
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", text)


def test_pages_load_nothing_from_elsewhere(client):
    text = client.get("/hands").text
    assert not re.search(r'(?:src|href|action)="(?:https?:)?//', text)


def test_what_is_written_by_people_is_only_text(post, client, first_hand):
    number, seen = first_hand["hand"]["number"], first_hand["seen"]
    name = "<script>alert(1)</script>"
    post(f"/hands/{number}/name", as_seen=first_hand["as_seen"], seen=seen, name=name)
    text = client.get("/hands").text
    assert name not in text
    assert "&lt;script&gt;" in text


def test_a_name_of_the_person_is_remembered_and_goes_into_decisions(post, client, page_ids):
    post("/person", person="Žofie ☺", back="/hands")
    assert 'value="Žofie ☺"' in client.get("/hands").text
    post("/compare", first=page_ids[0], second=page_ids[4], verdict="different")
    assert client.get("/decisions.json").json()["decisions"][0]["person"] == "Žofie ☺"


def test_a_change_needs_the_token_of_a_page(client, page_ids):
    fields = {"first": page_ids[0], "second": page_ids[4], "verdict": "same"}
    assert client.post("/compare", data=fields, headers={"Origin": HOME}).status_code == 403
    assert client.get("/decisions.json").json()["total"] == 0


def test_reading_only_shows_everything_and_changes_nothing(catalogue, page_ids):
    with TestClient(create_app(catalogue, read_only=True), HOME) as client:
        before = {file.name for file in catalogue.iterdir()}
        for address in ("/hands", "/hands/1", "/map", "/decisions", "/jobs", "/review"):
            page = client.get(address)
            assert page.status_code == 200
            assert "Undo" not in page.text
            assert "Confirm:" not in page.text
        found = re.search(r'name="csrf" value="([^"]+)"', page.text)
        fields = {"csrf": found[1], "first": page_ids[0], "second": page_ids[4], "verdict": "same"}
        answer = client.post("/compare", data=fields, headers={"Origin": HOME})
        assert answer.status_code == 403
        assert {file.name for file in catalogue.iterdir()} == before


def test_a_folder_that_is_no_catalogue_is_refused(tmp_path):
    with pytest.raises(CatalogueError):
        create_app(tmp_path)
