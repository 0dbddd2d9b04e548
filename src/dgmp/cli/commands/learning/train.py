"""``dgmp train``: learn who wrote a page, in which script, or how words look."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from ...options import AsJson, CorpusOptions, Device, Label, print_json, say, takes_corpus


@takes_corpus
def train(
    recipe: Annotated[
        str,
        Argument(
            help="writer-paper, script16-paper, script17-paper, script-zca, writer-small, "
            "script-small, a recipe of another package, a Python file that defines RECIPE, or "
            "words, for dgmp spot."
        ),
    ],
    data: Annotated[
        Path,
        Option(help="The corpus to learn from; of words a table file,x,y,w,h,text, or a folder."),
    ],
    out: Annotated[Path, Option(help="Folder of the run; one that was stopped goes on.")],
    options: CorpusOptions,
    pooling: Annotated[
        str | None,
        Option(help="Another pooling, as avg, gem or gmp; of words also tpp-max or tpp-gmp."),
    ] = None,
    change: Annotated[
        list[str] | None,
        Option("--set", help="Change a value: epochs=10, margin=0.2, model.backbone=resnet18."),
    ] = None,
    label: Label = "script",
    weights: Annotated[
        Path | None,
        Option(help="A weight file or the folder of a run to begin with; for words also default."),
    ] = None,
    seed: Annotated[int, Option(min=0, help="Same seed, same run.")] = 0,
    device: Device = "auto",
    devices: Annotated[int, Option(min=1, help="Processes, each with its device.")] = 1,
    precision: Annotated[str, Option(help="32-true, 16-mixed or bf16-mixed.")] = "32-true",
    workers: Annotated[
        int | None, Option(min=0, help="Processes that cut patches beforehand.")
    ] = None,
    tensorboard: Annotated[bool, Option("--tensorboard", help="Log for TensorBoard.")] = False,
    log: Annotated[
        list[str] | None, Option(help="A logger of your own, as package.module:Name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train by RECIPE on a corpus, or go on with a run that was stopped."""
    import math

    if recipe == "words":
        others = (label, device, devices, workers, tensorboard, bool(log), options)
        if others != ("script", "auto", 1, None, False, False, CorpusOptions()):
            raise BadParameter(
                "words are learned on the processor: of the options --pooling, --set, --weights, "
                "--seed, --precision and --json go with them"
            )
        _train_words(data, out, pooling, change or [], weights, seed, precision, as_json)
        return
    from ....training import find_logger, find_recipe, is_first, override, with_pooling
    from ....training import train as train_run
    from ...progress import page_bar, training_line

    ordered = ["order_weight=1.0"] if label == "century" else []
    chosen = override(with_pooling(find_recipe(recipe), pooling), [*ordered, *(change or [])])
    chosen.model.check()
    names = [*(log or []), *(["tensorboard"] if tensorboard else [])]
    loggers = [find_logger(name) for name in names]
    corpus = options.open_and_say(data).classed_by(label)
    with page_bar("preparing pages", len(corpus)) as prepared, training_line() as watch:
        run = train_run(
            chosen,
            corpus,
            out,
            seed=seed,
            weights=weights,
            device=device,
            devices=devices,
            precision=precision,
            workers=workers,
            loggers=loggers,
            watch=watch,
            prepared=prepared,
        )
    if not is_first():
        return
    last = run.metrics()[-1]
    best = run.load_state().best
    judged = math.isfinite(best)  # not where nothing was held out
    if as_json:
        answer = {"run": str(run.folder), "best_validation": best if judged else None, **last}
        print_json(answer)
        return
    if judged:
        say(f"best validation {'accuracy' if chosen.task == 'script' else 'mAP'}: {best:.3f}")
    print(run.folder)


def _train_words(
    data: Path,
    out: Path,
    pooling: str | None,
    changes: list[str],
    weights: Path | None,
    seed: int,
    precision: str,
    as_json: bool,
) -> None:
    from dataclasses import replace

    from ....spotting import WordModel, WordRecipe, open_words, train_words
    from ....training import override
    from ...options import say_left_out
    from ...progress import page_bar, training_line

    chosen = WordRecipe()
    if pooling is not None:
        chosen = replace(chosen, model=replace(chosen.model, pooling=pooling))
    chosen = override(chosen, changes)
    chosen.model.check()
    words = open_words(data, chosen.model.embedding)
    say_left_out(words.left_out)
    start = None if weights is None else WordModel.load(str(weights)).weights_for(chosen.model)
    with page_bar("cutting words", len(words.pages)) as cut, training_line() as watch:
        run = train_words(
            chosen,
            words,
            out,
            seed=seed,
            precision=precision,
            start=start,
            watch=watch,
            cut=cut,
        )
    if as_json:
        print_json({"run": str(run.folder), **run.metrics()[-1]})
        return
    print(run.folder)
