"""The scripts of pages by a trained classifier, and how often it is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage, centre_square, read_pages
from ..errors import CorpusError
from ..evaluation import classification_scores
from ..models import TrainedModel
from ..records import Page
from .judging import Judged, check_labels
from .learned import classify_page, script_classes


def judge_classifier(
    pages: Sequence[Page],
    model: TrainedModel,
    *,
    crop: int | None = None,
    binarization: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Judged:
    """Name the script of pages: accuracy per page, per class and, where known, per manuscript."""
    classes = script_classes(model)
    check_labels(pages, "script")
    strange = [page for page in pages if page.script not in classes]
    if strange:
        raise CorpusError(
            f"{len(strange)} pages are of scripts this model does not know, as {strange[0].id!r} "
            f"of {strange[0].script!r}; it knows {', '.join(classes)}"
        )
    found, failures = classify_pages(
        pages, model, crop=crop, binarization=binarization, progress=progress
    )
    if not found:
        raise CorpusError(f"none of {len(pages)} pages could be used: {' '.join(failures[0])}")
    kept = [page for page, _ in found]
    scores = classification_scores(
        np.stack([shares for _, shares in found]),
        [str(page.script) for page in kept],
        classes=classes,
        ids=[page.id for page in kept],
        groups=_manuscripts(kept),
    )
    return Judged(scores, failures)


def classify_pages(
    pages: Sequence[Page],
    model: TrainedModel,
    *,
    crop: int | None = None,
    binarization: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[tuple[Page, NDArray[np.float64]]], tuple[tuple[str, str], ...]]:
    """The probabilities of every page that can be used; ids and reasons of the others."""
    preparation = model.input.preparation
    if binarization is not None:
        preparation = replace(preparation, binarization=binarization)
    found, failures = [], []
    for page in pages:
        reader = read_pages([page], preparation, then=partial(_classified, model=model, crop=crop))
        found += [(page, shares) for shares in reader]
        failures += reader.failures
        if progress is not None:
            progress(1)
    return found, tuple(failures)


def _classified(image: PageImage, model: TrainedModel, crop: int | None) -> NDArray[np.float64]:
    return classify_page(model, image if crop is None else centre_square(image, crop))


def _manuscripts(pages: Sequence[Page]) -> list[str] | None:
    """The manuscript of every page; one in several scripts counts as several."""
    if all(page.manuscript is None for page in pages):
        return None
    return [f"{page.manuscript or page.id} in {page.script}" for page in pages]
