"""The scripts of pages."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..describers import Classified, Classifier, at_sizes, classify_pages, load_classifier
from ..engines import Engine
from ..errors import CorpusError
from ..records import Floats, Stage, file_and_part
from .opening import loose_pages


def classify(
    pages: Sequence[Path | str],
    classifier: str | Path | Classifier,
    *,
    sizes: Sequence[float] = (1.0,),
    together: bool = False,
    binarization: str | None = None,
    device: str = "auto",
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Classified:
    """How probable each script is for pictures and folders of pictures.

    ``classifier`` is the folder of a network trained on scripts or of a classical one. At several
    image ``sizes`` their probabilities are averaged; ``together`` takes the pages of a folder, or
    of one file with several, for one manuscript in one script.
    """
    if isinstance(classifier, (str, Path)):
        classifier = load_classifier(classifier, device=device)
    if tuple(sizes) != (1.0,):
        classifier = at_sizes(classifier, sizes)
    found, left_out = loose_pages(pages)
    if not found:
        shown = "; ".join(f"{file}: {reason}" for file, reason in left_out)
        raise CorpusError(f"no page could be classified: {shown}")
    named = classify_pages(
        found,
        classifier,
        binarization=binarization,
        engine=engine,
        progress=None if stage is None else stage("classifying pages", len(found)),
    )
    if together:
        places = [_manuscript(page.id) for page in named.pages]
        named = replace(named, probabilities=by_group(places, named.probabilities))
    return replace(named, failures=(*((r.file, r.reason) for r in left_out), *named.failures))


def by_group(groups: Sequence[Hashable], shares: Floats) -> Floats:  # (pages, classes)
    """Every page with the mean probabilities of its group."""
    places: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    found = np.empty_like(shares)
    for rows in places.values():
        found[rows] = shares[rows].mean(axis=0)
    return found


def _manuscript(page: str) -> str:
    file, part = file_and_part(page)
    return file if part else file.rpartition("/")[0]
