"""The program ``dgmp``: its commands, and how it ends.

Results go to stdout, all else to stderr. Exit 0: done; 1: could not, with one line that says why;
2: wrong usage. A bug ends in one line as well, which says where the full report lies. Nothing
heavy is imported before a command runs, so that help is quick.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import DgmpError
from ..files import readable
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
    """Whatever goes wrong is printed in one line; of a bug a report is written for its finder."""

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
            raise _ended(str(error)) from error
        except MemoryError as error:
            raise _ended("memory ran out; try fewer workers, or smaller pictures") from error
        except BrokenPipeError:
            raise  # who read the results has enough of them
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or error.filename:
                where = "" if error.filename is None else f"{os.fspath(error.filename)}: "
                raise _ended(f"{where}{error.strerror or error}") from error
            # What was not written would be tried again, and complained about, at the very end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise _ended(f"results cannot be written: {error.strerror}") from error
        except ModuleNotFoundError as error:
            missing = missing_extra(error.name or "")
            if missing is None:
                raise _bug(error) from error
            raise _ended(str(missing)) from error
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "exit_code"):  # wrong usage
                raise
            raise _bug(error) from error
        return found


def _ended(why: str) -> typer.Exit:
    """Say in one line why nothing more can be done."""
    typer.echo(f"dgmp: {readable(' '.join(why.split()))}", err=True)
    return typer.Exit(1)


def _bug(error: Exception) -> typer.Exit:
    """Write down what is needed to find a bug, and say where."""
    report = "".join(traceback.format_exception(error))
    text = f"dgmp {__version__}, Python {sys.version}\n{sys.argv}\n\n{report}"
    words = f"{type(error).__name__}: {error}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="dgmp-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            file.write(text)
    except OSError:
        return _ended(f"a bug of dgmp, please report it: {words}")
    return _ended(f"a bug of dgmp, please report it with the file {file.name}: {words[:500]}")


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
