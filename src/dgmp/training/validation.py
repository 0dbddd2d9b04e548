"""How good a network is on the pages that were held out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lightning_fabric import Fabric

from ..corpora import PageStore
from ..describe.judging import sheets_of
from ..describe.learned import LearnedDescriber, classify_page
from ..errors import CorpusError, ImageError
from ..evaluation import classification_scores, retrieval_scores
from ..models import TrainedModel
from .distributed import gather_objects


def validate(
    model: TrainedModel, store: PageStore, numbers: Sequence[int], fabric: Fabric
) -> float:
    """mAP over the writers, or accuracy over the scripts, of the pages at these places."""
    of_scripts = model.classes is not None
    describer = LearnedDescriber(model, device=str(fabric.device))
    found = []
    for number in list(numbers)[fabric.global_rank :: fabric.world_size]:
        image = store.image(number)
        try:
            found.append(
                (
                    number,
                    classify_page(model, image) if of_scripts else describer.describe_page(image),
                )
            )
        except ImageError:
            continue  # nothing to look at; it was in the list of failures or has no edges
    rows = sorted(gather_objects(found, fabric), key=lambda row: row[0])
    if not rows:
        raise CorpusError("no validation page could be described")
    pages = [store.pages[number] for number, _ in rows]
    vectors = np.stack([vector for _, vector in rows])
    ids = [page.id for page in pages]
    if model.classes is not None:
        labels = [page.script for page in pages]
        return classification_scores(
            vectors, labels, classes=model.classes, ids=ids, resamples=0
        ).accuracy
    return retrieval_scores(
        vectors,
        [page.writer for page in pages],
        ids=ids,
        same_scan=sheets_of(pages),
        resamples=0,
    ).map
