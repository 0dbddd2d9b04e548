"""``dgmp evaluate``: how good a describer or a classifier is on a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from .options import (
    AsJson,
    Binarize,
    Crop,
    Device,
    Kind,
    Labels,
    NameOrRun,
    SplitFile,
    Variant,
    Workers,
    say,
)

if TYPE_CHECKING:
    from ..corpora import Corpus
    from ..describe import Describer
    from ..models import TrainedModel
    from ..records import Page


def evaluate(
    corpus: Annotated[Path, Argument(help="The corpus to judge on.")],
    describer: NameOrRun,
    split: Annotated[
        str | None,
        Option(
            help="The side to judge on; without it test, or all pages where there are no sides."
        ),
    ] = None,
    crop: Crop = None,
    binarize: Binarize = None,
    rerank: Annotated[
        str | None, Option(help="Look at the gallery: sgr, krnn, aqe or k-reciprocal.")
    ] = None,
    aggregate: Annotated[
        str | None,
        Option(help="How the squares of a page become one vector: mean (default), gmp or whole."),
    ] = None,
    seed: Annotated[int, Option(min=0, help="Of a describer that is fitted first.")] = 0,
    out: Annotated[
        Path | None, Option(help="Keep the scores, every query included, as JSON.")
    ] = None,
    plot: Annotated[
        Path | None, Option(help="Draw precision at rank, or the confusion matrix.")
    ] = None,
    device: Device = "auto",
    workers: Workers = 0,
    kind: Kind = None,
    labels: Labels = None,
    variant: Variant = None,
    split_file: SplitFile = None,
    as_json: AsJson = False,
) -> None:
    """Score a describer by writer retrieval, or a trained classifier by its scripts."""
    from dataclasses import replace

    from ..describe import judge_describer, load_describer, load_network
    from ..describe.zoo import is_network, needs_fitting
    from ..evaluation import class_table, draw_scores, save_scores
    from ..evaluation.plots import picture_kind
    from ..files import check_place
    from .corpora import open_data, tell_left_out, trained_on
    from .progress import page_bar

    for place in (out, plot):
        if place is not None:
            check_place(place)
    if plot is not None:
        picture_kind(plot)
    network = load_network(describer) if is_network(describer) else None
    _check_meaning(network, rerank, aggregate)
    opened = open_data(corpus, kind=kind, labels=labels, variant=variant, split_file=split_file)
    pages = _side(opened, split)
    if network is not None and network.classes is not None:
        from ..describe.classifying import judge_classifier
        from ..describe.learned import find_device

        network.network.to(find_device(device))
        with page_bar("classifying pages", len(pages)) as done:
            judged = judge_classifier(
                pages, network, crop=crop, binarization=binarize, progress=done
            )
    else:
        if needs_fitting(describer):
            chosen = _fitted(describer, opened, pages, seed, binarize, workers)
        else:
            chosen = load_describer(describer, device=device, aggregate=aggregate or "mean")
        with page_bar("describing pages", len(pages)) as done:
            judged = judge_describer(
                pages,
                chosen,
                rerank=rerank,
                crop=crop,
                binarization=binarize,
                workers=workers,
                progress=done,
            )
    tell_left_out(judged.failures)
    scores = judged.scores
    learned_from = trained_on(Path(describer), opened)
    if seen := sum(page.id in learned_from for page in pages):
        note = f"{seen} of {len(pages)} pages are among those this run was trained on"
        say(f"warning: {note}; {_how_to_leave_out(Path(describer))}")
        scores = replace(scores, notes=(*scores.notes, note))
    if as_json:
        print(scores.to_json())
    else:
        print(scores)
        if scores.task == "classification":
            print("\n" + class_table(scores))
    if out is not None:
        save_scores(scores, out)
    if plot is not None:
        draw_scores(scores, plot)


def _check_meaning(network: TrainedModel | None, rerank: str | None, aggregate: str | None) -> None:
    """Refuse options that would be passed over in silence."""
    from ..errors import DgmpError

    names_scripts = network is not None and network.classes is not None
    if aggregate is not None and (network is None or names_scripts):
        raise DgmpError("--aggregate is for networks trained on writers")
    if rerank is not None and names_scripts:
        raise DgmpError("--rerank is for writers; this run names scripts")


def _side(corpus: Corpus, split: str | None) -> tuple[Page, ...]:
    """The pages to judge on: those asked for, else the test pages, else all."""
    sides = {page.split for page in corpus}
    if split is None and sides == {None}:
        return corpus.pages
    return corpus.side(split or "test")


def _fitted(
    name: str,
    corpus: Corpus,
    judged: tuple[Page, ...],
    seed: int,
    binarize: str | None,
    workers: int,
) -> Describer:
    """A classical describer fitted on the training pages of the corpus."""
    from ..corpora import Preparation, read_pages
    from ..describe import fit_describer
    from ..errors import CorpusError
    from .corpora import tell_left_out
    from .progress import page_bar

    ids = {page.id for page in judged}
    pages = [page for page in corpus if page.split == "train" and page.id not in ids]
    if not pages:
        raise CorpusError(
            f"{corpus.root}: {name} is fitted on pages of split train other than those it is "
            "judged by, and there are none"
        )
    say(f"fitting {name} on {len(pages)} training pages")
    preparation = Preparation() if binarize is None else Preparation(binarization=binarize)
    reader = read_pages(pages, preparation, workers=workers)
    with page_bar("fitting", len(pages)) as done:
        found = fit_describer(name, reader, seed=seed, preparation=preparation, progress=done)
    tell_left_out(reader.failures)
    return found


def _how_to_leave_out(run: Path) -> str:
    """What to do about pages that a run was trained on."""
    if any(
        line.endswith(",val")
        for line in (run / "split.csv").read_text(encoding="utf-8").splitlines()
    ):
        return "its split.csv as --split-file, with --split val, leaves them out"
    return "judge it on other pages"
