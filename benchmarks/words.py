"""Word spotting on the George Washington pages: poolings by folds, one row at a time.

    python benchmarks/words.py WORDS.csv FOLDER

FOLDER holds the runs and ``rows.jsonl``, a line for each row that is finished. Killed at any moment
and started again, it goes on; the most important rows come first. ``--table`` prints what there is,
``--synthetic FEW MANY`` adds two rows that are trained on synthetic words alone, of a few writers
and then of many, and tested on all pages: as it is, and with the batch statistics of these pages.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import torch

from dgmp.files import write_text
from dgmp.spotting import (
    WordChanges,
    WordList,
    WordModel,
    WordRecipe,
    cut_words,
    open_words,
    page_folds,
    score_by_example,
    score_by_string,
    stack_words,
    train_words,
)

POOLINGS = ("tpp-max", "tpp-gmp", "max", "gmp", "avg")
FIRST = [(pooling, 0, 0) for pooling in POOLINGS]
SEEDS = [(pooling, 0, seed) for seed in (1, 2) for pooling in POOLINGS]
FOLDS = [(pooling, fold, 0) for fold in (1, 2, 3) for pooling in POOLINGS]
ROWS = [*FIRST, *FOLDS, *SEEDS]
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
    FEW_HANDS, balance=0.2, epochs=24, epoch_steps=100, decay_from=8, warmup_steps=50
)
TURNS = 2


def part(words, pages):
    return WordList(words.place, {page: words.pages[page] for page in pages}, words.on(pages))


def score(model, words):
    vectors = model.describe(cut_words(words, words.words, model.spec))
    embedding = model.spec.embedding
    found = {"queries": {}, "map": {}, "interval": {}}
    for name, stops in (("", True), (" without stop words", False)):
        for kind, scores in (
            ("by example", score_by_example(words.words, vectors, stop_words=stops)),
            ("by string", score_by_string(words.words, vectors, embedding, stop_words=stops)),
        ):
            found["queries"][kind + name] = scores.queries
            found["map"][kind + name] = scores.map
            found["interval"][kind + name] = scores.intervals["map"]
    return found


def make_row(words, test, learned, pooling, seed, folder):
    recipe = WordRecipe()
    recipe = replace(recipe, model=replace(recipe.model, pooling=pooling))
    model, seconds = train(recipe, learned, folder, seed)
    return score(model, test) | {"processor_seconds": seconds}


def train(recipe, learned, folder, seed=0, start=None):
    began = time.process_time()
    run = train_words(recipe, learned, folder, seed=seed, precision="bf16-mixed", start=start)
    return WordModel.load(run.folder), time.process_time() - began


def take_statistics(model, words, batch=64):
    """Set the means and variances of batch normalisation to those of unlabelled words."""
    pictures = cut_words(words, words.words, model.spec)
    order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(0)).tolist()
    for module in model.network.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.reset_running_stats()
            module.momentum = None  # the mean over all batches
            module.train()
    with torch.inference_mode():
        for first in range(0, len(order) - batch + 1, batch):
            chosen = [pictures[place].word() for place in order[first : first + batch]]
            model.network(*stack_words(chosen))
    model.network.eval()


def synthetic_rows(folder, few, many, words, rows):
    model, seconds = train(FEW_HANDS, open_words(few), folder / "few-hands")
    learned = open_words(many)
    for turn in range(TURNS):  # each begins with the full learning rate
        run = folder / f"many-hands-{turn}"
        model, more = train(MANY_HANDS, learned, run, turn, model)
        seconds += more
    for name in ("synthetic", "synthetic, statistics"):
        if name.endswith("statistics"):
            take_statistics(model, words)
        rows[name] = {"name": name} | score(model, words) | {"processor_seconds": seconds}
        store(folder, rows)


def finished(folder):
    file = folder / "rows.jsonl"
    if not file.exists():
        return {}
    return {row["name"]: row for row in map(json.loads, file.read_text().splitlines())}


def store(folder, rows):
    write_text(folder / "rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows.values()))


def table(rows):
    print(f"{'row':28}{'by example':>12}{'by string':>12}{'minutes':>9}")
    for name, row in rows.items():
        values = [100 * row["map"][kind] for kind in ("by example", "by string")]
        shown = "".join(f"{value:12.1f}" for value in values)
        print(f"{name:28}{shown}{row['processor_seconds'] / 60:9.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--synthetic", type=Path, nargs=2, metavar=("FEW", "MANY"))
    asked = parser.parse_args()
    rows = finished(asked.folder)
    if asked.table:
        table(rows)
        return
    torch.set_num_threads(1)
    words = open_words(asked.words)
    if asked.synthetic:
        synthetic_rows(asked.folder, *asked.synthetic, words, rows)
        table(rows)
        return
    folds = page_folds(words)
    for pooling, fold, seed in ROWS:
        name = f"{pooling} fold {fold + 1} seed {seed}"
        if name in rows:
            continue
        others = [page for pages in folds if pages is not folds[fold] for page in pages]
        run = asked.folder / name.replace(" ", "-")
        test, learned = part(words, folds[fold]), part(words, others)
        rows[name] = {"name": name} | make_row(words, test, learned, pooling, seed, run)
        store(asked.folder, rows)
        print(json.dumps(rows[name]), flush=True)


if __name__ == "__main__":
    main()
