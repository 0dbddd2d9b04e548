"""Scores of pages: which label, scan and group each page brings to its score.

    writers   a page is looked up among the others by its writer; pages by one writer on one scan
              are neither hit nor miss for each other
    scripts   accuracy per page and balanced; per manuscript where any is known, a manuscript in
              two scripts counting as two and a page without one as its own

Pages that cannot be scored raise CorpusError. The checks are functions of their own, for callers
that describe pages first, which takes longer than finding a label missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import CorpusError, MissingLabels
from ..rankings import find_reranking, rank_pages
from ..records import Page, Scores
from .classification import classification_scores
from .retrieval import ranking_scores, retrieval_scores
from .significance import RESAMPLES


def score_writers(
    pages: Sequence[Page],
    vectors: ArrayLike,
    *,
    rerank: str | None = None,
    less: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """mAP and top-k of the writers of pages with these vectors, (pages, dim).

    ``rerank`` is a name in ``RERANKINGS``. Without it ``less``, a number of each page, ranks by
    products of the vectors as they are, less that of the page found, and not by cosines.
    """
    reranking = None if rerank is None else find_reranking(rerank)
    check_writers(pages)
    rows = _one_row_per_page(pages, vectors, "vectors")
    writers, ids, scans = [page.writer for page in pages], _ids(pages), scans_of(pages)
    try:
        if reranking is None:
            return retrieval_scores(
                rows,
                writers,
                ids=ids,
                same_scan=scans,
                less=less,
                resamples=resamples,
                seed=seed,
            )
        ranking = reranking(rank_pages(rows, ids=ids))
        return ranking_scores(ranking, writers, same_scan=scans, resamples=resamples, seed=seed)
    except ValueError as error:  # every writer alone, too few pages to re-rank, a row of zeros
        raise CorpusError(f"{len(pages)} pages cannot be scored: {error}") from error


def score_scripts(
    pages: Sequence[Page],
    probabilities: ArrayLike,
    classes: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """Accuracy of probabilities (pages, classes) per page, balanced, and per manuscript.

    Where classes are numbers, as centuries, also how far off the most probable ones are.
    """
    check_scripts(pages, classes)
    rows = _one_row_per_page(pages, probabilities, "probabilities")
    try:
        scores = classification_scores(
            rows,
            [page.script for page in pages],
            classes=classes,
            ids=_ids(pages),
            groups=_manuscripts(pages),
            resamples=resamples,
            seed=seed,
        )
    except ValueError as error:  # rows that are no probabilities
        raise CorpusError(f"{len(pages)} pages cannot be scored: {error}") from error
    if not all(name.isdecimal() for name in classes):
        return scores
    named = np.array([int(name) for name in classes])[np.asarray(rows).argmax(axis=1)]
    off = np.abs(named - [int(str(page.script)) for page in pages]).mean()
    return replace(scores, notes=(*scores.notes, f"mean absolute error: {off:.2f}"))


def check_labels(pages: Sequence[Page], name: Literal["writer", "script"]) -> None:
    """Raise CorpusError if there are no pages, or some have no writer (or script)."""
    if not pages:
        raise CorpusError("there are no pages to score")
    missing = [page.id for page in pages if getattr(page, name) is None]
    if missing:
        raise MissingLabels(name, missing, len(pages))


def check_writers(pages: Sequence[Page]) -> None:
    """Raise CorpusError unless every page has a writer and there are two of them."""
    check_labels(pages, "writer")
    if len({page.writer for page in pages}) < 2:
        raise CorpusError(
            f"all {len(pages)} pages are by the one writer {pages[0].writer!r}: "
            "every ranking would be perfect; at least two writers are needed"
        )


def check_scripts(pages: Sequence[Page], classes: Sequence[str]) -> None:
    """Raise CorpusError unless every page has a script, and all of them are in the classes."""
    check_labels(pages, "script")
    strange = [page for page in pages if page.script not in classes]
    if strange:
        raise CorpusError(
            f"{len(strange)} pages are of scripts this model does not know, as {strange[0].id!r} "
            f"of {strange[0].script!r}; it knows {', '.join(classes)}"
        )


def scans_of(pages: Sequence[Page]) -> list[str] | None:
    """The scan of every page, its own id if it names none; None if no page names one."""
    if all(page.scan is None for page in pages):
        return None
    return [page.scan or page.id for page in pages]


def _manuscripts(pages: Sequence[Page]) -> list[str] | None:
    if all(page.manuscript is None for page in pages):
        return None
    return [f"{page.manuscript or page.id} in {page.script}" for page in pages]


def _ids(pages: Sequence[Page]) -> list[str]:
    return [page.id for page in pages]


def _one_row_per_page(pages: Sequence[Page], rows: ArrayLike, name: str) -> ArrayLike:
    matrix = np.asarray(rows)
    if matrix.ndim != 2 or len(matrix) != len(pages):
        raise ValueError(f"{len(pages)} pages need {name} of that many rows, got {matrix.shape}")
    return matrix
