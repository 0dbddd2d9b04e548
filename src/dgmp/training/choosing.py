"""Which pages a run trains on, and which it holds out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..corpora import Corpus, split_pages
from ..errors import CorpusError, DgmpError, MissingLabels
from ..records import Page
from .recipes import Recipe


def choose_pages(corpus: Corpus, recipe: Recipe, seed: int) -> tuple[Page, ...]:
    """The pages to train on and to validate with, by their splits ``train`` and ``val``.

    Where the corpus has no validation pages of its own, whole writers (manuscripts, for scripts)
    are held out of the training pages.
    """
    label = recipe.task
    if label == "cluster":
        raise DgmpError("clusters are learned without labels: dgmp learn FOLDER --out RUN")
    allowed = training_pages(corpus)
    usable = [page for page in allowed if getattr(page, label) is not None]
    if not usable:
        ids = [page.id for page in allowed]
        raise MissingLabels(label, ids, len(ids), corpus.root)
    splits = {page.split for page in corpus.pages}
    if "val" not in splits and recipe.validation:
        by = "writer" if label == "writer" else "manuscript"
        if by == "manuscript":  # a page of no known manuscript is one of its own
            usable = [replace(page, manuscript=page.manuscript or page.id) for page in usable]
        free = [replace(page, split=None) for page in usable]
        try:
            usable = list(split_pages(free, {"val": recipe.validation}, by=by, seed=seed))
        except CorpusError as error:
            raise CorpusError(
                f"{corpus.root}: {error}; hold fewer out by validation, as 0.2 for a fifth"
            ) from error
    else:
        usable = [replace(page, split=page.split or "train") for page in usable]
    kept = {getattr(page, label) for page in usable if page.split == "train"}
    if len(kept) < 2:
        raise CorpusError(
            f"{corpus.root}: at least two {label}s are needed to train on, there "
            f"{'is one' if kept else 'are none'} ({len(usable)} pages in all)"
        )
    check_validation([page for page in usable if page.split == "val"], recipe.task)
    return tuple(usable)


def training_pages(corpus: Corpus) -> tuple[Page, ...]:
    """The pages a run may look at: splits ``train`` and ``val``, or all where there are no splits.

    Pages of another split (``test``) are left alone.
    """
    if all(page.split is None for page in corpus):
        return corpus.pages
    usable = tuple(page for page in corpus if page.split in ("train", "val"))
    if not usable:
        raise CorpusError(
            f"{corpus.root}: of {len(corpus)} pages none is in split train: nothing to train on"
        )
    return usable


def check_validation(pages: Sequence[Page], task: str) -> None:
    """Refuse pages on which nothing can be measured, before a long training."""
    if task == "script" or not pages:
        return
    writers = {page.writer for page in pages}
    if len(writers) < 2 or len(pages) == len(writers):
        raise CorpusError(
            f"the {len(pages)} pages held out for validation are by {len(writers)} writers; "
            "at least two writers are needed, one of them with two pages: set validation higher, "
            "or to 0 to keep the last model"
        )
