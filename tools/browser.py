"""A real browser and a server for it, for the tests of the page and the figures of the docs."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MISSING = "no Chromium is installed; Debian has one: apt-get install chromium (or: make browser)"


def find_browser() -> str | None:
    """The path of Chromium or Chrome, if one is installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched(path: str) -> Iterator[Any]:
    """A browser without a window, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def served(catalogue: Path) -> Iterator[str]:
    """The address of a server for a catalogue."""
    import uvicorn

    from dgmp.web import create_app
    from dgmp.web.security import allowed_hosts

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # who asks before the server is up waits
        port = listener.getsockname()[1]
        app = create_app(catalogue, hosts=allowed_hosts("127.0.0.1", port))
        # A page that a failed test left open must not keep the server.
        config = uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
