"""``dgmp hands``: the pages of a catalogue grouped into hands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..options import say


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

    from ...catalogue import Catalogue
    from ...hands import hand_to_json
    from ...tasks import agreement, group

    opened = Catalogue.open(catalogue)
    found = group(opened, out=out, sheet=sheet)
    if as_json:
        for hand in found:
            print(json.dumps(hand_to_json(hand), ensure_ascii=False))
    else:
        print("hand  pages  confidence  nearest  the page most like the others")
        for hand in found:
            near = "–" if hand.nearest is None else str(hand.nearest)
            sizes = f"{hand.number:4}  {len(hand.page_ids):5}  {hand.confidence:10.0%}  {near:>7}"
            print(f"{sizes}  {hand.page_ids[0]}")
    alone = sum(len(hand.page_ids) == 1 for hand in found)
    say(f"{len(opened)} pages by {len(found)} hands, {alone} of one page")
    if (agreed := agreement(opened, found)) is not None:
        scores = agreed.bcubed
        say(
            f"the writers are known, {agreed.writers}: adjusted Rand index "
            f"{agreed.adjusted_rand:.3f}, B-cubed F {scores.f:.3f} "
            f"(precision {scores.precision:.3f}, recall {scores.recall:.3f})"
        )
