"""``dgmp describe``: a folder of scans into a catalogue, or into a file of descriptors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import BadParameter, Option

from ..options import (
    AsJson,
    CorpusOptions,
    Dpi,
    LineDistance,
    Scans,
    Split,
    print_json,
    say,
    takes_corpus,
)


@takes_corpus
def describe(
    scans: Scans,
    options: CorpusOptions,
    catalogue: Annotated[
        Path | None, Option(metavar="DIR", help="The catalogue, new or to go on with.")
    ] = None,
    describer: Annotated[
        str, Option(metavar="NAME_OR_RUN", help="What describes the pages.")
    ] = "default",
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Write a file of descriptors instead, .npz.")
    ] = None,
    by: Annotated[
        str | None,
        Option(
            metavar="PART",
            help="What is described: page, region (of ALTO or PAGE files) or band (a few lines). "
            "By default as the catalogue was begun, a new one by page.",
        ),
    ] = None,
    split: Split = None,
    dpi: Dpi = None,
    line_distance: LineDistance = None,
    workers: Annotated[
        int | None,
        Option(min=0, help="Processes that describe; 0: this one. By default all cores."),
    ] = None,
    forget: Annotated[bool, Option("--forget", help="Take out pages whose file is gone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Describe the new and changed pages of SCANS."""
    from ... import tasks
    from ...engines import cores, engine_for
    from ..progress import page_bars

    if (catalogue is None) == (out is None):
        raise BadParameter("give either --catalogue DIR or --out FILE")
    if out is not None and forget:
        raise BadParameter("--forget goes with --catalogue")
    if dpi is not None and line_distance is not None:
        raise BadParameter("give --dpi or --line-distance: the second says all")
    corpus = options.open(scans)
    engine = engine_for(cores() if workers is None else workers)
    done: tasks.Catalogued | tasks.DescriptorFile
    with page_bars() as stage:
        if out is not None:
            done = made = tasks.describe_to_file(
                corpus,
                out,
                describer=describer,
                by=by or "page",
                split=split,
                dpi=dpi,
                line_distance=line_distance,
                engine=engine,
                stage=stage,
            )
            answer = {"file": str(out), "pages": made.pages, "entries": made.entries}
        else:
            assert catalogue is not None
            done = found = tasks.describe(
                corpus,
                catalogue,
                describer=describer,
                by=by,
                split=split,
                forget=forget,
                dpi=dpi,
                line_distance=line_distance,
                engine=engine,
                stage=stage,
                on_failure=lambda error: say(f"left out: {error}"),
            )
            for id in found.changes.vanished:
                what = "taken out" if forget else "still in the catalogue; --forget takes it out"
                say(f"no longer there as it was described: {id} ({what})")
            into = found.catalogue
            answer = {"catalogue": str(catalogue), "pages": len(into), "entries": into.head.dim}
    if as_json:
        print_json(answer | {"left_out": dict(done.left_out)})
        return
    if done.left_out:
        print(f"{len(done.left_out)} left out:")
        for file, reason in done.left_out:
            print(f"  {file}: {reason}")
    print(done)
