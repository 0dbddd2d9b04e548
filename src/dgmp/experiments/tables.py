"""The engine of the tables: train and test every row with every seed, then write what came out.

    OUT/table.json              what all rows share: data, recipe, weights
    OUT/pages/                  the prepared pages, training and test
    OUT/runs/ROW-SEED/          a run folder, and what its model scored on the test pages
    OUT/TABLE.md, .csv, .png    the table

A run that is finished is not repeated, one that was stopped goes on. The table is written anew
after every run and shows all runs there are, so that several processes may share its rows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import fit_soft_whitening
from ..corpora import Corpus, PageStore, open_store
from ..describe.learned import LearnedDescriber
from ..errors import CorpusError, DgmpError
from ..files import replacing
from ..models import load_model
from ..records import Page, Scores
from ..training import Progress, Recipe, Run, choose_pages, find_recipe, override, train
from .rows import Row, Table
from .testing import SQUARE, classify_store, describe_store, script_scores, writer_scores

FORMAT, VERSION = "dgmp-table", 1
VIEWS: dict[str, dict[str, int | None]] = {  # what is shown of a test page: None is all of it
    "writer": {"page": None, "square": SQUARE},
    "script": {"page": None},
}
_PAPER_RECIPES = {
    "historical-wi": "writer-paper",
    "clamm16": "script16-paper",
    "clamm17": "script17-paper",
}
_OFFICIAL = {
    "historical-wi": "the official Historical-WI set (ICDAR 2017)",
    "clamm16": "the official CLaMM 2016 set",
    "clamm17": "the official CLaMM 2017 set",
}


@dataclass(frozen=True)
class Setting:
    """What all rows of a table share."""

    corpus: Corpus  # trained on, its test pages left alone
    test: Corpus  # tested on
    recipe: Recipe
    recipe_name: str
    weights: Path | None = None  # a file, the folder of a run, or that of a table
    device: str = "auto"

    @classmethod
    def choose(
        cls,
        table: Table,
        corpus: Corpus,
        *,
        test: Corpus | None = None,
        recipe: str | None = None,
        changes: Sequence[str] = (),
        weights: Path | None = None,
        device: str = "auto",
    ) -> Setting:
        """The paper's recipe on the paper's sets and a small one elsewhere, unless one is named."""
        name = recipe or _PAPER_RECIPES.get(corpus.kind, f"{table.task}-small")
        chosen = override(find_recipe(name), changes)
        if chosen.task != table.task:
            raise DgmpError(
                f"the table {table.name} is of {table.task}s, the recipe {name} learns "
                f"{chosen.task}s"
            )
        pages = tuple(page for page in (test or corpus).pages if page.split == "test")
        if test is not None and not pages:
            pages = test.pages
        if not pages:
            raise CorpusError(
                f"{corpus.root}: has no pages in split test; name a second corpus to test on by "
                "--test-data"
            )
        pages = tuple(page for page in pages if getattr(page, table.task) is not None)
        if not pages:
            root = (test or corpus).root
            raise CorpusError(f"{root}: none of its test pages has a {table.task}")
        if weights is not None and not weights.is_file():
            marks = ("model.json", "table.json")
            if not any((weights / mark).is_file() for mark in marks):
                raise DgmpError(f"{weights}: is no weight file, and no folder of a run or a table")
        tested = replace(test or corpus, pages=pages)
        shown = name if not changes else f"{name} with {', '.join(changes)}"
        return cls(corpus, tested, chosen, shown, weights, device)

    def start(self, row: Row) -> Path | None:
        """What the runs of a row begin with: where that is a table, the row's own first run."""
        if self.weights is None or not (self.weights / "table.json").is_file():
            return self.weights
        run = run_folder(self.weights, row, 0)
        if 0 not in finished_seeds(self.weights, row, "page"):
            raise DgmpError(
                f"{self.weights}: has no finished run of {row.name} with seed 0 to begin with; "
                f"make it first, or leave the row out by --rows"
            )
        return run

    @property
    def data(self) -> str:
        """Which data this is, in words."""
        if (self.corpus.root / "synthetic.json").exists():
            return "synthetic handwriting"
        return _OFFICIAL.get(self.corpus.kind, "a stand-in, none of the paper's sets")

    def as_dict(self) -> dict[str, Any]:
        """What must not change while a table grows."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "data": str(self.corpus.root),
            "test": str(self.test.root),
            "test_pages": len(self.test),
            "weights": None if self.weights is None else str(self.weights),
            "recipe": asdict(self.recipe),
        }


@dataclass(frozen=True)
class Watchers:
    """Who is told what while a table is made."""

    announce: Callable[[str], None] | None = None  # a row begins
    step: Callable[[Progress], None] | None = None  # of its training
    prepared: Callable[[int], None] | None = None  # pages


def run_table(
    table: Table,
    setting: Setting,
    out: Path | str,
    *,
    seeds: int | None = None,
    rows: Sequence[str] | None = None,
    watchers: Watchers | None = None,
) -> Iterator[tuple[Row, int]]:
    """Train and test what is missing, seed by seed; tells after each run which it was."""
    out = Path(out)
    watchers = watchers or Watchers()
    for row in table.chosen(rows):
        if row.whitened is None:
            setting.start(row)  # refuses a row that has nothing to begin with
    _claim(out, setting)
    choose_pages(setting.corpus, setting.recipe, 0)  # refuses what cannot be trained on
    todo = [
        (row, seed)
        for seed in range(seeds or table.seeds)
        for row in table.chosen(rows)
        if not _is_finished(row, seed, setting, out)
    ]
    test = open_store(
        out / "pages" / "test",
        setting.test.pages,
        setting.recipe.input.preparation,
        progress=watchers.prepared,
    )
    began = time.monotonic()
    for number, (row, seed) in enumerate(todo):
        if watchers.announce is not None:
            left = (time.monotonic() - began) / number * (len(todo) - number) if number else None
            soon = "" if left is None else f", about {left / 60:.0f} minutes left"
            watchers.announce(f"{row.title}, seed {seed} (run {number + 1} of {len(todo)}{soon})")
        if row.whitened is None:
            _train_and_test(row, seed, setting, out, test, watchers)
        else:
            _whiten_and_test(row, seed, setting, out, test)
        yield row, seed


def run_folder(out: Path, row: Row, seed: int) -> Path:
    """Where the run of a row with a seed lies."""
    return out / "runs" / f"{row.name}-{seed}"


def finished_seeds(out: Path, row: Row, view: str) -> list[int]:
    """The seeds with which a row has been trained and tested."""
    found = []
    for path in (out / "runs").glob(f"{row.name}-*/scores-{view}.json"):
        seed = path.parent.name.removeprefix(f"{row.name}-")
        if seed.isdigit():  # else it is of a row whose name begins alike
            found.append(int(seed))
    return sorted(found)


def score_file(out: Path, row: Row, seed: int, view: str) -> Path:
    """What a run scored on one view of the test pages."""
    return run_folder(out, row, seed) / f"scores-{view}.json"


def _claim(out: Path, setting: Setting) -> None:
    """Make the folder this table's, or refuse one that was made of other things."""
    path = out / "table.json"
    about = json.loads(json.dumps(setting.as_dict()))
    if path.exists():
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DgmpError(f"{path}: cannot be read; choose another folder") from error
        for key, value in about.items():
            if not isinstance(found, dict) or found.get(key) != value:
                raise DgmpError(
                    f"{out}: holds a table made of another {key.replace('_', ' ')}; choose "
                    "another folder by --out"
                )
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DgmpError(f"{out}: is not empty and no table; choose another folder by --out")
    with replacing(path) as beside:
        beside.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _is_finished(row: Row, seed: int, setting: Setting, out: Path) -> bool:
    scored = all(score_file(out, row, seed, v).exists() for v in VIEWS[setting.recipe.task])
    if not scored or row.whitened is not None:
        return scored
    return Run(run_folder(out, row, seed)).recipe == row.recipe(setting.recipe)


def _train_and_test(
    row: Row, seed: int, setting: Setting, out: Path, test: PageStore, watchers: Watchers
) -> None:
    run = train(
        row.recipe(setting.recipe),
        setting.corpus,
        run_folder(out, row, seed),
        seed=seed,
        weights=setting.start(row),
        device=setting.device,
        pages=out / "pages" / "train",
        watch=watchers.step,
        prepared=watchers.prepared,
    )
    model = load_model(run.folder)
    describer = LearnedDescriber(model, device=setting.device)  # takes the network there
    if model.classes is not None:
        _save(*classify_store(model, test), model.classes, run.folder)
        return
    for view, crop in VIEWS["writer"].items():
        pages, vectors = describe_store(describer, test, crop)
        _save_scores(writer_scores(pages, vectors), score_file(out, row, seed, view))


def _whiten_and_test(row: Row, seed: int, setting: Setting, out: Path, test: PageStore) -> None:
    """Score another row's descriptors after a whitening fitted on its training pages."""
    folder = out / "runs" / f"{row.whitened}-{seed}"
    describer = LearnedDescriber(load_model(folder), device=setting.device)
    chosen = choose_pages(setting.corpus, setting.recipe, seed)
    store = open_store(out / "pages" / "train", chosen, setting.recipe.input.preparation)
    for view, crop in VIEWS["writer"].items():
        _, fitted_on = describe_store(describer, store, crop, side="train")
        pages, vectors = describe_store(describer, test, crop)
        scores = writer_scores(pages, fit_soft_whitening(fitted_on)(vectors))
        _save_scores(scores, score_file(out, row, seed, view))


def _save(
    pages: list[Page], shares: NDArray[np.float64], classes: tuple[str, ...], folder: Path
) -> None:
    """Probabilities, which an ensemble needs, then their scores."""
    with replacing(folder / "probabilities.npz") as beside, beside.open("wb") as file:
        np.savez(file, shares=shares, ids=np.array([page.id for page in pages]))
    _save_scores(script_scores(pages, shares, classes), folder / "scores-page.json")


def _save_scores(scores: Scores, path: Path) -> None:
    with replacing(path) as beside:
        beside.write_text(scores.to_json() + "\n", encoding="utf-8")
