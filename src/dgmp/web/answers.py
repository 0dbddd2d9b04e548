"""From a request to a view and from what it found to an answer: HTML, JSON or a file.

A view runs in a thread of its own and may take its time. An error that a user can put right is a
page with one sentence, or an object with ``error`` where JSON was asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.templating import Jinja2Templates

from .. import __version__
from ..errors import DecisionConflict, DgmpError, MissingExtra
from . import urls, wording
from .asking import Ask
from .security import csrf_token
from .store import Store
from .views import search, words
from .views.files import File

Endpoint = Callable[[Request], Awaitable[Response]]
View = Callable[[Store, Ask], dict[str, Any]]

PERSON = "dgmp_person"
_YEAR = 365 * 24 * 3600
_MOST_FIELDS = 20_000
NAVIGATION = (
    ("Hands", urls.HANDS),
    ("Review", urls.REVIEW),
    ("Map", urls.MAP),
    ("Search", urls.SEARCH),
    ("Words", urls.WORDS),
    ("Decisions", urls.DECISIONS),
    ("Jobs", urls.JOBS),
)

_templates = Jinja2Templates(
    env=Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
)
_log = logging.getLogger(__name__)


def shown(name: str, view: View) -> Endpoint:
    """The page of a view."""

    @_careful
    async def answer(request: Request) -> Response:
        found = await run_in_threadpool(view, _store(request), _ask(request))
        frame = await run_in_threadpool(_frame, request)
        return _templates.TemplateResponse(request, f"{name}.html", frame | found)

    return answer


def as_json(view: View) -> Endpoint:
    """The JSON twin of a view."""

    @_careful
    async def answer(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(view, _store(request), _ask(request)))

    return answer


def done(action: View, *, json: bool = False) -> Endpoint:
    """An action: then on to another page, or what was done as JSON."""

    @_careful
    async def answer(request: Request) -> Response:
        async with request.form(max_fields=_MOST_FIELDS, max_files=1) as form:
            ask = Ask(request.path_params, request.query_params, form, _person(request))
            found = await run_in_threadpool(action, _store(request), ask)
        response: Response
        response = JSONResponse(found) if json else RedirectResponse(found["next"], 303)
        if "person" in found:
            response.set_cookie(
                PERSON,
                found["person"].encode().hex(),  # a cookie may not hold every letter
                max_age=_YEAR,
                httponly=True,
                samesite="strict",
            )
        return response

    return answer


def sent(file: Callable[[Store, Ask], File]) -> Endpoint:
    """A file."""

    @_careful
    async def answer(request: Request) -> Response:
        found = await run_in_threadpool(file, _store(request), _ask(request))
        return Response(found.content, media_type=found.kind, headers=dict(found.headers))

    return answer


def _careful(answer: Endpoint) -> Endpoint:
    """Answer every error here: what gets out of the application is answered without its guard."""

    async def careful(request: Request) -> Response:
        try:
            return await answer(request)
        except Exception as error:
            return await refused(request, error)

    return careful


async def refused(request: Request, error: Exception) -> Response:
    """What was wrong, in one sentence."""
    if isinstance(error, HTTPException):
        status, sentence = error.status_code, _SENTENCES.get(error.status_code, error.detail)
    elif isinstance(error, DgmpError):
        status = getattr(error, "status", 409 if isinstance(error, DecisionConflict) else 400)
        status = 501 if isinstance(error, MissingExtra) else status
        sentence = " ".join(str(error).split())
    else:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
        status, sentence = 500, "something went wrong here; the terminal of dgmp view says what"
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": sentence, "status": status}, status)
    frame = await run_in_threadpool(_frame, request)
    template = "error.html"
    frame |= {"sentence": sentence, "status": status}
    if request.url.path in _FORMS and status < 500:  # to be asked again, better
        template, form, field = _FORMS[request.url.path]
        asked = request.query_params.get(field, "")
        frame |= await run_in_threadpool(form, _store(request), asked, sentence)
    return _templates.TemplateResponse(request, template, frame, status_code=status)


_FORMS = {
    urls.SEARCH: ("search.html", search.form, "page"),
    urls.WORDS: ("words.html", words.form, "word"),
}
_SENTENCES = {404: "there is nothing at this address", 405: "this address is not for looking at"}


def _frame(request: Request) -> dict[str, Any]:
    """What every page shows around what a view found."""
    store, here = _store(request), request.url.path
    query = request.url.query
    done = request.query_params.get("done", "")
    decision = next((d for d in store.history() if d.id == done), None) if done else None
    bare = request.headers.get("HX-Request") == "true"
    return {
        "layout": "bare.html" if bare else "base.html",
        "bare": bare,
        "catalogue": store.folder.resolve().name,
        "navigation": [
            {"name": name, "address": address, "here": here.startswith(address), "key": str(key)}
            for key, (name, address) in enumerate(NAVIGATION, 1)
        ],
        "here": f"{here}?{query}" if query else here,
        "twin": urls.twin(f"{here}?{query}" if query else here),
        "csrf": csrf_token(request),
        "read_only": store.read_only,
        "person": _person(request),
        "person_address": urls.PERSON,
        "at": urls.FIXED,
        "static": lambda name: urls.static(name, __version__),
        "done": None
        if decision is None
        else {"sentence": wording.decided(decision), "undo": urls.undo(decision.id)},
    }


def _ask(request: Request) -> Ask:
    return Ask(request.path_params, request.query_params, person=_person(request))


def _person(request: Request) -> str:
    try:
        return bytes.fromhex(request.cookies.get(PERSON, "")).decode()
    except ValueError:
        return ""


def _store(request: Request) -> Store:
    return request.app.state.store
