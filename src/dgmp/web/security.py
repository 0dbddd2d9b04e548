"""Who may ask, and who may change something: a guard around the whole application.

Host     only the names under which the server is meant to be reached: a page elsewhere whose name
         is made to point to this machine (DNS rebinding) gets 421.
Entry    with a token (a server that others can reach) whoever comes needs a cookie. The address
         that was printed carries ``?token=…`` once: it sets the cookie, a random value of its
         own, and is spent; the next one is announced to who started the server.
Changes  whatever is not GET, HEAD or OPTIONS must come from a page of this server (Origin,
         Sec-Fetch-Site or Referer), and know the value that only such pages hold: field ``csrf``,
         the first of its form, or header ``X-CSRF-Token``. Read only: there are no changes.
Bodies   are bounded while they come in.
Answers  carry a Content-Security-Policy without inline script and without other places.

IIIF viewers of other places may read ``/iiif/`` (Access-Control-Allow-Origin) as long as there is
no token: what a token protects is for those who hold it. All values are compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import re
import secrets
import socket
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4 * 2**20  # of a form or of JSON: the ids of some ten thousand pages
MOST_UPLOADED = 60 * 2**20  # of a form with a picture in it
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
IMAGES = "/iiif/"  # what other places may read
_SAFE = ("GET", "HEAD", "OPTIONS")
_PEEKED = 8192  # bytes of a form within which its first field is
_IN_FORM = re.compile(rb"(?:^|&)csrf=([\w-]{1,200})(?:&|$)")
_IN_PARTS = re.compile(
    rb'--[^\r\n]{1,200}\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n([\w-]{1,200})\r\n',
    re.IGNORECASE,
)
_CSRF = "dgmp.csrf"


def csrf_token(request: Request) -> str:
    """What a form of this answer sends back as ``csrf``, and a script as ``X-CSRF-Token``."""
    return str(request.scope[_CSRF])


def new_token() -> str:
    """A random value that nobody can guess."""
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server of that host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """The Host headers of a server that listens there, as ``localhost:8000``."""
    names = {host}
    if is_loopback(host):
        names |= {"127.0.0.1", "localhost", "::1"}
    elif host in ("0.0.0.0", "::"):
        names |= _own_names()
    written = {f"[{name}]" if ":" in name else name.lower() for name in names}
    return frozenset(f"{name}:{port}" for name in written) | (written if port == 80 else set())


def own_address() -> str:
    """The address of this machine that others see, or its name."""
    return _towards(*_ELSEWHERE[0]) or socket.gethostname()


class Guard:
    """Let in what may come in; ``asking`` are addresses whose POST changes nothing."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[str],
        token: str | None = None,
        read_only: bool = False,
        asking: frozenset[str] = frozenset(),
        renewed: Callable[[str], None] | None = None,  # called with the token for the next
    ) -> None:
        self.app, self.hosts, self.token = app, hosts, token
        self.read_only, self.asking, self.renewed = read_only, asking, renewed
        self._guarded = token is not None
        self._key = secrets.token_bytes(32)
        self._admitted: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason why not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._guard(scope, receive, send)

    async def _guard(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        port = host.rpartition(":")[2] if ":" in host else "80"
        cookies = _cookies(headers)
        send = self._with_headers(scope, send)

        async def refuse(status: int, reason: str) -> None:
            await _refusal(scope, headers, status, reason)(scope, receive, send)

        if len(headers.getlist("host")) != 1 or host not in self.hosts:
            await refuse(421, "This server is not reached under that name.")
            return
        if self._guarded and not self._is_admitted(cookies.get(f"dgmp_entry_{port}", "")):
            entered = self._enter(scope, headers, port)
            if entered is None:
                reason = "Open the address that was printed when the server was started."
                await refuse(401, reason)
            else:
                await entered(scope, receive, send)
            return
        name = f"dgmp_session_{port}"
        session = cookies.get(name, "")
        if not re.fullmatch(r"[\w-]{43}", session):
            session = new_token()
            send = _with_cookie(send, _cookie(name, session))
        csrf = hmac.new(self._key, session.encode(), hashlib.sha256).hexdigest()
        scope[_CSRF] = csrf
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        receive = _bounded(
            receive, headers, MOST_UPLOADED if kind == "multipart/form-data" else MOST_BYTES
        )
        if scope["method"] not in _SAFE:
            if self.read_only and scope["path"] not in self.asking:
                await refuse(403, "This server only shows; nothing can be changed here.")
                return
            if not _same_origin(headers, f"{scope['scheme']}://{host}"):
                await refuse(403, "Changes are taken from the pages of this server only.")
                return
            try:
                given, receive = await _given_token(headers, kind, receive)
            except HTTPException as error:
                await refuse(error.status_code, error.detail)
                return
            if not hmac.compare_digest(given, csrf.encode()):
                await refuse(403, "The page is from before the server was started; load it anew.")
                return
        await self.app(scope, receive, send)

    def _is_admitted(self, given: str) -> bool:
        tried = [hmac.compare_digest(given.encode(), known.encode()) for known in self._admitted]
        return any(tried)

    def _enter(self, scope: Scope, headers: Headers, port: str) -> Response | None:
        """The answer that lets in whoever brings the token; None: the token is not right."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token", "")
        ahead = "prefetch" in headers.get("sec-purpose", headers.get("purpose", ""))
        if self.token is None or scope["method"] != "GET" or ahead:
            return None
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return None
        entry = new_token()
        self._admitted.append(entry)
        self.token = None if self.renewed is None else new_token()
        if self.renewed is not None and self.token is not None:
            self.renewed(self.token)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope.get("raw_path", b"/").decode("latin-1").lstrip("/")  # never //elsewhere
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        answer.headers["Set-Cookie"] = _cookie(f"dgmp_entry_{port}", entry)
        return answer

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        shared = scope["path"].startswith(IMAGES) and not self._guarded

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers["Cross-Origin-Resource-Policy"] = (
                    "cross-origin" if shared else "same-origin"
                )
                if shared:
                    headers["Access-Control-Allow-Origin"] = "*"
                headers.setdefault("Cache-Control", "private, no-cache")
            await send(message)

        return sent


def _refusal(scope: Scope, headers: Headers, status: int, reason: str) -> Response:
    if scope["path"].endswith(".json"):
        return JSONResponse({"error": reason}, status)
    # A strict cookie does not come with a link from elsewhere; once more from here, and it does.
    again = status == 401 and headers.get("sec-fetch-site") == "cross-site"
    refresh = '<meta http-equiv="refresh" content="0">' if again else ""
    return HTMLResponse(
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{refresh}'
        f"<title>dgmp</title></head><body><p>{html.escape(reason)}</p></body></html>",
        status,
    )


def _same_origin(headers: Headers, own: str) -> bool:
    if (origin := headers.get("origin")) is not None:
        return origin.lower() == own
    if (site := headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    try:
        came_from = urlsplit(headers.get("referer", ""))
    except ValueError:
        return False
    return f"{came_from.scheme}://{came_from.netloc}".lower() == own


async def _given_token(headers: Headers, kind: str, receive: Receive) -> tuple[bytes, Receive]:
    """The token of a change, and the body again from its beginning."""
    if (given := headers.get("x-csrf-token")) is not None:
        return given.encode("latin-1", "replace"), receive
    messages: list[Message] = []
    start = b""
    while len(start) < _PEEKED:
        message = await receive()
        messages.append(message)
        start += message.get("body", b"")[:_PEEKED]
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    in_parts = kind == "multipart/form-data"
    found = _IN_PARTS.match(start) if in_parts else _IN_FORM.search(start)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return found[1] if found else b"", again


def _bounded(receive: Receive, headers: Headers, most: int) -> Receive:
    """A body that is refused as soon as it is longer than allowed."""
    came = 0
    declared = headers.get("content-length", "0")

    async def bounded() -> Message:
        nonlocal came
        message = await receive()
        came += len(message.get("body", b""))
        if came > most or (declared.isdecimal() and int(declared[:20]) > most):
            raise HTTPException(413, f"More than {most // 2**20} MB cannot be taken.")
        return message

    return bounded


def _cookies(headers: Headers) -> dict[str, str]:
    found: SimpleCookie = SimpleCookie()
    try:
        found.load(headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in found.items()}


def _cookie(name: str, value: str) -> str:
    return f"{name}={value}; HttpOnly; SameSite=Strict; Path=/"


def _with_cookie(send: Send, cookie: str) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append("Set-Cookie", cookie)
        await send(message)

    return sent


def _own_names() -> set[str]:
    """Names and addresses of this machine."""
    known = {"127.0.0.1", "localhost", "::1", socket.gethostname(), socket.getfqdn()}
    return known | {_towards(*place) for place in _ELSEWHERE} - {""}


def _towards(family: int, place: str) -> str:
    """The address under which this machine would be seen there; empty: it has none."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((place, 9))  # sends nothing
            return str(probe.getsockname()[0])
    except OSError:
        return ""


# Addresses that belong to nobody (RFC 5737, RFC 3849).
_ELSEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
