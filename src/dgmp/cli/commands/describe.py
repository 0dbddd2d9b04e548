"""``dgmp describe``: a folder of scans into a catalogue, or into a file of descriptors."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

from typer import BadParameter, Option

from ...errors import ImageError
from ..options import (
    AsJson,
    CorpusOptions,
    Dpi,
    EngineName,
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
        str | None,
        Option(
            metavar="DIR",
            help="The catalogue, new or to go on with: a folder, or an address as "
            "s3://bucket/folder.",
        ),
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
    engine: EngineName = "processes",
    workers: Annotated[
        int | None,
        Option(
            "--workers",
            "--cpus",
            min=0,
            help="Processes that describe, each on one CPU; 0: this one. By default all cores of "
            "this machine, or all CPUs of the cluster.",
        ),
    ] = None,
    forget: Annotated[bool, Option("--forget", help="Take out pages whose file is gone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Describe the new and changed pages of SCANS."""
    from ... import tasks
    from ...engines import engine_for
    from ..progress import page_bars

    if (catalogue is None) == (out is None):
        raise BadParameter("give either --catalogue DIR or --out FILE")
    if out is not None and forget:
        raise BadParameter("--forget goes with --catalogue")
    if dpi is not None and line_distance is not None:
        raise BadParameter("give --dpi or --line-distance: the second says all")
    corpus = options.open(scans)
    where = engine_for(workers, engine)
    done: tasks.Catalogued | tasks.DescriptorFile
    said: set[str] = set()  # what was named as soon as it was left out

    def say_left_out(error: ImageError) -> None:
        said.add(str(error))
        say(f"left out: {error}")

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
                engine=where,
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
                engine=where,
                stage=stage,
                on_failure=say_left_out,
            )
            for id in found.changes.vanished:
                what = "taken out" if forget else "still in the catalogue; --forget takes it out"
                say(f"no longer there as it was described: {id} ({what})")
            for id in found.replaced:
                say(f"no longer a page as it was described: {id} (taken out)")
            for decision in found.without_effect:
                pages = ", ".join(sorted(decision.pages))
                say(
                    f"note: decision {decision.id} ({decision.verdict}) is about a page that is no "
                    f"longer here: {pages}"
                )
            into = found.catalogue
            answer = {"catalogue": str(catalogue), "pages": len(into), "entries": into.head.dim}
    if as_json:
        print_json(answer | {"left_out": dict(done.left_out)})
        return
    # On a screen that has them already they are not repeated.
    for line in left_out_lines(done.left_out, said if sys.stdout.isatty() else set()):
        print(line)
    print(done)


def left_out_lines(left_out: Sequence[tuple[str, str]], said: Collection[str]) -> list[str]:
    """What was left out and why; but for what was said before, which is only counted."""
    lines = [f"{file}: {reason}" for file, reason in left_out]
    rest = [f"  {line}" for line in lines if line not in said]
    if not lines:
        return []
    above = f", {len(lines) - len(rest)} of them named above" if len(rest) < len(lines) else ""
    return [f"{len(lines)} left out{above}{':' if rest else ''}", *rest]
