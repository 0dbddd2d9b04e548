"""The scripts of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..describers import Classified, Classifier, classify_pages, load_classifier
from ..engines import Engine
from ..errors import CorpusError
from ..records import Stage
from .opening import loose_pages


def classify(
    pages: Sequence[Path | str],
    classifier: str | Path | Classifier,
    *,
    binarization: str | None = None,
    device: str = "auto",
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Classified:
    """How probable each script is for pictures and folders of pictures.

    ``classifier`` is the folder of a network trained on scripts or of a classical one.
    """
    if isinstance(classifier, (str, Path)):
        classifier = load_classifier(classifier, device=device)
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
    return replace(named, failures=(*((r.file, r.reason) for r in left_out), *named.failures))
