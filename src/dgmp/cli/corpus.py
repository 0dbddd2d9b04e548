"""`dgmp corpus`: what a folder of scans holds, and what of it cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from .options import Kind, Labels, Variant


def corpus(
    path: Annotated[Path, Argument(help="A folder of scans, a label file, or one picture.")],
    kind: Kind = None,
    labels: Labels = None,
    variant: Variant = None,
    out: Annotated[Path, Option(help="Where the contact sheet goes, PNG or JPEG.")] = Path(
        "contact.png"
    ),
    headers_only: Annotated[
        bool, Option("--headers-only", help="Do not decode pages to find broken and blank ones.")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show the writers, scripts, splits and sizes of a corpus, and every file left out."""
    import json
    import sys

    from dgmp.corpora import draw_contact_sheet, open_corpus, survey_corpus

    opened = open_corpus(path, kind=kind, labels=labels, variant=variant)
    found = survey_corpus(opened, decode=not headers_only)
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False))
    else:
        print(found.table())
    draw_contact_sheet(found.corpus.pages, out)
    print(f"contact sheet: {out}", file=sys.stderr)
