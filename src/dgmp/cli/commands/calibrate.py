"""``dgmp calibrate``: what the cosines of a run say about hands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..options import AsJson, CorpusOptions, Workers, print_json, say_left_out, takes_corpus


@takes_corpus
def calibrate(
    run: Annotated[Path, Argument(help="The folder of a run of dgmp train or dgmp learn.")],
    corpus: Annotated[Path, Argument(help="Pages by known writers: a folder or a label file.")],
    options: CorpusOptions,
    split: Annotated[
        str | None,
        Option(help="Only this split; by default all pages but test and those learned from."),
    ] = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Learn from pages by known writers how alike RUN finds pages by one hand."""
    from ...engines import engine_for
    from ...tasks import calibrate as calibrate_run
    from ..progress import page_bars

    opened = options.open_and_say(corpus)
    with page_bars() as stage:
        done = calibrate_run(run, opened, split=split, engine=engine_for(workers), stage=stage)
    say_left_out(done.failures)
    if as_json:
        print_json({"file": str(done.path), "pages": done.pages, "writers": done.writers})
    else:
        print(done)
