"""``dgmp view``: a catalogue in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from typer import Option

from ..options import CataloguePlace, say


def view(
    catalogue: CataloguePlace,
    host: Annotated[
        str,
        Option(metavar="NAME", help="Let others in, with a token: a name or address of this host."),
    ] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="The port; 0: any that is free.")] = 8000,
    read_only: Annotated[bool, Option("--read-only", help="Show, and take no decisions.")] = False,
    model: Annotated[
        Path | None,
        Option(
            metavar="RUN",
            help="Look for words with the model in this folder of dgmp train words; default: that "
            "with which dgmp spot looked at the pages, or what comes with dgmp[pages].",
        ),
    ] = None,
) -> None:
    """Look at hands, compare and decide in the browser."""
    from ...web import serve

    def ready(address: str) -> None:
        print(address, flush=True)
        say("Ctrl-C ends it")
        if _has_screen():
            import webbrowser

            webbrowser.open(address)

    def renewed(address: str) -> None:
        say(f"somebody came in; the address for the next: {address}")

    serve(
        catalogue,
        host=host,
        port=port,
        read_only=read_only,
        model=model,
        ready=ready,
        renewed=renewed,
    )


def _has_screen() -> bool:
    """Whether a person is there to see a browser open."""
    shown = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    return shown and sys.stdout.isatty()
