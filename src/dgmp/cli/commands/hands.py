"""``dgmp hands``: the pages of a catalogue grouped into hands."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ..options import CataloguePlace, EngineName, print_json, say

if TYPE_CHECKING:
    from ...hands import BookHands
    from ...records import Hand


def hands(
    catalogue: CataloguePlace,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Where the hands go: .csv, .json, .xlsx (with pictures) or .tei.xml, or a folder "
            "iiif/ or alto/. By band .csv or .json.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None, Option(metavar="FILE", help="A picture of the hands, PNG or JPEG.")
    ] = None,
    by: Annotated[
        str | None,
        Option(
            metavar="PART",
            help="What dgmp describe --by described: page, region, or band, which shows where the "
            "hand changes in each folder. By default what is in the catalogue.",
        ),
    ] = None,
    prefer: Annotated[
        str,
        Option(
            metavar="WHICH",
            help="Where the evidence leaves it open: fewer hands, balanced, or more.",
        ),
    ] = "balanced",
    decisions: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Decisions of people as JSON lines: those in FILE are taken over before grouping, "
            "then all of the catalogue are written there.",
        ),
    ] = None,
    engine: EngineName = "processes",
    workers: Annotated[
        int | None,
        Option(
            "--workers",
            "--cpus",
            min=0,
            help="Processes that find the neighbours of pages in a catalogue of more than 20 000; "
            "0: this one. By default all cores of this machine, or all CPUs of the cluster.",
        ),
    ] = None,
    as_json: Annotated[
        bool, Option("--json", help="One JSON object per line and hand, or change of hand.")
    ] = False,
) -> None:
    """Group the pages of a catalogue into hands, or show where in a book the hand changes."""
    from ...catalogue import Catalogue
    from ...corpora import PARTS
    from ...engines import engine_for
    from ...names import check_name
    from ...tasks import agreement, check_part, contradictions, exchange_decisions, follow, group
    from ..progress import page_bars

    where = engine_for(workers, engine)  # first: a table has threads that a fork may stop
    opened = Catalogue.open(catalogue)
    if by is not None:
        check_name(by, PARTS, "part of a page")
        check_part(opened, by)
    if decisions is not None:
        taken, written = exchange_decisions(opened, decisions)
        say(f"{decisions}: {len(taken)} decisions taken over, {len(written)} written")
    with warnings.catch_warnings(record=True) as noted, page_bars() as stage:
        warnings.simplefilter("always", UserWarning)
        if opened.head.by == "band":
            books = follow(opened, out=out, sheet=sheet, prefer=prefer, engine=where, stage=stage)
            found = books.hands
        else:
            books = None
            found = group(opened, out=out, sheet=sheet, prefer=prefer, engine=where, stage=stage)
    if books is None:
        _print_hands(found, opened.paths() if as_json else None)
    else:
        _print_changes(books, as_json)
    for note in noted:
        say(f"note: {note.message}")
    for clash in contradictions(opened):
        ids = ", ".join(decision.id for decision in clash.decisions)
        say(
            f"note: decisions contradict each other about {clash.pages[0]!r} and "
            f"{clash.pages[1]!r}: {ids}; {clash.passed_over.id} was passed over"
        )
    if out is not None:
        say(f"{out}: {len(opened)} {opened.head.by}s in {len(found)} hands")
    alone = sum(len(hand.page_ids) == 1 for hand in found)
    say(f"{len(opened)} {opened.head.by}s by {len(found)} hands, {alone} of one {opened.head.by}")
    if (agreed := agreement(opened, found)) is not None:
        scores = agreed.bcubed
        say(
            f"the writers are known, {agreed.writers}: adjusted Rand index "
            f"{agreed.adjusted_rand:.3f}, B-cubed F {scores.f:.3f} "
            f"(precision {scores.precision:.3f}, recall {scores.recall:.3f})"
        )


def _print_hands(found: Sequence[Hand], paths: Mapping[str, str] | None) -> None:
    """As a table, or as JSON if the paths of pages are given."""
    from ...exports import hand_to_json

    if paths is not None:
        for hand in found:
            print_json(hand_to_json(hand, paths))
        return
    print("hand  pages  confidence  nearest  the page most like the others")
    for hand in found:
        near = "–" if hand.nearest is None else str(hand.nearest)
        sizes = f"{hand.number:4}  {len(hand.page_ids):5}  {hand.confidence:10.0%}  {near:>7}"
        print(f"{sizes}  {hand.page_ids[0]}" + (f"  ({hand.name})" if hand.name else ""))


def _print_changes(found: BookHands, as_json: bool) -> None:
    from ...hands import change_to_json

    if as_json:
        for change in found.changes:
            print_json(change_to_json(change))
        return
    print("from  to  sure  the hand changes at")
    for change in found.changes:
        hands = f"{change.before.hand:4}  {change.after.hand:2}  {change.sure:4.0%}"
        print(f"{hands}  {change.after.page}, band {change.after.band}")
    for book, bands in found.books().items():
        hands_there = len({band.hand for band in bands})
        changes = sum(band.change for band in bands)
        doubtful = sum(band.doubtful for band in bands)
        say(
            f"{book or 'pages'}: {len(bands)} bands, {hands_there} hands, {changes} changes, "
            f"{doubtful} doubtful bands"
        )
