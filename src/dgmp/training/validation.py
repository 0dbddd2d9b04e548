"""How good a network is on the pages that were held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..describers import LearnedClassifier, LearnedDescriber
from ..engines import map_pages
from ..errors import CorpusError, ImageError
from ..evaluation import score_scripts, score_writers
from ..models import TrainedModel
from ..pixels import OnPixels, PageImage, PageStore
from .distributed import gather_objects

if TYPE_CHECKING:
    from lightning_fabric import Fabric


def validate(
    model: TrainedModel, store: PageStore, numbers: Sequence[int], fabric: Fabric
) -> float:
    """mAP over the writers, or accuracy over the scripts, of the pages at these places."""
    device = str(fabric.device)
    function: Callable[[PageImage], Any]
    if model.classes is None:
        function = LearnedDescriber(model, device=device).describe_page
    else:
        function = LearnedClassifier(model, device=device).classify_page
    own = [store.pages[number] for number in numbers][fabric.global_rank :: fabric.world_size]
    found = [  # a page without an edge has nothing to look at
        (page.id, result)
        for page, result in map_pages(own, OnPixels(function, store.read))
        if not isinstance(result, ImageError)
    ]
    results = dict(gather_objects(found, fabric))
    if not results:
        raise CorpusError("no validation page could be described")
    pages = [store.pages[n] for n in numbers if store.pages[n].id in results]
    rows = np.stack([results[page.id] for page in pages])
    if model.classes is None:
        return score_writers(pages, rows, resamples=0).map
    return score_scripts(pages, rows, model.classes, resamples=0).accuracy
