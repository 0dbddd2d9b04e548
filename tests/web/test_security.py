"""The guard: which requests come through, and what every answer carries."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from dgmp.web.security import HEADERS, Guard, allowed_hosts, csrf_token, is_loopback

HERE = "http://127.0.0.1:8000"
FROM_HERE = {"Origin": HERE}


async def show(request: Request):
    return PlainTextResponse(csrf_token(request))


async def change(request: Request):
    async with request.form() as form:
        return PlainTextResponse(f"changed {form.get('name', '')}")


def guarded(**options):
    routes = [
        Route("/", show),
        Route("/iiif/page/info.json", show),
        Route("/change", change, methods=["POST", "PUT", "DELETE", "PATCH"]),
        Route("/search", change, methods=["POST"]),
    ]
    options = {"hosts": allowed_hosts("127.0.0.1", 8000)} | options
    app = Starlette(routes=routes, middleware=[Middleware(Guard, **options)])
    return TestClient(app, HERE)


@pytest.fixture
def client():
    return guarded()


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST:8000"]
)
def test_the_names_of_this_machine_are_answered(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:80", "", "127.0.0.1:8000.evil"],
)
def test_other_names_are_not(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 421


def test_a_change_from_a_page_of_the_server_is_taken(client):
    token = client.get("/").text
    for sent in (
        client.post("/change", data={"csrf": token, "name": "x"}, headers=FROM_HERE),
        client.post("/change", data={"name": "x"}, headers=FROM_HERE | {"X-CSRF-Token": token}),
        client.post("/change", data={"csrf": token, "name": "x"}, headers={"Referer": f"{HERE}/"}),
        client.post(
            "/change", data={"csrf": token, "name": "x"}, headers={"Sec-Fetch-Site": "same-origin"}
        ),
        client.post(
            "/change", data={"csrf": token, "name": "x"}, files={"f": b"y"}, headers=FROM_HERE
        ),
    ):
        assert (sent.status_code, sent.text) == (200, "changed x")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": "http://localhost:8000"},
        {"Origin": "http://127.0.0.1:8000.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
        {"Referer": "http://evil.example/http://127.0.0.1:8000/"},
        {"Referer": "http://[evil"},
    ],
)
def test_a_change_from_elsewhere_is_refused_even_with_the_token(client, headers):
    token = client.get("/").text
    assert client.post("/change", data={"csrf": token}, headers=headers).status_code == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "PROPFIND"])
def test_a_change_without_the_token_is_refused(client, method):
    client.get("/")
    assert client.request(method, "/change", headers=FROM_HERE).status_code == 403


@pytest.mark.parametrize("wrong", ["", "0" * 64, "é", "x" * 5000])
def test_a_wrong_token_is_refused(client, wrong):
    client.get("/")
    by_field = client.post("/change", data={"csrf": wrong}, headers=FROM_HERE)
    header = {"X-CSRF-Token": wrong.encode("latin-1")}
    by_header = client.post("/change", headers=FROM_HERE | header)
    assert (by_field.status_code, by_header.status_code) == (403, 403)


def test_the_token_of_another_session_is_refused(client):
    token = client.get("/").text
    client.cookies.clear()
    assert client.get("/").text != token
    assert client.post("/change", data={"csrf": token}, headers=FROM_HERE).status_code == 403


def test_the_token_of_a_session_stays(client):
    assert client.get("/").text == client.get("/").text


def test_a_server_that_only_shows_takes_questions_but_no_changes():
    client = guarded(read_only=True, asking=frozenset({"/search"}))
    token = client.get("/").text
    sent = [client.post(p, data={"csrf": token}, headers=FROM_HERE) for p in ("/change", "/search")]
    assert [answer.status_code for answer in sent] == [403, 200]


@pytest.mark.parametrize("length", [5, 70], ids=["form", "form with a file"])
def test_a_body_over_the_limit_is_refused(client, length):
    token = client.get("/").text
    files = {"f": b"x" * (length * 2**20)} if length > 60 else None
    data = {"csrf": token} | ({} if files else {"name": "x" * (length * 2**20)})
    sent = client.post("/change", data=data, files=files, headers=FROM_HERE)
    assert sent.status_code == 413


def test_a_body_that_says_nothing_of_its_length_is_refused_while_it_comes(client):
    token = client.get("/").text
    chunks = (b"x" * 2**20 for _ in range(5))
    headers = FROM_HERE | {
        "X-CSRF-Token": token,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    assert client.post("/change", content=chunks, headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/", "/nowhere", "/iiif/page/info.json"])
def test_every_answer_has_the_headers(client, path):
    answer = client.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


def test_refusals_have_the_headers_too(client):
    answer = client.get("/", headers={"Host": "evil.example"})
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_other_places_may_read_scans_and_nothing_else(client):
    scan, other = client.get("/iiif/page/info.json"), client.get("/")
    assert scan.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in other.headers
    assert other.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_cookies_are_kept_from_scripts_and_from_other_places(client):
    cookie = client.get("/").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


class TestToken:
    @pytest.fixture
    def announced(self):
        return []

    @pytest.fixture
    def client(self, announced):
        return guarded(token="secret", renewed=announced.append)

    def test_without_it_nobody_comes_in(self, client):
        for query in ("", "?token=", "?token=wrong", "?token=secre", "?token=s%C3%A9cret"):
            answer = client.get(f"/{query}")
            assert answer.status_code == 401
            assert "Set-Cookie" not in answer.headers

    def test_with_it_a_cookie_is_set_and_the_address_cleared(self, client):
        answer = client.get("/?a=1&token=secret&b=%26", follow_redirects=False)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/?a=1&b=%26")
        assert "secret" not in answer.headers["Set-Cookie"]
        assert client.get("/").status_code == 200

    def test_it_is_spent_after_the_first(self, client):
        client.get("/?token=secret")
        client.cookies.clear()
        assert client.get("/?token=secret").status_code == 401

    def test_the_next_is_announced_and_the_first_stays_in(self, client, announced):
        client.get("/?token=secret")
        first = dict(client.cookies)
        client.cookies.clear()
        assert client.get(f"/?token={announced[0]}").status_code == 200
        client.cookies.clear()
        client.cookies.update(first)
        assert client.get("/").status_code == 200

    def test_a_browser_that_looks_ahead_does_not_spend_it(self, client):
        client.get("/?token=secret", headers={"Sec-Purpose": "prefetch"})
        assert client.get("/?token=secret").status_code == 200

    def test_a_head_or_a_post_does_not_come_in(self, client):
        assert client.head("/?token=secret").status_code == 401
        assert client.post("/change?token=secret", headers=FROM_HERE).status_code == 401

    def test_it_does_not_lead_elsewhere(self, client):
        answer = client.get(f"{HERE}//evil.example/?token=secret", follow_redirects=False)
        assert answer.headers["Location"] == "/evil.example/"

    def test_scans_are_for_those_inside(self, client):
        assert client.get("/iiif/page/info.json").status_code == 401
        client.get("/?token=secret")
        assert "Access-Control-Allow-Origin" not in client.get("/iiif/page/info.json").headers

    def test_a_link_from_elsewhere_is_followed_once_more_from_here(self, client):
        answer = client.get("/", headers={"Sec-Fetch-Site": "cross-site"})
        assert 'http-equiv="refresh"' in answer.text
        assert 'http-equiv="refresh"' not in client.get("/").text


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.8.0.1", True),
     ("0.0.0.0", False), ("10.0.0.7", False), ("example.org", False)],
)  # fmt: skip
def test_only_this_machine_reaches_loopback(host, expected):
    assert is_loopback(host) is expected


def test_a_server_for_all_addresses_is_reached_by_its_own_names_only():
    hosts = allowed_hosts("0.0.0.0", 8000)
    assert "localhost:8000" in hosts
    assert not any("*" in host for host in hosts)
