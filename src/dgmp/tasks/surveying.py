"""What a folder of scans holds, and what of it cannot be used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..corpora import (
    Corpus,
    FoundAreas,
    Remark,
    Survey,
    draw_area_sheet,
    draw_contact_sheet,
    open_corpus,
    page_of_side,
    survey_corpus,
)
from ..engines import Engine
from ..files import check_place
from ..pixels import drawn_kind
from ..records import Page, Stage
from ..storage import AnyPath
from .readying import find_pages


def survey(
    corpus: Corpus | AnyPath | str,
    *,
    sheet: Path | str | None = None,
    regions: Path | str | None = None,
    decode: bool = True,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Survey:
    """Count the pages, writers, scripts and splits of a corpus; ``sheet`` is a picture of it.

    With ``decode`` every page is read, so that broken and blank ones are found. ``regions`` is a
    picture of where the writing was found; with it, pictures without writing are left out.
    """
    for picture in (sheet, regions):
        if picture is not None:
            drawn_kind(Path(picture))
            check_place(Path(picture))
    found = corpus if isinstance(corpus, Corpus) else open_corpus(corpus)
    progress = None if stage is None or not decode else stage("reading pages", len(found))
    made = survey_corpus(found, decode=decode, engine=engine, progress=progress)
    if regions is not None:
        made = _with_areas(made, Path(regions), engine, stage)
    if sheet is not None:
        draw_contact_sheet(made.corpus.pages, Path(sheet))
    return made


def _with_areas(made: Survey, sheet: Path, engine: Engine | None, stage: Stage | None) -> Survey:
    """Draw where the writing is, and leave out the pictures that have none."""
    pictures = made.corpus.pages
    written = find_pages(made.corpus, pictures, engine=engine, stage=stage)
    reasons = dict(written.failures)
    pages: dict[str, list[Page]] = {}
    for page in written.pages:
        pages.setdefault(page_of_side(page.id), []).append(page)
    found = [FoundAreas(p, pages.get(p.id, ()), reasons.get(p.id, "")) for p in pictures]
    draw_area_sheet(found, sheet)
    left_out: list[Remark] = sorted([*made.corpus.left_out, *written.failures])
    kept = tuple(page for page in pictures if page.id not in reasons)
    return replace(made, corpus=replace(made.corpus, pages=kept, left_out=tuple(left_out)))
