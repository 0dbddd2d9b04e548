"""``dgmp search``: the pages of a catalogue that are most like a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option


def search(
    catalogue: Annotated[Path, Argument(help="What dgmp describe --catalogue made.")],
    page: Annotated[
        str, Argument(metavar="PAGE_OR_FILE", help="A page of the catalogue, or any picture.")
    ],
    number: Annotated[int, Option("-n", min=1, help="Pages to list.")] = 10,
    as_json: Annotated[bool, Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """List the pages most like PAGE_OR_FILE, nearest first."""
    import json
    import sys
    from dataclasses import asdict

    from dgmp.catalogue import Catalogue
    from dgmp.errors import CatalogueError

    opened = Catalogue.open(catalogue)
    known = opened.find(page)
    if known is not None:
        vector = opened.vector(known)
    elif Path(page).is_file():
        from dgmp.describe import describe_query, load_describer

        vector = describe_query(Path(page), load_describer(opened.head.describer), opened)
    else:
        raise CatalogueError(f"{page}: is no page of {catalogue}, and there is no such file")
    hits = opened.search(vector, number, leave_out=known)
    if as_json:
        for hit in hits:
            print(json.dumps(asdict(hit), ensure_ascii=False))
        return
    if opened.calibration is None:
        print("the describer is not calibrated: cosines only", file=sys.stderr)
    print("rank  cosine  same hand  page")
    for rank, hit in enumerate(hits, start=1):
        sure = "–" if hit.probability is None else f"{hit.probability:.0%}"
        writer = "" if hit.writer is None else f"  ({hit.writer})"
        print(f"{rank:4}  {hit.cosine:6.3f}  {sure:>9}  {hit.page_id}{writer}")
