"""No request, however strange, is a bug's answer, gets in where it may not, or tells too much."""

import asyncio
import re
import shutil
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from dgmp.catalogue import Catalogue
from dgmp.web import create_app

from .fuzzing import Known, bomb, requests, wrong

HOST = "127.0.0.1"


async def answered(app, asked):
    """Status, headers and body of a request as a server hands it on."""
    path, _, query = asked.target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": unquote(path, errors="replace"),
        "raw_path": path.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"),
        "root_path": "",
        "headers": [
            (name.lower().encode(), value.encode("latin-1", "replace"))
            for name, value in asked.headers.items()
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    messages = [{"type": "http.request", "body": asked.body, "more_body": False}]
    sent = []

    async def receive():
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(m.get("body", b"") for m in sent[1:])


def known_to_a_browser(app):
    client = TestClient(app, f"http://{HOST}")
    page = client.get("/hands")
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    csrf = re.search(r'name="csrf" value="([^"]+)"', page.text)[1]
    ids = tuple(Catalogue.open(app.state.store.folder).paths())
    return Known(HOST, cookie, csrf, ids)


@pytest.fixture
def app(catalogue, spotted):
    shutil.copytree(spotted / "words", catalogue / "words")
    made = create_app(catalogue)
    yield made
    made.state.store.close()


def test_whatever_is_asked_the_answer_is_in_order(app):
    async def all_of_them():
        found = []
        for asked in requests(known_to_a_browser(app), 0, 200):
            if complaint := wrong(asked, *await answered(app, asked)):
                found.append((complaint, asked.method, asked.target[:200], asked.body[:200]))
        return found

    assert asyncio.run(all_of_them()) == []


def test_nothing_changes_by_what_may_not_change_anything(app):
    known = known_to_a_browser(app)

    async def refused():
        for asked in requests(known, 7, 300):
            if not asked.allowed:
                await answered(app, asked)

    before = {f.name: f.stat().st_mtime_ns for f in app.state.store.folder.iterdir()}
    asyncio.run(refused())
    assert {f.name: f.stat().st_mtime_ns for f in app.state.store.folder.iterdir()} == before


@pytest.mark.parametrize("size", [(60_000, 60_000), (20_000, 20_000), (1, 10**6)])
def test_a_bomb_is_refused_before_it_is_decoded(post, size):
    answer = post("/search", files={"picture": ("a.png", bomb(*size), "image/png")})
    assert answer.status_code in (400, 413)


def test_more_than_the_limit_is_not_taken(post):
    answer = post("/search", files={"picture": ("a.png", b"\x89PNG" + b"x" * (61 * 2**20))})
    assert answer.status_code == 413
