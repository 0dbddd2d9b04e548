"""How good a describer is on pages whose writers are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..evaluation import RERANKINGS as RERANKINGS
from ..evaluation import check_labels as check_labels
from ..evaluation import check_writers, find_reranking, scans_of, score_writers
from ..records import Page, Scores
from .describer import Describer, describe_pages

sheets_of = scans_of


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

    Pages of one writer and scan are neither hit nor miss for each other. Arguments as in
    ``describe_pages``; ``rerank`` is one of ``RERANKINGS``.
    """
    if rerank is not None:
        find_reranking(rerank)  # before pages are described, which takes longer
    check_writers(pages)
    described = describe_pages(
        pages,
        describer,
        crop=crop,
        binarization=binarization,
        workers=workers,
        progress=progress,
    )
    scores = score_writers(described.pages, described.descriptors.vectors, rerank=rerank)
    return Judged(scores, described.failures)
