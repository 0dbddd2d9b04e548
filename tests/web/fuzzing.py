"""Random requests to every address: well-formed, nearly so, and hostile; and what may come back.

The same seed gives the same requests. ``allowed`` says whether the guard has to let one through.
"""

from __future__ import annotations

import io
import random
import re
import struct
import zlib
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from dgmp.web.keys import page_key
from dgmp.web.security import HEADERS
from dgmp.web.urls import ACTIONS, FILES, VIEWS

ODD = (
    "", " ", "0", "-1", "1e9", "nan", "NaN", "9" * 30, "null", "true", "'", '"', "' OR 1=1 --",
    "%", "%%",
    "{{7*7}}", "<script>alert(1)</script>", "../../etc/passwd", "..\\..\\etc", "/etc/passwd",
    "\0", "\r\nX: y",
    "é", "☺", "\u202e", "\ud7ff", "a" * 5000, "٣", "1,2,3,4", "0,0,10,10", "-5,0,1,1", "full",
    "max", "::1",
    "file:///etc/passwd", "http://127.0.0.1:1/", "undo", "same", "different", "unsure", "name",
    "[]", "{}",
)  # fmt: skip
TRAVERSALS = (
    "/static/../../../etc/passwd", "/static/%2e%2e/%2e%2e/etc/passwd",
    "/static/..%2f..%2fetc/passwd",
    "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/iiif/../../etc/passwd/info.json",
    "/static/..",
    "/iiif/%2e%2e%2f%2e%2e%2fetc%2fpasswd/full/max/0/default.jpg",
    "/thumbnails/../../catalogue.json",
    "/export/../../../etc/passwd", "/export/..%2f..%2fetc%2fpasswd", "/uploads/..%2f..%2fetc.jpg",
    "/static/%00", "/static/vendor/", "//evil.example/static/", "/pages/..%2f..%2f",
    "/static/%c0%ae%c0%ae/",
    "/decisions/decisions.jsonl/../../catalogue.json", "/static/\\..\\..\\etc\\passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
)  # fmt: skip
HOSTS = (
    "evil.example",
    "127.0.0.1.evil.example",
    "",
    "[::1]:1",
    "127.0.0.1:1@evil",
    "a b",
)
ORIGINS = (
    "http://evil.example",
    "null",
    "https://{host}",
    "http://{host}.evil",
    "http://localhost:1",
    "",
)
FIELDS = (
    "first", "second", "verdict", "page", "name", "note", "seen", "as_seen", "person", "back",
    "kind", "region",
    "n", "k", "to", "hand", "action", "done", "upload", "number", "order", "folder", "confidence",
    "writer", "id", "word", "leaf", "box",
)  # fmt: skip
FORMS = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Asked:
    """A request, and whether the guard has to let it through."""

    method: str
    target: str  # as it goes over the wire: path and query, quoted
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    allowed: bool = True


@dataclass(frozen=True)
class Known:
    """What a page of the server tells a browser."""

    host: str
    cookie: str
    csrf: str
    page_ids: tuple[str, ...]
    decisions: tuple[str, ...] = ("20200101T000000000000-00000000",)


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is as large as that."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IDAT", zlib.compress(b"\0" * 100_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + data + chunk(b"IEND", b"")


def requests(known: Known, seed: int, number: int):
    """That many requests."""
    chance = random.Random(seed)
    for _ in range(number):
        yield one_request(known, chance)


def one_request(known: Known, chance: random.Random) -> Asked:
    """A request of any kind."""
    make = chance.choices(
        (_view, _action, _file, _image, _traversal, _noise, _upload), (30, 25, 8, 15, 8, 8, 6)
    )[0]
    asked = make(known, chance)
    headers = {"Host": known.host, "Cookie": known.cookie} | asked.headers
    asked = replace(asked, headers=headers)
    return _spoilt(asked, known, chance) if chance.random() < 0.25 else asked


def wrong(asked: Asked, status: int, headers: dict[str, str], body: bytes) -> str:
    """What is wrong with an answer; empty: nothing."""
    headers = {name.lower(): value for name, value in headers.items()}
    if status >= 500 and status not in (501, 503):
        return f"status {status}"
    if not asked.allowed and status not in (401, 403, 413, 421, 400):
        return f"let in with status {status}"
    if any(headers.get(name.lower()) != value for name, value in HEADERS.items()) and status != 400:
        return "headers are missing"
    if b"root:x:0" in body or b"Traceback (most" in body:
        return "tells what is inside"
    return ""


def _view(known: Known, chance: random.Random) -> Asked:
    path = _filled(chance.choice(list(VIEWS.values())), known, chance)
    twin = chance.choice(("", "", ".json"))
    query = urlencode(_fields(known, chance), errors="surrogatepass")
    method = chance.choices(("GET", "HEAD", "OPTIONS"), (20, 2, 1))[0]
    target = f"{path}{twin}?{query}" if query else f"{path}{twin}"
    return Asked(method, target, {"HX-Request": "true"} if chance.random() < 0.1 else {})


def _action(known: Known, chance: random.Random) -> Asked:
    path = _filled(chance.choice(list(ACTIONS)), known, chance)
    fields = [("csrf", known.csrf), *_fields(known, chance)]
    headers = {"Origin": f"http://{known.host}", "Content-Type": FORMS}
    body = urlencode(fields, errors="surrogatepass").encode()
    kind = chance.random()
    if kind < 0.1:
        headers |= {"Content-Type": "application/json", "X-CSRF-Token": known.csrf}
        body = chance.choice((b"{}", b"[", b"null", b'{"first": 1}', chance.randbytes(50)))
    elif kind < 0.2:
        headers["X-CSRF-Token"] = known.csrf
        body = chance.randbytes(chance.choice((0, 10, 3000)))
    twin = chance.choice(("", ".json"))
    return Asked("POST", f"{path}{twin}", headers, body)


def _upload(known: Known, chance: random.Random) -> Asked:
    edge = chance.choice(("xyz", "-" * 60, "a" * 300, "é", ""))
    content = chance.choice(
        (
            b"",
            chance.randbytes(500),
            bomb(60_000, 60_000),
            bomb(300, 300),
            b"GIF89a",
            b"%PDF",
            _page(chance),
        )
    )
    name = chance.choice(("picture", "picture", "file", 'pic"ture', "decisions", ""))
    file = chance.choice(("a.png", "../../a", "a\0b", "é.jpg", ""))
    body = (
        f'--{edge}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{known.csrf}\r\n'
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
        f"Content-Type: {chance.choice(('image/png', 'text/html', ''))}\r\n\r\n"
    ).encode("utf-8", "surrogatepass")
    body += content + chance.choice((f"\r\n--{edge}--\r\n".encode(), b"", f"\r\n--{edge}".encode()))
    body = body if chance.random() < 0.8 else body[: chance.randrange(len(body))]
    kind = f"multipart/form-data; boundary={edge}".encode().decode("latin-1")
    headers = {"Origin": f"http://{known.host}", "Content-Type": kind, "X-CSRF-Token": known.csrf}
    return Asked(
        "POST", chance.choice(("/search", "/search.json", "/decisions/import")), headers, body
    )


def _file(known: Known, chance: random.Random) -> Asked:
    kinds = (
        "hands.csv",
        "hands.json",
        "hands.tei.xml",
        "hands.xlsx",
        "iiif.zip",
        "hands.exe",
        "..",
    )
    path = _filled(chance.choice(list(FILES)), known, chance)
    if "export" in path and chance.random() < 0.5:
        path = f"/export/{chance.choice(kinds)}"
    return Asked("GET", path)


def _image(known: Known, chance: random.Random) -> Asked:
    odd = chance.random() < 0.4
    whole = chance.randrange
    region = chance.choice(
        (
            "full",
            "square",
            f"{whole(900)},{whole(900)},{whole(900)},{whole(900)}",
            "pct:1,2,30,40.5",
        )
    )
    size = chance.choice(
        ("max", f"{whole(600)},", f",{whole(600)}", f"!{whole(500)},{whole(500)}", "pct:9")
    )
    rest = [
        region,
        size,
        chance.choice(("0", "90", "!180", "13")),
        chance.choice(("default.jpg", "gray.png")),
    ]
    if odd:
        rest[whole(4)] = quote(chance.choice(ODD), safe="", errors="surrogatepass")
    if chance.random() < 0.2:
        rest = ["info.json"]
    key = page_key(chance.choice(known.page_ids))
    key = (
        key if chance.random() < 0.8 else quote(chance.choice(ODD), safe="", errors="surrogatepass")
    )
    return Asked("GET", f"/iiif/{key}/" + "/".join(rest))


def _traversal(known: Known, chance: random.Random) -> Asked:
    return Asked(chance.choice(("GET", "HEAD")), chance.choice(TRAVERSALS))


def _noise(known: Known, chance: random.Random) -> Asked:
    letters = "abc/._-%~!$&'()*+,;=:@0123456789[]{}|^`é"
    path = "/" + quote("".join(chance.choices(letters, k=chance.randrange(60))), safe="/%;=:@")
    method = chance.choice(("GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"))
    headers = {
        "Accept": "*/*;q=é".encode().decode("latin-1"),
        "If-None-Match": '"x", W/"y"',
        "Range": "bytes=5-1",
    }
    safe = method == "GET"
    return Asked(method, path, headers, chance.randbytes(20) if not safe else b"", allowed=safe)


def _spoilt(asked: Asked, known: Known, chance: random.Random) -> Asked:
    """The same from a place that may not ask, or without what a change needs."""
    headers = dict(asked.headers)
    kind = chance.randrange(4)
    if kind == 0:
        headers["Host"] = chance.choice(HOSTS)
        return replace(asked, headers=headers, allowed=False)
    if asked.method in ("GET", "HEAD", "OPTIONS"):
        headers["Cookie"] = chance.choice(("", "a=b; ;=;", "dgmp_session_80=x", 'x="\\', "\xff"))
        return replace(asked, headers=headers)
    if kind == 1:
        headers["Origin"] = chance.choice(ORIGINS).format(host=known.host)
    elif kind == 2:
        headers.pop("X-CSRF-Token", None)
        body = asked.body.replace(known.csrf.encode(), chance.choice((b"", b"0" * 64, b"\0")))
        return replace(asked, headers=headers, body=body, allowed=False)
    else:
        headers["Cookie"] = "dgmp_session_80=" + "A" * 43
    return replace(asked, headers=headers, allowed=False)


def _fields(known: Known, chance: random.Random) -> list[tuple[str, str]]:
    """Some fields of a form or an address, with values that may be right."""
    pages = chance.sample(known.page_ids, 2)
    likely = {
        "first": pages[0], "second": pages[1], "page": pages[0], "k": "1", "number": "1",
        "verdict": chance.choice(("same", "different", "unsure")), "to": "2", "hand": "1",
        "seen": chance.choice((*known.decisions, "9")), "done": chance.choice(known.decisions),
        "kind": chance.choice(("regroup", "words")), "region": "0,0,90,90", "box": "9,9,50,20",
        "back": "/hands", "action": "same", "word": chance.choice(("et", "Ünd ſo", "x")),
        "leaf": "2",
    }  # fmt: skip
    if chance.random() < 0.2:  # all that a page would send
        return list(likely.items())
    names = chance.sample(FIELDS, chance.randrange(6))
    return [
        (name, likely.get(name, "x") if chance.random() < 0.6 else chance.choice(ODD))
        for name in names
    ]


def _filled(template: str, known: Known, chance: random.Random) -> str:
    """An address with something in the place of each part."""

    def fill(found: re.Match[str]) -> str:
        name, _, kind = found[1].partition(":")
        if kind == "int":
            return chance.choice(("1", "2", "3", "0", "99", "9" * 25, "-1", "x"))
        if name == "key" and chance.random() < 0.7:
            return page_key(chance.choice(known.page_ids))
        if name == "id" and chance.random() < 0.5:
            return chance.choice(known.decisions)
        return quote(chance.choice(ODD), safe="", errors="surrogatepass")

    return re.sub(r"\{([^}]+)\}", fill, template)


def _page(chance: random.Random) -> bytes:
    from PIL import Image

    target = io.BytesIO()
    noise = Image.effect_noise((200, 150), 90)
    noise.save(target, chance.choice(("PNG", "JPEG", "TIFF")))
    return target.getvalue()
