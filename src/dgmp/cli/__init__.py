"""The command line: one file per command, which parses, calls and prints."""

from __future__ import annotations

import sys

import typer

from dgmp.errors import DgmpError

from .synth import synth

app = typer.Typer(no_args_is_help=True, add_completion=False)
app.command()(synth)


@app.callback()
def _about() -> None:
    """Deep generalized max pooling, and what it does for manuscripts."""


def main() -> None:
    """Run a command; what a user can put right is said in one line."""
    try:
        app()
    except DgmpError as error:
        print(f"dgmp: {error}", file=sys.stderr)
        sys.exit(1)
