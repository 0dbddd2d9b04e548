"""Word spotting on the George Washington pages: networks of synthetic words, poolings by folds.

    python benchmarks/words.py synthetic FEW MANY WORDS.csv RUN
    python benchmarks/words.py ship RUN
    python benchmarks/words.py table WORDS.csv OUT [--weights RUN] [--rows tpp-max,gmp]
    python benchmarks/words.py best WORDS.csv OUT --weights RUN

``synthetic`` learns from synthetic words alone, of a few writers and then of many, and is tested on
all pages of WORDS.csv; ``ship`` puts such a network into the package, in half precision. ``table``
trains every pooling on four folds, and with two more seeds on the first; ``best`` is one network
that begins with all weights, learns longer, and looks at five views of each word. Trainings go on
where they were ended.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from dgmp.evaluation import load_scores
from dgmp.experiments import WORD_ROWS, WordSetting, reproduce_words
from dgmp.spotting import (
    SHIPPED_WORDS,
    WordChanges,
    WordModel,
    WordRecipe,
    cut_words,
    open_words,
    score_by_example,
    score_by_string,
    train_words,
)
from dgmp.training import Watchers

FOLDS = (0, 1, 2, 3)  # run n is tested on fold n mod 4
SEEDS = (0, 4, 8)  # of the first fold
QUERIES = ("example", "string")
# On hundreds of hands the loss stands still for thousands of steps, on a few it falls at once: so a
# few come first. Synthetic texts are varied enough without balance.
FEW_HANDS = WordRecipe(
    changes=WordChanges(points=0.08, slant=0.2),
    balance=0.0,
    epochs=8,
    epoch_steps=75,
    decay_from=8,
)
MANY_HANDS = replace(
    FEW_HANDS,
    changes=WordChanges(points=0.08, slant=0.25),
    balance=0.2,
    epochs=76,
    epoch_steps=250,
    decay_from=25,
    warmup_steps=50,
    validation=0.02,
    validate_every=8,
)
BEST = ("epochs=20", "epoch_steps=80", "decay_from=6")
VIEWS = (1, 5)
# A network that has learned from synthetic words needs few steps on real ones.
AFTER_SYNTHETIC = ("epochs=12", "epoch_steps=80", "decay_from=3")


def learn_synthetic(few, many, words, out):
    """Two runs, the second begins with the first; then the scores on real words."""
    run = train_words(FEW_HANDS, open_words(few), out.with_name(out.name + "-few"))
    start = WordModel.load(run.folder).weights_for(MANY_HANDS.model)
    run = train_words(MANY_HANDS, open_words(many), out, start=start, watch=show)
    model = WordModel.load(run.folder)
    for name, stops in (("all queries", True), ("without stop words", False)):
        for kind, scores in zip(QUERIES, score(model, words, stops), strict=True):
            low, high = scores.intervals["map"]
            print(f"{kind}, {name}: {scores.map:.4f} [{low:.4f}, {high:.4f}], {scores.queries}")


def score(model, words, stops=True, views=1):
    """By example and by string."""
    vectors = model.describe(cut_words(words, words.words, model.spec), views=views)
    return (
        score_by_example(words.words, vectors, stop_words=stops),
        score_by_string(words.words, vectors, model.spec.embedding, stop_words=stops),
    )


def ship(run):
    model = WordModel.load(run)
    model.network.half()
    model.save(SHIPPED_WORDS)


def show(progress):
    """A line at the end of each epoch."""
    if progress.step == progress.steps:
        print(
            f"epoch {progress.epoch + 1} of {progress.epochs}, loss {progress.loss:.2f}, "
            f"{progress.per_second:.0f} words a second, validation {progress.validation}",
            flush=True,
        )


def make_table(words, out, weights, rows):
    changes = AFTER_SYNTHETIC if weights else ()
    start = WordModel.load(weights) if weights else None
    setting = WordSetting.choose(words, changes=changes, start=start)
    watchers = Watchers(announce=lambda text: print(text, flush=True))
    reproduce_words(setting, out, runs=[*FOLDS, *SEEDS[1:]], rows=rows, watchers=watchers)
    print_table(out)


def make_best(words, out, weights):
    setting = WordSetting.choose(words, changes=BEST)
    start = WordModel.load(weights).weights_for(setting.recipe.model)
    found = {views: [] for views in VIEWS}
    for run in FOLDS:
        learned, test = setting.divided(run)
        folder = out / f"tpp-max-{run}"
        train_words(setting.recipe, learned, folder, seed=run, start=start)
        for views in VIEWS:
            found[views].append(score(WordModel.load(folder), test, views=views))
            print(run, views, *(f"{one.map:.4f}" for one in found[views][-1]), flush=True)
    for views, scores in found.items():
        print(views, "views:", *map(mean_over_folds, zip(*scores, strict=True)))


def print_table(out):
    print("| pooling | by example | by string | three seeds, fold 1 |")
    print("|---|---:|---:|---|")
    for row in WORD_ROWS:
        cells, seeds = [], []
        for query in QUERIES:
            scores = {}
            for run in {*FOLDS, *SEEDS}:
                file = out / "runs" / f"{row}-{run}" / f"scores-{query}.json"
                if file.exists():
                    scores[run] = load_scores(file)
            cells.append(mean_over_folds([scores[run] for run in FOLDS if run in scores]))
            found = (100 * scores[run].map for run in SEEDS if run in scores)
            seeds.append(", ".join(f"{value:.1f}" for value in found))
        print(f"| {row} | {' | '.join(cells)} | {' / '.join(seeds)} |")


def mean_over_folds(scores):
    """The mean of the folds; its interval from theirs, since no page is in two of them."""
    if len(scores) < len(FOLDS):
        return f"{len(scores)} of {len(FOLDS)} folds"
    mean = np.mean([one.map for one in scores])
    spread = np.array([np.diff(one.intervals["map"])[0] for one in scores])
    half = np.sqrt(np.square(spread).sum()) / len(scores) / 2
    return f"{100 * mean:.1f} ({100 * (mean - half):.1f}–{100 * (mean + half):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    synthetic = verbs.add_parser("synthetic")
    for name in ("few", "many", "words", "out"):
        synthetic.add_argument(name, type=Path)
    verbs.add_parser("ship").add_argument("run", type=Path)
    table, best = verbs.add_parser("table"), verbs.add_parser("best")
    for parser_of in (table, best):
        parser_of.add_argument("words", type=Path)
        parser_of.add_argument("out", type=Path)
        parser_of.add_argument("--weights", type=Path, required=parser_of is best)
    table.add_argument("--rows", type=lambda text: text.split(","))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if asked.verb == "ship":
        ship(asked.run)
        return
    words = open_words(asked.words)
    if asked.verb == "synthetic":
        learn_synthetic(asked.few, asked.many, words, asked.out)
    elif asked.verb == "best":
        make_best(words, asked.out, asked.weights)
    else:
        make_table(words, asked.out, asked.weights, asked.rows)


if __name__ == "__main__":
    main()
