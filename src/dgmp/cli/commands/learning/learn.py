"""``dgmp learn``: a describer from a folder of scans, without labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from ...options import AsJson, CorpusOptions, Device, Scans, Workers, print_json, takes_corpus


@takes_corpus
def learn(
    scans: Scans,
    out: Annotated[Path, Option(help="Folder of the run; one that was stopped goes on.")],
    options: CorpusOptions,
    pooling: Annotated[
        str | None, Option(help="At the end of the network: gmp (default), avg, or another.")
    ] = None,
    steps: Annotated[
        int | None, Option(min=1, help="Training steps of the network, 7500 by default.")
    ] = None,
    change: Annotated[
        list[str] | None,
        Option("--set", help="Change a value: clusters=500, training.model.stem_stride=1."),
    ] = None,
    seed: Annotated[int, Option(min=0, help="Same seed, same run.")] = 0,
    device: Device = "auto",
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Learn a describer from the pages of SCANS without labels, or go on with a stopped run."""
    from ....engines import engine_for
    from ....training import Learning, override
    from ....training import learn as learn_run
    from ...progress import stages

    learning = Learning()
    if pooling is not None:
        learning = learning.with_pooling(pooling)
    if steps is not None:
        learning = learning.with_steps(steps)
    learning = override(learning, change or [])
    corpus = options.open_and_say(scans)
    with stages(min(len(corpus), learning.pages)) as (announce, watch, prepared):
        run = learn_run(
            corpus,
            out,
            learning,
            seed=seed,
            device=device,
            engine=engine_for(workers),
            announce=announce,
            watch=watch,
            prepared=prepared,
        )
    if as_json:
        print_json({"run": str(run.folder), **run.metrics()[-1]})
    else:
        print(run.folder)
