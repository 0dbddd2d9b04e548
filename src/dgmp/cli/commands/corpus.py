"""`dgmp corpus`: what a folder of scans holds, and what of it cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from ..options import AsJson, CorpusOptions, Scans, print_json, say, takes_corpus


@takes_corpus
def corpus(
    scans: Scans,
    options: CorpusOptions,
    out: Annotated[
        Path | None,
        Option(
            help="Where the contact sheet goes, PNG or JPEG. By default contact.png, with "
            "--regions none."
        ),
    ] = None,
    regions: Annotated[
        Path | None,
        Option(help="A sheet of where the writing was found on each picture, PNG or JPEG."),
    ] = None,
    headers_only: Annotated[
        bool, Option("--headers-only", help="Do not decode pages to find broken and blank ones.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the writers, scripts, splits and sizes of a corpus, and every file left out."""
    from ...tasks import survey
    from ..progress import page_bars

    if out is None and regions is None:
        out = Path("contact.png")
    with page_bars() as stage:
        found = survey(
            options.open(scans), sheet=out, regions=regions, decode=not headers_only, stage=stage
        )
    if as_json:
        print_json(found.as_dict())
    else:
        print(found.table())
    found.corpus.check_usable()
    if out is not None:
        say(f"contact sheet: {out}")
    if regions is not None:
        say(f"where the writing was found: {regions}")
