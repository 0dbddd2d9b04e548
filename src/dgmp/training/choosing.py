"""Which pages a run trains on, and which it holds out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..corpora import Corpus, split_pages
from ..errors import CorpusError
from ..records import Page
from .recipes import Recipe


def choose_pages(corpus: Corpus, recipe: Recipe, seed: int) -> tuple[Page, ...]:
    """The pages to train on and to validate with, by their splits ``train`` and ``val``.

    Pages on another side (``test``) are left alone. Where the corpus has no validation pages of its
    own, whole writers (manuscripts, for scripts) are held out of the training pages.
    """
    label = recipe.task
    sides = {page.split for page in corpus.pages}
    known = [page for page in corpus.pages if getattr(page, label) is not None]
    usable = [page for page in known if page.split in ("train", "val") or sides == {None}]
    if not usable:
        what = f"none has a {label}" if not known else "none is in split train"
        raise CorpusError(f"{corpus.root}: of {len(corpus)} pages {what}: nothing to train on")
    if "val" not in sides and recipe.validation:
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
