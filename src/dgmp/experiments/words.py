"""Word spotting, which the paper announces: poolings at the end of one network, query by query.

Run n of a row has seed n. It is tested on a list of words of its own, or else on the n-th of four
runs of the pages, and learns from the other three: after four runs every word was tested once.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..evaluation import load_scores, save_scores
from ..files import replacing, to_plain, write_text
from ..names import check_name
from ..records import Scores
from ..spotting import (
    WordList,
    WordModel,
    WordRecipe,
    cut_words,
    page_folds,
    score_by_example,
    score_by_string,
    train_words,
    trunk_of,
)
from ..training import Watchers, override
from .table_folder import claim_table

NAME = "words"
WORD_ROWS = ("avg", "max", "tpp-max", "gmp", "tpp-gmp", "tpp-attentive-gmp")
QUERIES = {"example": "query by example", "string": "query by string"}
FOLDS = 4


@dataclass(frozen=True)
class WordSetting:
    """What all rows share; without ``test`` runs take their test pages out of ``words``."""

    words: WordList
    recipe: WordRecipe
    test: WordList | None = None
    start: WordModel | None = None  # every run begins with its weights before the pooling

    @classmethod
    def choose(
        cls,
        words: WordList,
        test: WordList | None = None,
        changes: Sequence[str] = (),
        start: WordModel | None = None,
    ) -> WordSetting:
        """The recipe of ``dgmp train words``, with single values changed."""
        return cls(words, override(WordRecipe(), changes), test, start)

    def divided(self, run: int) -> tuple[WordList, WordList]:
        """What the run learns from, and what it is tested on."""
        if self.test is not None:
            return self.words, self.test
        tested = page_folds(self.words, FOLDS)[run % FOLDS]
        return _part(self.words, set(self.words.pages) - set(tested)), _part(self.words, {*tested})


def reproduce_words(
    setting: WordSetting,
    out: Path | str,
    *,
    runs: int | Sequence[int] | None = None,
    rows: Sequence[str] | None = None,
    watchers: Watchers | None = None,
) -> list[Path]:
    """Train and test what is missing, write words.md and words.csv after every run.

    ``runs`` is their number, or says which.
    """
    out, watchers = Path(out), watchers or Watchers()
    for row in rows or ():
        check_name(row, WORD_ROWS, f"row of the table {NAME}")
    test = None if setting.test is None else setting.test.place
    about = {"data": setting.words.place, "test": test, "recipe": to_plain(setting.recipe)}
    if setting.start is not None:
        about["weights"] = setting.start.digest
    claim_table(out, about)
    if runs is None:
        runs = FOLDS if setting.test is None else 1
    for run in range(runs) if isinstance(runs, int) else runs:
        for row in WORD_ROWS:
            if (rows is None or row in rows) and not all(map(Path.exists, _files(out, row, run))):
                if watchers.announce is not None:
                    watchers.announce(f"{row}, run {run + 1}")
                _train_and_test(setting, row, run, out, watchers)
                _write(setting, out)
    return _write(setting, out)


def _train_and_test(
    setting: WordSetting, row: str, run: int, out: Path, watchers: Watchers
) -> None:
    recipe = replace(setting.recipe, model=replace(setting.recipe.model, pooling=row))
    learned, test = setting.divided(run)
    folder = out / "runs" / f"{row}-{run}"
    start = None
    if setting.start is not None:  # alike for all rows, the one of the same pooling as well
        start = trunk_of(setting.start.weights_for(recipe.model))
    train_words(recipe, learned, folder, seed=run, start=start, watch=watchers.step)
    model = WordModel.load(folder)
    vectors = model.describe(cut_words(test, test.words, model.spec))
    found = (
        score_by_example(test.words, vectors),
        score_by_string(test.words, vectors, model.spec.embedding),
    )
    for scores, file in zip(found, _files(out, row, run), strict=True):
        save_scores(scores, file)


def _part(words: WordList, pages: set[str]) -> WordList:
    kept = {name: page for name, page in words.pages.items() if name in pages}
    return WordList(words.place, kept, words.on(list(kept)))


def _files(out: Path, row: str, run: int) -> list[Path]:
    return [out / "runs" / f"{row}-{run}" / f"scores-{query}.json" for query in QUERIES]


def _finished(out: Path) -> Mapping[str, list[list[Scores]]]:
    """Of each row the scores of its runs, by example and by string."""
    found: dict[str, list[list[Scores]]] = {}
    for row in WORD_ROWS:
        for folder in sorted((out / "runs").glob(f"{row}-[0-9]*")):
            files = _files(out, row, int(folder.name.removeprefix(f"{row}-")))
            if all(map(Path.exists, files)):
                found.setdefault(row, []).append([load_scores(file) for file in files])
    return found


def _write(setting: WordSetting, out: Path) -> list[Path]:
    recipe, tested = setting.recipe, setting.test or setting.words
    how = "runs of whole pages" if setting.test is None else f"`{Path(tested.place).name}`"
    lines = [
        "# Poolings for word spotting",
        "",
        f"Words of `{Path(setting.words.place).name}`, tested on {how}. Every row: "
        f"{recipe.model.network}, {recipe.epochs} epochs of {recipe.epoch_steps} steps of "
        f"{recipe.batch} words. mAP in percent, mean of the runs; in brackets the 95 % interval of "
        "the first, bootstrapped over texts.",
        "",
        "| pooling | " + " | ".join(QUERIES.values()) + " | runs |",
        "|---|" + "---:|" * (len(QUERIES) + 1),
    ]
    records = [["pooling", "query", "run", "map", "low", "high", "queries"]]
    for row, runs in _finished(out).items():
        cells = []
        for number, query in enumerate(QUERIES):
            scores = [run[number] for run in runs]
            shown = f"{100 * np.mean([one.map for one in scores]):.1f}"
            if "map" in scores[0].intervals:  # a single text has none
                shown += " ({:.1f}–{:.1f})".format(*(100 * v for v in scores[0].intervals["map"]))
            cells.append(shown)
            for run, one in enumerate(scores):
                interval = one.intervals.get("map", (np.nan, np.nan))
                values = [f"{value:.5g}" for value in (one.map, *interval)]
                records.append([row, query, str(run), *values, str(one.queries)])
        lines.append(f"| {row} | {' | '.join(cells)} | {len(runs)} |")
    paths = [out / f"{NAME}.md", out / f"{NAME}.csv"]
    write_text(paths[0], "\n".join(lines) + "\n")
    with replacing(paths[1]) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(records)
    return paths
