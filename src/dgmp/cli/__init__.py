"""The command line: one file per command, each parses, calls the library and prints."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import DgmpError
from .corpus import corpus


class _OneLineErrors(TyperGroup):
    """What a user can put right is told in one line; anything else is a bug and shows itself."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except DgmpError as error:
            typer.echo(f"dgmp: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=_OneLineErrors,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _dgmp() -> None:
    """Deep generalized max pooling, and what it does for manuscripts."""


app.command()(corpus)

__all__ = ["app"]
