"""``dgmp synth``: handwriting out of nothing."""

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
    from rich.console import Console
    from rich.progress import Progress

    from dgmp.errors import MissingExtra

    try:
        from dgmp.corpora.synthetic import CorpusPlan, write_corpus
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"synthetic pages need {error.name}, which is not installed: "
            "pip install 'dgmp[classical]'"
        ) from error

    plan = CorpusPlan(writers, pages, seed, scripts)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("pages", total=writers * pages)
        table = write_corpus(
            folder, plan, workers=workers, progress=lambda done: bar.advance(task, done)
        )
    print(f"{table}: {writers * pages} pages by {writers} writers")
