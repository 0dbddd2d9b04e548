"""``dgmp synth``: synthetic handwriting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option


def synth(
    folder: Annotated[
        Path, Argument(metavar="DIR", help="Folder to write, new or taken up again.")
    ],
    writers: Annotated[int, Option(min=1, help="Number of writers.")] = 100,
    pages: Annotated[int, Option(min=1, help="Pages by each writer.")] = 5,
    seed: Annotated[int, Option(min=0, help="Same seed, same corpus, bit for bit.")] = 1,
    scripts: Annotated[
        bool, Option("--scripts", help="Write the twelve script types in turn and label them.")
    ] = False,
    workers: Annotated[int, Option(min=1, help="Processes that draw.")] = 1,
) -> None:
    """Write a corpus of synthetic handwriting into DIR."""
    from ...engines import engine_for
    from ...synthetic import synthesize
    from ..progress import page_bar

    with page_bar("writing pages", writers * pages) as done:
        table = synthesize(
            folder,
            writers=writers,
            pages=pages,
            seed=seed,
            scripts=scripts,
            engine=engine_for(workers if workers > 1 else 0),
            progress=done,
        )
    print(f"{table}: {writers * pages} pages by {writers} writers")
