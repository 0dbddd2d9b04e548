"""What a folder of scans holds, and what of it cannot be used."""

from __future__ import annotations

from pathlib import Path

from ..corpora import Corpus, Survey, draw_contact_sheet, open_corpus, survey_corpus
from ..engines import Engine
from ..records import Stage


def survey(
    corpus: Corpus | Path | str,
    *,
    sheet: Path | str | None = None,
    decode: bool = True,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Survey:
    """Count the pages, writers, scripts and splits of a corpus; ``sheet`` is a picture of it.

    With ``decode`` every page is read, so that broken and blank ones are found.
    """
    found = corpus if isinstance(corpus, Corpus) else open_corpus(corpus)
    progress = None if stage is None or not decode else stage("reading pages", len(found))
    made = survey_corpus(found, decode=decode, engine=engine, progress=progress)
    if sheet is not None:
        draw_contact_sheet(made.corpus.pages, Path(sheet))
    return made
