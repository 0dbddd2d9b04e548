"""Word spotting on the George Washington pages: poolings by folds, one row at a time.

    python benchmarks/words.py WORDS.csv FOLDER

FOLDER holds the runs and ``rows.jsonl``, a line for each row that is finished. Killed at any moment
and started again, it goes on; the most important rows come first. ``--table`` prints what there is,
``--synthetic DIR`` adds a row that is trained on synthetic words alone.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import torch

from dgmp.files import write_text
from dgmp.spotting import (
    WordList,
    WordModel,
    WordRecipe,
    cut_words,
    open_words,
    page_folds,
    score_by_example,
    score_by_string,
    train_words,
)

POOLINGS = ("tpp-max", "tpp-gmp", "max", "gmp", "avg")
FIRST = [(pooling, 0, 0) for pooling in POOLINGS]
SEEDS = [(pooling, 0, seed) for seed in (1, 2) for pooling in POOLINGS]
FOLDS = [(pooling, fold, 0) for fold in (1, 2, 3) for pooling in POOLINGS]
ROWS = [*FIRST, *FOLDS, *SEEDS]


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
    began = time.process_time()
    run = train_words(recipe, learned, folder, seed=seed, precision="bf16-mixed")
    seconds = time.process_time() - began
    return score(WordModel.load(run.folder), test) | {"processor_seconds": seconds}


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
    parser.add_argument("--synthetic", type=Path)
    asked = parser.parse_args()
    rows = finished(asked.folder)
    if asked.table:
        table(rows)
        return
    torch.set_num_threads(1)
    words = open_words(asked.words)
    if asked.synthetic:
        learned = open_words(asked.synthetic)
        name = "synthetic tpp-max"
        if name not in rows:
            run = asked.folder / "synthetic"
            rows[name] = {"name": name} | make_row(words, words, learned, "tpp-max", 0, run)
            store(asked.folder, rows)
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
