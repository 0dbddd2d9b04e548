"""The program ``dgmp``: its commands, and how it ends.

Results go to stdout, all else to stderr. Exit 0: done; 1: could not, with one line that says why;
2: wrong usage. Nothing heavy is imported before a command runs, so that help is quick.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import DgmpError
from ..names import missing_extra
from ..plugins import allow

# In the order of the work; each is the function of that name in commands/NAME.py, or in one of its
# folders.
COMMANDS = (
    "synth",
    "corpus",
    "train",
    "learn",
    "calibrate",
    "evaluate",
    "describe",
    "search",
    "spot",
    "hands",
    "view",
    "classify",
    "explain",
    "export",
    "reproduce",
    "demo",
)
_FOLDERS = {"train": "learning.", "learn": "learning."}


class _OneLineErrors(TyperGroup):
    """What a user can put right is printed in one line; anything else is a bug and shows itself."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        allow(args)  # code that is named here may be imported
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        try:
            found = super().invoke(ctx)
            sys.stdout.flush()  # results that do not reach their file are no success
        except DgmpError as error:
            typer.echo(f"dgmp: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(1) from error
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            # What was not written would be tried again, and complained about, at the very end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            typer.echo(f"dgmp: results cannot be written: {error.strerror}", err=True)
            raise typer.Exit(1) from error
        except ModuleNotFoundError as error:
            missing = missing_extra(error.name or "")
            if missing is None:
                raise
            typer.echo(f"dgmp: {missing}", err=True)
            raise typer.Exit(1) from error
        return found


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dgmp {__version__}")
        raise typer.Exit


def _dgmp(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(help="Code of yours that a saved model may use, as package.module:Name."),
    ] = None,
) -> None:
    """Deep generalized max pooling, and what it does for manuscripts."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # ρ on a terminal without Greek becomes a ?
            stream.reconfigure(errors="replace")


def make_app(commands: Sequence[str] = COMMANDS) -> typer.Typer:
    """The program with these commands."""
    made = typer.Typer(
        cls=_OneLineErrors,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_dgmp)
    for name in commands:
        module = import_module(f".commands.{_FOLDERS.get(name, '')}{name}", __package__)
        made.command()(getattr(module, name))
    return made


app = make_app()


def main() -> None:
    """Run the command line on the arguments of the process."""
    app()
