"""``dgmp search``: the pages of a catalogue that are most like a page."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from ..options import AsJsonLines, CataloguePlace, print_json, say


def search(
    catalogue: CataloguePlace,
    page: Annotated[
        str, Argument(metavar="PAGE_OR_FILE", help="A page of the catalogue, or any picture.")
    ],
    number: Annotated[int, Option("-n", min=1, help="Pages to list.")] = 10,
    as_json: AsJsonLines = False,
) -> None:
    """List the pages most like PAGE_OR_FILE, the most alike first."""
    import warnings
    from dataclasses import asdict

    from ...catalogue import Catalogue
    from ...tasks import search as search_pages

    opened = Catalogue.open(catalogue)
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", UserWarning)
        hits = search_pages(opened, page, number)
    for note in noted:
        say(f"note: {note.message}")
    if as_json:
        for hit in hits:
            print_json(asdict(hit))
        return
    if not hits:
        say("the catalogue holds no other page")
        return
    judged = all(hit.likeness is not None for hit in hits)
    if not judged:
        say("the describer is not calibrated, or by an earlier version of dgmp: cosines only")
    if any(not hit.enough_writing for hit in hits):
        say("too little: a page has too little writing to say whether it is by the same hand")
    print(f"rank  {'likeness' if judged else '  cosine'}   same hand  page")
    for rank, hit in enumerate(hits, start=1):
        sure = "–" if hit.probability is None else f"{hit.probability:.0%}"
        if not hit.enough_writing:
            sure = "too little"
        writer = "" if hit.writer is None else f"  ({hit.writer})"
        alike = hit.cosine if hit.likeness is None else hit.likeness
        print(f"{rank:4}  {alike:8.3f}  {sure:>10}  {hit.page_id}{writer}")
