"""``dgmp spot``: the places on unread pages where a word stands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..options import AsJsonLines, print_json, say_left_out


def spot(
    place: Annotated[
        Path, Argument(metavar="CATALOGUE_OR_FOLDER", help="A catalogue, or a folder of scans.")
    ],
    word: Annotated[str | None, Argument(help="The word to find.")] = None,
    *,
    model: Annotated[
        str, Option(help="The folder of dgmp train words; default: what comes with dgmp[pages].")
    ] = "default",
    example: Annotated[
        str | None, Option(help="Find what looks like this instead: page.jpg#xywh=x,y,w,h.")
    ] = None,
    number: Annotated[int, Option("-n", min=1, help="Places to list.")] = 20,
    sheet: Annotated[
        Path | None, Option(help="A picture of the places, each framed on its page.")
    ] = None,
    index: Annotated[
        Path | None,
        Option(help="Where what was seen of the pages is kept: CATALOGUE/words or FOLDER.words."),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List the places that look most like WORD, or like an example, best first."""
    from dataclasses import asdict

    from ...files import check_place
    from ...pixels import drawn_kind
    from ...spotting import draw_hits
    from ...tasks import spot as spot_word
    from ..progress import page_bars

    if sheet is not None:
        drawn_kind(sheet)
        check_place(sheet)
    with page_bars() as stages:
        found = spot_word(
            place,
            word,
            model=model,
            example=example,
            number=number,
            index=index,
            stages=stages,
        )
    say_left_out(found.left_out)
    if sheet is not None:
        pages = list(found.index.pages.values())
        draw_hits(found.hits, pages, sheet, f"{word or example}")
    if as_json:
        for hit in found.hits:
            print_json(asdict(hit))
        return
    print("rank  likeness  x,y,w,h              page")
    for rank, hit in enumerate(found.hits, start=1):
        left, top, right, bottom = hit.box
        where = f"{left},{top},{right - left},{bottom - top}"
        print(f"{rank:4}  {hit.likeness:8.3f}  {where:20} {hit.page_id}")
