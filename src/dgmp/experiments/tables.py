"""The engine of the tables: train and test every row with every seed.

A run that is finished is not repeated, one that was stopped goes on; several processes may share
the rows of a table. Files are in the places that ``table_folder.py`` names.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..classical import fit_soft_whitening
from ..describers import (
    AveragedClassifier,
    Classifier,
    LearnedClassifier,
    LearnedDescriber,
    at_sizes,
    classify_pages,
    describe_pages,
)
from ..errors import CorpusError
from ..evaluation import save_scores, score_scripts, score_writers
from ..files import replacing
from ..models import load_model
from ..pixels import PageStore, open_store
from ..training import Run, Watchers, choose_pages, train
from .rows import PaperTable, Row
from .settings import Setting
from .table_folder import VIEWS, claim_table, run_folder, score_file


def run_table(
    table: PaperTable,
    setting: Setting,
    out: Path | str,
    *,
    seeds: int | None = None,
    rows: Sequence[str] | None = None,
    watchers: Watchers | None = None,
) -> Iterator[tuple[Row, int]]:
    """Train and test what is missing, seed by seed; yields each run when it is done."""
    out = Path(out)
    watchers = watchers or Watchers()
    chosen = table.chosen(rows)
    for row in chosen:
        if row.trains:
            setting.start(row)  # refuses a row that has nothing to begin with
    claim_table(out, setting.to_json())
    choose_pages(setting.corpus, setting.recipe, 0)  # refuses what cannot be trained on
    todo = [
        (row, seed)
        for seed in range(seeds or table.seeds)
        for row in chosen
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
        if row.trains:
            _train_and_test(row, seed, setting, out, test, watchers)
        elif row.members:
            _average_and_test(row, seed, setting, out, test)
        else:
            _whiten_and_test(row, seed, setting, out, test)
        yield row, seed


def _is_finished(row: Row, seed: int, setting: Setting, out: Path) -> bool:
    scored = all(score_file(out, row, seed, v).exists() for v in VIEWS[setting.recipe.task])
    if not scored or not row.trains:
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
    if model.classes is not None:
        classifier = LearnedClassifier(model, device=setting.device)
        _test_scripts(classifier, test, run.folder, score_file(out, row, seed, "page"))
        return
    describer = LearnedDescriber(model, device=setting.device)
    for view, crop in VIEWS["writer"].items():
        found = describe_pages(test.pages, describer, read=test.read, crop=crop)
        scores = score_writers(found.pages, found.descriptors.vectors)
        save_scores(scores, score_file(out, row, seed, view))


def _whiten_and_test(row: Row, seed: int, setting: Setting, out: Path, test: PageStore) -> None:
    """Score another row's descriptors after a whitening fitted on its training pages."""
    folder = out / "runs" / f"{row.whitened}-{seed}"
    describer = LearnedDescriber(load_model(folder), device=setting.device)
    chosen = choose_pages(setting.corpus, setting.recipe, seed)
    store = open_store(out / "pages" / "train", chosen, setting.recipe.input.preparation)
    fitting = [page for page in store.pages if page.split == "train"]
    for view, crop in VIEWS["writer"].items():
        fitted_on = describe_pages(fitting, describer, read=store.read, crop=crop)
        whitening = fit_soft_whitening(fitted_on.descriptors.vectors)
        found = describe_pages(test.pages, describer, read=test.read, crop=crop)
        scores = score_writers(found.pages, whitening(found.descriptors.vectors))
        save_scores(scores, score_file(out, row, seed, view))


def _average_and_test(row: Row, seed: int, setting: Setting, out: Path, test: PageStore) -> None:
    """Score the mean probabilities of other rows' networks, each at every size of this row."""
    folders = [out / "runs" / f"{name}-{seed}" for name in row.members]
    members = [LearnedClassifier(load_model(f), device=setting.device) for f in folders]
    averaged = AveragedClassifier(tuple(at_sizes(one, row.sizes) for one in members))
    _test_scripts(averaged, test, run_folder(out, row, seed), score_file(out, row, seed, "page"))


def _test_scripts(classifier: Classifier, test: PageStore, folder: Path, scored: Path) -> None:
    """Probabilities of the pages of known scripts, which an ensemble needs, then their scores."""
    known = [page for page in test.pages if page.script in classifier.classes]
    if not known:
        raise CorpusError(
            f"none of {len(test)} test pages is of a script that was trained; these are "
            f"{', '.join(classifier.classes)}"
        )
    found = classify_pages(known, classifier, read=test.read)
    with replacing(folder / "probabilities.npz") as beside, beside.open("wb") as file:
        ids = np.array([page.id for page in found.pages])
        np.savez(file, shares=found.probabilities, ids=ids)
    save_scores(score_scripts(found.pages, found.probabilities, found.classes), scored)
