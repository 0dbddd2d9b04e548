"""``dgmp evaluate``: how good a describer or a classifier is on a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from ..options import (
    AsJson,
    Binarize,
    CorpusOptions,
    Crop,
    Device,
    Dpi,
    Label,
    LineDistance,
    NameOrRun,
    Sizes,
    Workers,
    parse_sizes,
    say,
    say_left_out,
    takes_corpus,
)


@takes_corpus
def evaluate(
    corpus: Annotated[Path, Argument(help="The corpus to judge on.")],
    describer: NameOrRun,
    options: CorpusOptions,
    split: Annotated[
        str | None,
        Option(help="The split to judge on; else test, or all pages where there are no splits."),
    ] = None,
    crop: Crop = None,
    binarize: Binarize = None,
    dpi: Dpi = None,
    line_distance: LineDistance = None,
    rerank: Annotated[
        str | None, Option(help="Re-rank by the gallery: sgr, krnn, aqe or k-reciprocal.")
    ] = None,
    aggregate: Annotated[
        str | None,
        Option(help="How the patches of a page become one vector: mean (default), gmp or whole."),
    ] = None,
    label: Label = "script",
    sizes: Sizes = "1",
    seed: Annotated[int, Option(min=0, help="Seed of a describer that is fitted first.")] = 0,
    out: Annotated[
        Path | None, Option(help="Keep the scores, every query included, as JSON.")
    ] = None,
    plot: Annotated[
        Path | None, Option(help="Draw precision at rank, or the confusion matrix.")
    ] = None,
    device: Device = "auto",
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Score a describer by writer retrieval, or a trained classifier by its scripts."""
    from ...engines import engine_for
    from ...evaluation import class_table, draw_scores, save_scores, scores_to_json
    from ...files import check_place
    from ...plotting import picture_kind
    from ...tasks import evaluate as judge
    from ..progress import page_bars

    if dpi is not None and line_distance is not None:
        raise BadParameter("give --dpi or --line-distance: the second says all")
    for place in (out, plot):
        if place is not None:
            check_place(place)
    if plot is not None:
        picture_kind(plot)
    opened = options.open_and_say(corpus).classed_by(label)
    with page_bars() as stage:
        judged = judge(
            opened,
            describer,
            split=split,
            rerank=rerank,
            crop=crop,
            binarization=binarize,
            aggregate=aggregate,
            dpi=dpi,
            line_distance=line_distance,
            sizes=parse_sizes(sizes),
            seed=seed,
            device=device,
            engine=engine_for(workers),
            stage=stage,
        )
    say_left_out(judged.failures)
    for warning in judged.warnings:
        say(f"warning: {warning}")
    scores = judged.scores
    if as_json:
        print(scores_to_json(scores))
    else:
        print(scores)
        if scores.task == "classification":
            print("\n" + class_table(scores))
    if out is not None:
        save_scores(scores, out)
    if plot is not None:
        draw_scores(scores, plot)
