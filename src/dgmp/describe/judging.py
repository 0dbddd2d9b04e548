"""How good a describer is on pages whose writers are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import CorpusError
from ..evaluation import RERANKINGS as RERANKINGS
from ..evaluation import find_reranking, rank_pages, ranking_scores, retrieval_scores
from ..records import Descriptors, Page, Scores
from .describer import Describer, describe_pages


@dataclass(frozen=True)
class Judged:
    """Scores, and the pages that could not be judged with the reason of each."""

    scores: Scores
    failures: tuple[tuple[str, str], ...]  # page id, reason


def judge_describer(
    pages: Sequence[Page],
    describer: Describer,
    *,
    rerank: str | None = None,
    crop: int | None = None,
    binarization: str | None = None,
    workers: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Judged:
    """Describe pages and look each one up among the others by its writer.

    Pages of one writer and sheet are neither hit nor miss for each other. Arguments as in
    ``describe_pages``; ``rerank`` is one of ``RERANKINGS``.
    """
    if rerank is not None:
        find_reranking(rerank)
    check_labels(pages, "writer")
    if len({page.writer for page in pages}) < 2:
        raise CorpusError(
            f"all {len(pages)} pages are by the one writer {pages[0].writer!r}: "
            "every ranking would be perfect; at least two writers are needed"
        )
    described = describe_pages(
        pages,
        describer,
        crop=crop,
        binarization=binarization,
        workers=workers,
        progress=progress,
    )
    try:
        scores = _retrieval(described.descriptors, sheets_of(described.pages), rerank)
    except ValueError as error:  # too few pages, or every writer alone
        raise CorpusError(f"{len(described.pages)} pages cannot be judged: {error}") from error
    return Judged(scores, described.failures)


def check_labels(pages: Sequence[Page], name: str) -> None:
    """Refuse pages of which some have no writer (or script): a score compares them."""
    missing = [page.id for page in pages if getattr(page, name) is None]
    if missing:
        raise CorpusError(
            f"{len(missing)} of {len(pages)} pages have no {name}, the first is {missing[0]!r}; "
            f"scores need the {name} of every page, by a table or the names of folders"
        )


def sheets_of(pages: Sequence[Page]) -> list[str] | None:
    """The sheet of every page; a page that names none is its own."""
    if all(page.sheet is None for page in pages):
        return None
    return [page.sheet or page.id for page in pages]


def _retrieval(
    descriptors: Descriptors, sheets: Sequence[str] | None, rerank: str | None
) -> Scores:
    assert descriptors.labels is not None
    vectors, labels, ids = descriptors.vectors, descriptors.labels, descriptors.page_ids
    if rerank is None:
        return retrieval_scores(vectors, labels, ids=ids, same_scan=sheets)
    ranking = find_reranking(rerank)(rank_pages(vectors, ids=ids))
    return ranking_scores(ranking, labels, same_scan=sheets)
