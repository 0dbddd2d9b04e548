"""``dgmp demo``: what poolings keep of a rare pattern."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import DgmpError


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture; made if need be.")] = Path(
        "demo"
    ),
) -> None:
    """Show on made-up pages what each pooling keeps of a rare pattern: tables and a picture."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DgmpError(f"cannot use --out {out} as a folder: {error.strerror}") from error
    if not os.access(out, os.W_OK):
        raise DgmpError(f"cannot write to the folder --out {out}")

    from ..experiments import LEGEND, draw_planted, planted_tables, render_table

    typer.echo("Pooling made-up pages, some ten seconds ...", err=True)
    tables = planted_tables()
    for table in tables:
        typer.echo(render_table(table) + "\n")
    typer.echo(LEGEND + "\n")
    picture = out / "planted.png"
    draw_planted(tables[0], picture)
    typer.echo(f"Picture of the first table: {picture}")
