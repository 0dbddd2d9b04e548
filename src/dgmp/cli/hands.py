"""``dgmp hands``: the pages of a catalogue grouped into hands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option


def hands(
    catalogue: Annotated[Path, Argument(help="What dgmp describe --catalogue made.")],
    out: Annotated[
        Path | None, Option(metavar="FILE", help="A table with a row per page, .csv or .json.")
    ] = None,
    sheet: Annotated[
        Path | None, Option(metavar="FILE", help="A picture of the hands, PNG or JPEG.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="One JSON object per line and hand.")] = False,
) -> None:
    """Group the pages of a catalogue into hands."""
    import json
    import sys

    from dgmp.catalogue import Catalogue, draw_hands, group_pages, shown_pages, write_hands
    from dgmp.errors import CatalogueError
    from dgmp.evaluation import adjusted_rand_index, bcubed

    opened = Catalogue.open(catalogue)
    calibration = opened.calibration
    if calibration is None:
        raise CatalogueError(
            f"{catalogue}: its describer {opened.head.describer!r} is not calibrated, so nothing "
            "says how alike pages by one hand are; calibrate it by dgmp calibrate on pages by "
            "known writers and run dgmp describe again, or use the describer 'default'"
        )
    descriptors = opened.descriptors()
    found = group_pages(descriptors, calibration)
    if out is not None:
        write_hands(found, opened.paths(), out)
    if sheet is not None:
        shown = [id for _, ids in shown_pages(found) for id in ids]
        draw_hands(found, opened.thumbnails(shown), sheet)
    if as_json:
        for hand in found:
            print(json.dumps(hand.as_dict(), ensure_ascii=False))
    else:
        print("hand  pages  confidence  nearest  the page most like the others")
        for hand in found:
            near = "–" if hand.nearest is None else str(hand.nearest)
            sizes = f"{hand.number:4}  {len(hand.page_ids):5}  {hand.confidence:10.0%}  {near:>7}"
            print(f"{sizes}  {hand.page_ids[0]}")
    alone = sum(len(hand.page_ids) == 1 for hand in found)
    pages = len(descriptors.page_ids)
    print(f"{pages} pages by {len(found)} hands, {alone} of one page", file=sys.stderr)
    if descriptors.labels is not None and found:
        group = {id: hand.number for hand in found for id in hand.page_ids}
        groups = [group[id] for id in descriptors.page_ids]
        rand = adjusted_rand_index(descriptors.labels, groups)
        scores = bcubed(descriptors.labels, groups)
        print(
            f"the writers are known, {len(set(descriptors.labels))}: adjusted Rand index "
            f"{rand:.3f}, B-cubed F {scores.f:.3f} "
            f"(precision {scores.precision:.3f}, recall {scores.recall:.3f})",
            file=sys.stderr,
        )
