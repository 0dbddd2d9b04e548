"""A trained network on prepared test pages: descriptors, probabilities, scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage, PageStore, centre_square
from ..describe.judging import sheets_of
from ..describe.learned import LearnedDescriber, classify_page
from ..errors import CorpusError, ImageError
from ..evaluation import classification_scores, retrieval_scores
from ..models import TrainedModel
from ..records import Page, Scores

SQUARE = 256  # pixels: with little text poolings can be told apart

Floats = NDArray[np.float32]
Shares = NDArray[np.float64]


def shown(image: PageImage, crop: int | None) -> PageImage:
    """The page, or the square of ``crop`` pixels in its middle."""
    return image if crop is None else centre_square(image, crop)


def describe_store(
    describer: LearnedDescriber, store: PageStore, crop: int | None = None, side: str | None = None
) -> tuple[list[Page], Floats]:
    """Pages and vectors (pages, dim) of a store, of one side or all; the blank are left out."""
    pages, vectors = [], []
    for number, page in enumerate(store.pages):
        if side is not None and page.split != side:
            continue
        try:
            vectors.append(describer.describe_page(shown(store.image(number), crop)))
        except ImageError:
            continue  # no writing in what is shown of it
        pages.append(page)
    if not pages:
        raise CorpusError(f"{store.folder}: none of its pages could be described")
    return pages, np.stack(vectors)


def classify_store(model: TrainedModel, store: PageStore) -> tuple[list[Page], Shares]:
    """Pages and probabilities (pages, classes), of the pages whose script the network knows."""
    assert model.classes is not None
    pages, shares = [], []
    for number, page in enumerate(store.pages):
        if page.script not in model.classes:
            continue
        try:
            shares.append(classify_page(model, store.image(number)))
        except ImageError:
            continue  # no writing on it
        pages.append(page)
    if not pages:
        raise CorpusError("no test page is of a script that was trained")
    return pages, np.stack(shares)


def writer_scores(pages: Sequence[Page], vectors: Floats) -> Scores:
    """mAP and top-1 of the writers of some pages."""
    try:
        return retrieval_scores(
            vectors,
            [page.writer for page in pages],
            ids=[page.id for page in pages],
            same_scan=sheets_of(pages),
        )
    except ValueError as error:
        raise CorpusError(f"the test pages cannot be scored: {error}") from error


def script_scores(pages: Sequence[Page], shares: Shares, classes: Sequence[str]) -> Scores:
    """Accuracy on some pages, per manuscript too where that is known of all."""
    manuscripts = [page.manuscript for page in pages]
    return classification_scores(
        shares,
        [page.script for page in pages],
        classes=classes,
        ids=[page.id for page in pages],
        groups=None if None in manuscripts else manuscripts,
    )
