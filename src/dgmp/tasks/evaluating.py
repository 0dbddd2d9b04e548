"""How good a describer or a classifier is on a corpus whose writers or scripts are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from ..corpora import Corpus, read_split_file
from ..describers import (
    Classifier,
    Describer,
    at_sizes,
    classify_pages,
    describe_pages,
    fit_describer,
    is_classifier,
    load,
    needs_fitting,
)
from ..engines import Engine
from ..errors import CorpusError, DgmpError
from ..evaluation import check_scripts, check_writers, score_scripts, score_writers
from ..hands import Calibration, Evidence, part
from ..names import check_name
from ..pixels import Preparation, read_pages
from ..rankings import RERANKINGS
from ..records import Descriptors, Page, Scores, Stage
from .opening import opened, trained_on
from .readying import KnownScale, scale_pages

_BY_COSINE = "map_by_cosine"


@dataclass(frozen=True)
class Judged:
    """Scores, the pages that could not be judged with their reasons, and what to beware of."""

    scores: Scores
    failures: tuple[tuple[str, str], ...]  # page id, reason
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.scores)


def evaluate(
    corpus: Corpus | Path | str,
    describer: str | Path | Describer | Classifier,
    *,
    split: str | None = None,
    rerank: str | None = None,
    crop: int | None = None,
    binarization: str | None = None,
    aggregate: str | None = None,
    dpi: float | None = None,
    line_distance: float | None = None,
    sizes: Sequence[float] = (1.0,),
    seed: int = 0,
    device: str = "auto",
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Judged:
    """Score a describer by writer retrieval, or a classifier by its scripts.

    ``describer`` is a name, the folder of a run, or a describer. A classical kind that has to be
    fitted is fitted on the training pages of the corpus, with ``seed``. Without ``split`` the test
    pages are judged on, or all where there are no splits. ``rerank`` is one of ``RERANKINGS``;
    ``crop`` and ``binarization`` as in ``describe_pages``; ``aggregate`` and ``device`` are for
    trained networks; ``dpi`` and ``line_distance`` as in ``describe``, for writers; ``sizes`` as in
    ``classify``, for scripts.
    """
    known = KnownScale(dpi, line_distance)
    if rerank is not None:
        check_name(rerank, RERANKINGS, "re-ranking")
    fits = isinstance(describer, str) and needs_fitting(describer)
    chosen: Describer | Classifier | None = None
    if not isinstance(describer, (str, Path)):
        if aggregate is not None:
            raise DgmpError("aggregate is for describers by name; this one is made already")
        chosen = describer
    elif not fits:
        chosen = load(describer, device=device, aggregate=aggregate)
    if rerank is not None and chosen is not None and is_classifier(chosen):
        raise DgmpError("--rerank is for writers; this run names scripts")
    found = opened(corpus)
    pages = judged_pages(found, split)
    if fits:
        if aggregate is not None:
            raise DgmpError("--aggregate is for networks trained on writers")
        chosen = _fitted(str(describer), found, pages, seed, binarization, known, engine, stage)
    assert chosen is not None
    if is_classifier(chosen):
        classifier = cast(Classifier, chosen)
        if tuple(sizes) != (1.0,):
            classifier = at_sizes(classifier, sizes)
        check_scripts(pages, classifier.classes)
        named = classify_pages(
            pages,
            classifier,
            crop=crop,
            binarization=binarization,
            engine=engine,
            progress=None if stage is None else stage("classifying pages", len(pages)),
        )
        scores, failures = (
            score_scripts(named.pages, named.probabilities, named.classes),
            named.failures,
        )
    else:
        if tuple(sizes) != (1.0,):
            raise DgmpError("--sizes is for scripts; this describer tells writers apart")
        check_writers(pages)
        by_writer = cast(Describer, chosen)
        scaled = scale_pages(
            pages,
            by_writer.preparation,
            known,
            describer=by_writer,
            engine=engine,
            stage=stage,
        )
        described = describe_pages(
            scaled.pages,
            by_writer,
            crop=crop,
            binarization=binarization,
            distances=scaled.distances,
            halves=by_writer.calibration is not None and rerank is None,
            engine=engine,
            progress=None if stage is None else stage("describing pages", len(scaled.pages)),
        )
        failures = (*scaled.left_out, *described.failures)
        scores = score_search(
            described.pages, described.descriptors, by_writer.calibration, rerank=rerank
        )
    warnings: tuple[str, ...] = ()
    if isinstance(describer, (str, Path)):
        seen = trained_on(describer, found)
        if among := sum(page.id in seen for page in pages):
            note = f"{among} of {len(pages)} pages are among those this run was trained on"
            scores = replace(scores, notes=(*scores.notes, note))
            warnings = (f"{note}; {_how_to_leave_out(Path(describer))}",)
    return Judged(scores, failures, warnings)


def score_search(
    pages: Sequence[Page],
    descriptors: Descriptors,
    calibration: Calibration | None,
    *,
    rerank: str | None = None,
) -> Scores:
    """mAP and top-k of the writers of described pages, all pages being in the order of a search.

    Where the describer is calibrated that is the order of likeness in this collection, which needs
    the halves of pages, and ``map_by_cosine`` is the mAP of plain cosines. Re-ranking begins with
    cosines.
    """
    plain = score_writers(pages, descriptors.vectors, rerank=rerank)
    if calibration is None or rerank is not None:
        return plain
    # The pages that stand for a large collection are chosen by their places.
    order = np.argsort(np.array(descriptors.page_ids, dtype=object), kind="stable")
    placed = Evidence.of(part(descriptors, order), calibration).placed
    assert placed.company is not None  # all pages are compared
    found = score_writers(
        [pages[place] for place in order],
        placed.vectors * placed.held_back[:, None],
        less=placed.company,
    )
    intervals = {_BY_COSINE: plain.intervals["map"]} if "map" in plain.intervals else {}
    return replace(
        found,
        reranking="likeness",
        values={**found.values, _BY_COSINE: plain.map},
        definitions={**found.definitions, _BY_COSINE: "the same in the order of plain cosines"},
        intervals={**found.intervals, **intervals},
        item_values={**found.item_values, _BY_COSINE: plain.item_values["map"]},
        notes=(*found.notes, "in the order of likeness in this collection, as searches have it"),
    )


def judged_pages(corpus: Corpus, split: str | None) -> tuple[Page, ...]:
    """The pages to judge on: those of a split, else the test pages, else all."""
    if split is None and all(page.split is None for page in corpus):
        return corpus.pages
    return corpus.in_split(split or "test")


def _fitted(
    name: str,
    corpus: Corpus,
    judged: Sequence[Page],
    seed: int,
    binarization: str | None,
    known: KnownScale,
    engine: Engine | None,
    stage: Stage | None,
) -> Describer:
    """A classical describer fitted on the training pages of the corpus."""
    ids = {page.id for page in judged}
    pages = [page for page in corpus if page.split == "train" and page.id not in ids]
    if not pages:
        raise CorpusError(
            f"{corpus.root}: {name} is fitted on pages of split train other than those it is "
            "judged by, and there are none"
        )
    preparation = Preparation() if binarization is None else Preparation(binarization=binarization)
    scaled = scale_pages(pages, preparation, known, engine=engine, stage=stage)
    return fit_describer(
        name,
        read_pages(scaled.pages, preparation, engine, scaled.distances),
        seed=seed,
        preparation=preparation,
        progress=None if stage is None else stage(f"fitting {name}", len(scaled.pages)),
    )


def _how_to_leave_out(run: Path) -> str:
    """What to do about pages that a run was trained on."""
    if "val" in read_split_file(run / "split.csv").values():
        return "its split.csv as --split-file, with --split val, leaves them out"
    return "judge it on other pages"
