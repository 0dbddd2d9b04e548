"""The pages of a catalogue grouped into hands; in books, where the hand changes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ..catalogue import (
    Catalogue,
    in_force,
    made_from,
    read_bands,
    read_decisions,
    read_hands,
    write_stored_hands,
)
from ..engines import Engine
from ..errors import CatalogueError
from ..evaluation import BCubed, adjusted_rand_index, bcubed
from ..exports import Outgoing, check_export, write_hands
from ..files import check_place
from ..hands import (
    BookHands,
    Bounds,
    Calibration,
    Grouped,
    check_sequence_file,
    draw_hands,
    draw_strip,
    follow_hands,
    group_and_ask,
    group_many,
    shown_pages,
    write_sequence,
)
from ..plotting import picture_kind
from ..records import Hand, Stage, StoredHands
from ..storage import AnyPath
from .opening import calibration_of, opened_catalogue
from .vouching import MOST_PAGES, page_evidence

EXACT_PAGES = 20_000  # more vectors of `default` do not fit in 12 GB: see docs/scale.md


@dataclass(frozen=True)
class Agreement:
    """How well hands agree with writers that are known."""

    writers: int
    adjusted_rand: float
    bcubed: BCubed


def group(
    catalogue: Catalogue | AnyPath | str,
    *,
    out: Path | str | None = None,
    sheet: Path | str | None = None,
    prefer: str = "balanced",
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> tuple[Hand, ...]:
    """The hands of a catalogue, those with most pages first.

    ``out`` is where they are written, as in :func:`export_hands`; ``sheet`` a picture of them;
    ``prefer`` says where the evidence leaves it open: ``fewer`` hands, ``balanced``, or ``more``.
    Decisions in force are obeyed. The result is stored in the catalogue, for :func:`stored_hands`.
    Of more than ``EXACT_PAGES`` pages only neighbours are compared; a run that was killed goes on.
    ``engine`` is where these, and the evidence of an export, are looked for; by default here.
    """
    if out is not None:
        check_export(Path(out))
    if sheet is not None:
        check_place(Path(sheet))
    opened = opened_catalogue(catalogue)
    source = made_from(opened.folder)  # before: what changes meanwhile makes the hands outdated
    calibration = needed_calibration(opened)
    decisions = in_force(read_decisions(opened.folder))
    if len(opened) > EXACT_PAGES:
        found = group_many(
            opened, calibration, prefer=prefer, decisions=decisions, engine=engine, stage=stage
        )
    else:
        found = group_and_ask(
            opened.descriptors(), calibration, prefer=prefer, decisions=decisions, stage=stage
        )
    _store(found, prefer, source, opened.folder)
    hands = found.hands
    if out is not None:
        export_hands(opened, hands, out, engine=engine, stage=stage)
    if sheet is not None:
        draw_hands(hands, opened.thumbnails(shown_pages(hands)), sheet)
    return hands


def export_hands(
    catalogue: Catalogue | AnyPath | str,
    hands: Sequence[Hand],
    out: Path | str,
    *,
    most_evidence: int = MOST_PAGES,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Path:
    """Write hands for other programs, whole or not at all.

    ``out`` says how: a file that ends in .csv, .json, .xlsx (with small pictures) or .tei.xml, or a
    folder called ``iiif`` (Presentation 3) or ``alto`` (copies of the ALTO files beside the scans,
    tagged), or ending in .iiif or .alto. For IIIF, pages are compared with others of their hands,
    at most ``most_evidence`` of them; ``engine`` is where.
    """
    opened = opened_catalogue(catalogue)
    ids = [id for hand in hands for id in hand.page_ids]
    pages = dict(zip(ids, opened.pages(ids), strict=True))
    title = opened.folder.absolute().stem
    evidence = partial(page_evidence, opened, hands, most=most_evidence, engine=engine, stage=stage)
    return write_hands(Outgoing(title, hands, pages, opened.thumbnails, evidence), Path(out))


def stored_hands(catalogue: Catalogue | AnyPath | str) -> StoredHands | None:
    """The hands as they were last grouped, and whether they are current; None if never."""
    return read_hands(opened_catalogue(catalogue).folder)


def _store(found: Grouped, prefer: str, source: str, folder: AnyPath) -> None:
    # A catalogue that is only read can still be grouped.
    if isinstance(folder, Path) and not os.access(folder, os.W_OK):
        warnings.warn(f"{folder}: may not be written to, hands are not kept in it", stacklevel=3)
        return
    time = datetime.now(UTC).isoformat(timespec="seconds")
    stored = StoredHands(found.hands, prefer, time, found.questions, found.shift)
    write_stored_hands(stored, source, folder)


def needed_calibration(catalogue: Catalogue) -> Calibration:
    """What likenesses say about hands in a catalogue, or an error that says how to get it."""
    calibration = calibration_of(catalogue)
    if calibration is not None:
        return calibration
    name = catalogue.head.describer
    if catalogue.head.calibration is not None:
        raise CatalogueError(
            f"{catalogue.folder}: was described by an earlier version of dgmp, which did not keep "
            "what grouping needs; describe its pages anew, into a new catalogue"
        )
    raise CatalogueError(
        f"{catalogue.folder}: its describer {name!r} is not calibrated, so nothing says how alike "
        "pages by one hand are; use the describer 'default', or, for a trained network, dgmp "
        "calibrate on pages by known writers and dgmp describe again"
    )


def agreement(catalogue: Catalogue | AnyPath | str, hands: Sequence[Hand]) -> Agreement | None:
    """How well the hands of a catalogue agree with its writers; None where not all are known."""
    writer_of = opened_catalogue(catalogue).column("writer")
    writers = list(writer_of.values())
    if None in writers or not hands:
        return None
    number = {id: hand.number for hand in hands for id in hand.page_ids}
    groups = [number[id] for id in writer_of]
    rand, scores = adjusted_rand_index(writers, groups), bcubed(writers, groups)
    return Agreement(len(set(writers)), rand, scores)


def follow(
    catalogue: Catalogue | AnyPath | str,
    *,
    out: Path | str | None = None,
    sheet: Path | str | None = None,
    prefer: str = "balanced",
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> BookHands:
    """The hands of all bands of a catalogue in reading order, and where they change.

    A folder is a book. ``out`` is a table with a row per band, .csv or .json; ``sheet`` a picture
    with a strip for each book; ``prefer`` and ``engine`` as in :func:`group`.
    """
    if out is not None:
        check_sequence_file(Path(out))
    if sheet is not None:
        picture_kind(Path(sheet))
        check_place(Path(sheet))
    opened = opened_catalogue(catalogue)
    check_part(opened, "band")
    found = follow_hands(group(opened, prefer=prefer, engine=engine, stage=stage), _places(opened))
    if out is not None:
        write_sequence(found, out)
    if sheet is not None:
        draw_strip(found, sheet)
    return found


def check_part(catalogue: Catalogue, by: str) -> None:
    """Refuse a catalogue that was described by other parts of pages."""
    if catalogue.head.by != by:
        raise CatalogueError(
            f"{catalogue.folder}: was described by {catalogue.head.by}, not by {by}; dgmp describe "
            f"FOLDER --by {by} --catalogue DIR, with a DIR of its own, makes one that is"
        )


def _places(catalogue: Catalogue) -> dict[str, Bounds]:
    return {
        f"{page}#band={number}": bounds
        for page, bands in read_bands(catalogue.folder).items()
        for number, bounds in enumerate(bands.bounds)
    }
