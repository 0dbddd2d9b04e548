"""The whole application, ready for a server or a test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ..storage import AnyPath
from . import answers, urls
from .images import image_routes
from .keys import page_id
from .security import Guard, allowed_hosts
from .store import Store

# POST here changes nothing of the catalogue, so that it may be only for reading.
ASKING = frozenset(f"{path}{twin}" for path in (urls.SEARCH, urls.PERSON) for twin in ("", ".json"))


def create_app(
    catalogue: AnyPath | str,
    *,
    hosts: frozenset[str] | None = None,
    token: str | None = None,
    read_only: bool = False,
    model: Path | str | None = None,
    renewed: Callable[[str], None] | None = None,
) -> Starlette:
    """The page in the browser for one catalogue, behind its guard (see ``security.py``).

    ``model`` is the folder of a word model, to find words with; without it, that which made the
    index of words in the catalogue is used.
    """
    store = Store(catalogue, read_only=read_only, model=model)
    routes: list[BaseRoute] = [Route(urls.START, _start), Route(urls.HAND_OF, _hand_of)]
    for path, name in urls.FILES.items():
        routes.append(Route(path, answers.sent(_found(name))))
    for path, name in urls.ACTIONS.items():
        action = _found(name)
        routes.append(Route(path, answers.done(action), methods=["POST"]))
        routes.append(Route(f"{path}.json", answers.done(action, json=True), methods=["POST"]))
    for name, path in urls.VIEWS.items():
        view = _found(f"{name}.{name}")
        routes.append(Route(f"{path}.json", answers.as_json(view)))
        routes.append(Route(path, answers.shown(name, view)))
    routes += image_routes(lambda key: store.page(page_id(key)), store.scans)
    static = StaticFiles(directory=Path(__file__).with_name("static"))
    routes.append(Mount("/static", static))
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(
                Guard,
                hosts=allowed_hosts("127.0.0.1", 80) if hosts is None else hosts,
                token=token,
                read_only=read_only,
                asking=ASKING,
                renewed=renewed,
            )
        ],
        lifespan=_lifespan,
        exception_handlers={HTTPException: answers.refused},
    )
    app.state.store = store
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    yield
    app.state.store.close()


async def _start(request: Request) -> Response:
    return RedirectResponse(urls.HANDS)


def _hand_of(request: Request) -> Response:
    number = request.app.state.store.number_of(page_id(request.path_params["key"]))
    return RedirectResponse(urls.HANDS if number is None else urls.hand(number))


def _found(name: str) -> Any:
    file, _, function = name.partition(".")
    return getattr(import_module(f".views.{file}", __package__), function)
