"""``dgmp describe``: a folder of scans into a catalogue, or into a file of descriptors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from .options import AsJson, Kind, Labels, Variant


def describe(
    folder: Annotated[Path, Argument(help="A folder of scans, a label file, or one picture.")],
    catalogue: Annotated[
        Path | None, Option(metavar="DIR", help="The catalogue, new or to go on with.")
    ] = None,
    describer: Annotated[
        str, Option(metavar="NAME_OR_RUN", help="What describes the pages.")
    ] = "default",
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Write a file of descriptors instead, .npz.")
    ] = None,
    split: Annotated[str | None, Option(help="Only this side, such as train or test.")] = None,
    kind: Kind = None,
    labels: Labels = None,
    variant: Variant = None,
    workers: Annotated[
        int | None,
        Option(min=0, help="Processes that describe; 0: this one. By default all cores."),
    ] = None,
    forget: Annotated[bool, Option("--forget", help="Take out pages whose file is gone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Describe the new and changed pages of FOLDER."""
    import json
    import os
    import sys

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from dgmp.corpora import open_corpus
    from dgmp.describe import (
        catalogue_pages,
        describe_pages,
        load_describer,
        open_or_create,
        save_descriptors,
    )
    from dgmp.errors import CorpusError, ImageError
    from dgmp.records import Page

    if (catalogue is None) == (out is None):
        raise BadParameter("give either --catalogue DIR or --out FILE")
    corpus = open_corpus(folder, kind=kind, labels=labels, variant=variant)
    pages = corpus.pages if split is None else corpus.side(split)
    chosen = load_describer(describer)
    processes = (os.cpu_count() or 1) if workers is None else workers

    console = Console(stderr=True)
    columns = (TextColumn("pages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("pages", total=len(pages))

        def tell(page: Page, error: ImageError | None) -> None:
            bar.advance(task)
            if error is not None:
                print(f"left out: {error}", file=sys.stderr)

        if out is not None:
            found = describe_pages(
                pages, chosen, workers=processes, progress=lambda done: bar.advance(task, done)
            )
            save_descriptors(found.descriptors, out)
            broken = found.failures
            summary = f"{out}: {len(found.pages)} pages, {chosen.dim} entries each"
        else:
            assert catalogue is not None
            opened = open_or_create(catalogue, describer, chosen)
            done = catalogue_pages(
                pages,
                chosen,
                opened,
                workers=processes,
                forget=forget,
                begin=lambda changes: bar.update(task, total=len(changes.to_describe)),
                progress=tell,
            )
            broken = done.failures
            gone = done.changes.vanished
            for id in gone:
                what = "taken out" if forget else "still in the catalogue; --forget takes it out"
                print(f"no longer there as it was described: {id} ({what})", file=sys.stderr)
            summary = (
                f"{catalogue}: {len(opened)} pages, {done.described} described now "
                f"({len(done.changes.changed)} of them changed), {len(gone)} vanished"
            )
            if not len(opened):
                raise CorpusError(f"{folder}: none of {len(pages)} pages could be described")
    left_out = [*broken, *((file, reason) for file, reason in corpus.left_out)]
    if as_json:
        place = {"catalogue": str(catalogue)} if out is None else {"file": str(out)}
        number = len(opened) if out is None else len(found.pages)
        told = {
            **place,
            "pages": number,
            "entries": chosen.dim,
            "left_out": dict(left_out),
        }
        print(json.dumps(told, ensure_ascii=False))
        return
    if left_out:
        print(f"{len(left_out)} left out:")
        for file, reason in left_out:
            print(f"  {file}: {reason}")
    print(summary)
