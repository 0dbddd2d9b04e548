"""The command line: one file per command, each parses, calls the library and prints.

Results go to stdout, all else to stderr. Exit 0: done; 1: could not, with one line that says why;
2: wrong usage. Nothing heavy is imported before a command runs, so that help is quick.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import DgmpError
from .calibrate import calibrate
from .classify import classify
from .corpus import corpus
from .demo import demo
from .describe import describe
from .evaluate import evaluate
from .explain import explain
from .export import export
from .hands import hands
from .learn import learn
from .reproduce import reproduce
from .search import search
from .synth import synth
from .train import train

# Modules that an extra brings.
_LEARNING = ("cv2", "lightning_fabric", "matplotlib", "pytorch_metric_learning", "rich")


class _OneLineErrors(TyperGroup):
    """What a user can put right is told in one line; anything else is a bug and shows itself."""

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
            if (error.name or "").partition(".")[0] not in _LEARNING:
                raise
            typer.echo(
                f"dgmp: this needs {error.name}, which is not installed: "
                "pip install 'dgmp[learning]'",
                err=True,
            )
            raise typer.Exit(1) from error
        return found


app = typer.Typer(
    cls=_OneLineErrors,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dgmp {__version__}")
        raise typer.Exit


@app.callback()
def _dgmp(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which it is."),
    ] = False,
) -> None:
    """Deep generalized max pooling, and what it does for manuscripts."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # ρ on a terminal without Greek becomes a ?
            stream.reconfigure(errors="replace")


# In the order of the work.
for command in (
    synth,
    corpus,
    train,
    learn,
    calibrate,
    evaluate,
    describe,
    search,
    hands,
    classify,
    explain,
    export,
    reproduce,
    demo,
):
    app.command()(command)


def main() -> None:
    """Run the command line on the arguments of the process."""
    app()


__all__ = ["app", "main"]
