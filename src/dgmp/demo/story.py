"""The story in six minutes: writers out of nothing, learned, tested on others, explained.

    OUT/known, unseen              synthetic corpora
    OUT/pages/, scaled/            the same, prepared: as large as they are, and to one scale
    OUT/runs/gmp, avg-l2, script   run folders
    OUT/report.html                the report

What is there already is kept: an interrupted demo goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import torch

from ..classical import ClassicalDescriber, Hinge
from ..corpora import Corpus, open_corpus
from ..describers import (
    Described,
    Describer,
    LearnedClassifier,
    LearnedDescriber,
    classify_pages,
    describe_pages,
)
from ..engines import Engine, cores, engine_for
from ..evaluation import score_scripts, score_writers
from ..files import write_text
from ..models import load_model
from ..pixels import PageStore, open_store
from ..rankings import rank_pages
from ..records import Matrix, Page, Scores
from ..synthetic import synthesize
from ..training import Recipe, Run, Watcher, Watchers, train
from .plan import AVERAGE, GMP, HINGE, PATCH, DemoPlan
from .planted import planted_tables
from .planted_picture import draw_planted
from .report import Told, report_page


def make_demo(
    out: Path | str, plan: DemoPlan | None = None, watchers: Watchers | None = None
) -> tuple[Path, Told]:
    """Go through the story and write its report; also gives what the report says."""
    out, plan, watchers = Path(out), plan or DemoPlan(), watchers or Watchers()
    clock = _Clock(watchers)
    with clock("pooling made-up pages"):
        planted = planted_tables()
        draw_planted(planted[0], out / "planted.png")
    pages = sum(one.writers * one.pages for one in plan.corpora.values())
    with clock(f"writing {pages} pages of synthetic handwriting"):
        corpora = _write_corpora(out, plan, watchers)
    with clock("preparing them"):
        as_scanned = _prepare(out / "pages", corpora, plan.writer_recipe, watchers)
        scaled = _prepare(out / "scaled", corpora, plan.script_recipe, watchers)
    known, unseen = corpora["known"], as_scanned["unseen"]

    recipes = {GMP: plan.writer_recipe, AVERAGE: plan.average_recipe}
    folders = {GMP: out / "runs" / "gmp", AVERAGE: out / "runs" / "avg-l2"}
    with clock(f"learning writers with {GMP} and with {AVERAGE}, side by side"):
        trainings = [
            _Training(recipe, known, folders[name], as_scanned["known"].folder, plan.seed)
            for name, recipe in recipes.items()
        ]
        _learn_side_by_side(trainings, watchers)
        runs = {name: Run(folder) for name, folder in folders.items()}
    with clock("describing pages by writers never seen"):
        gmp, average = (LearnedDescriber(load_model(run.folder)) for run in runs.values())
        hinge = ClassicalDescriber("hinge", Hinge(), preparation=gmp.preparation)
        describers: dict[str, Describer] = {GMP: gmp, AVERAGE: average, HINGE: hinge}
        described = {
            name: describe_pages(unseen.pages, describer, read=unseen.read, crop=PATCH)
            for name, describer in describers.items()
        }
        common, vectors = _same_pages(described)
        scores = {name: score_writers(common, rows) for name, rows in vectors.items()}
        ids = [page.id for page in common]
        rankings = {name: rank_pages(rows, ids=ids) for name, rows in vectors.items()}

    with clock("learning scripts"):
        # Begun with the network that tells writers apart: it has learned what letters are made of.
        training = _Training(
            plan.script_recipe,
            known,
            out / "runs" / "script",
            scaled["known"].folder,
            plan.seed,
            weights=folders[GMP],
        )
        script_run = training.learn(watchers.step)
        of_scripts = _score_scripts(script_run, scaled["unseen"])

    with clock("writing the report"):
        told = Told(
            plan=plan,
            planted=planted,
            planted_picture=(out / "planted.png").read_bytes(),
            unseen=unseen,
            describer=gmp,
            runs=runs,
            pages=tuple(common),
            scores=scores,
            rankings=rankings,
            script_run=script_run,
            script_scores=of_scripts,
            seconds=clock.seconds,
        )
        path = out / "report.html"
        write_text(path, report_page(told))
    return path, told


class _Clock:
    """Announces the parts of the story and keeps their times."""

    def __init__(self, watchers: Watchers) -> None:
        self.watchers = watchers
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        if self.watchers.announce is not None:
            self.watchers.announce(f"{part} …")
        began = time.monotonic()
        yield
        self.seconds[part] = time.monotonic() - began


def _engine() -> Engine:
    return engine_for(cores() if cores() > 1 else 0)


def _write_corpora(out: Path, plan: DemoPlan, watchers: Watchers) -> dict[str, Corpus]:
    for name, one in plan.corpora.items():
        synthesize(
            out / name,
            writers=one.writers,
            pages=one.pages,
            seed=one.seed,
            scripts=one.scripts,
            engine=_engine(),
            progress=watchers.prepared,
        )
    return {name: open_corpus(out / name) for name in plan.corpora}


def _prepare(
    folder: Path, corpora: Mapping[str, Corpus], recipe: Recipe, watchers: Watchers
) -> dict[str, PageStore]:
    """The pages of every corpus as the recipe wants them."""
    return {
        name: open_store(
            folder / name,
            corpus.pages,
            recipe.input.preparation,
            engine=_engine(),
            progress=watchers.prepared,
        )
        for name, corpus in corpora.items()
    }


@dataclass(frozen=True)
class _Training:
    """A training of the story; it can be sent to a process of its own."""

    recipe: Recipe
    corpus: Corpus
    folder: Path
    pages: Path
    seed: int
    weights: Path | None = None

    def learn(self, watch: Watcher | None = None) -> Run:
        return train(
            self.recipe,
            self.corpus,
            self.folder,
            seed=self.seed,
            weights=self.weights,
            device="cpu",
            pages=self.pages,
            watch=watch,
        )

    def learn_on_one_core(self) -> None:
        torch.set_num_threads(1)
        self.learn()


def _learn_side_by_side(trainings: Sequence[_Training], watchers: Watchers) -> None:
    """Two networks on two cores: less time than one after the other on both."""
    if cores() < len(trainings):
        for training in trainings:
            training.learn(watchers.step)
        return
    with ProcessPoolExecutor(len(trainings), mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(training.learn_on_one_core): training for training in trainings}
        seen = dict.fromkeys(waiting, 0)
        while waiting:
            done, _ = wait(waiting, timeout=1)
            for future, training in list(waiting.items()):
                epochs = Run(training.folder).metrics()
                if len(epochs) > seen[future] and watchers.announce is not None:
                    seen[future] = len(epochs)
                    watchers.announce(
                        f"  {training.folder.name}: epoch {len(epochs)} of "
                        f"{training.recipe.epochs}, loss {epochs[-1]['loss']:.3f}"
                    )
                if future in done:
                    del waiting[future]
                    future.result()


def _same_pages(described: Mapping[str, Described]) -> tuple[list[Page], dict[str, Matrix]]:
    """The pages that every describer could describe, and its vectors of them."""
    common = set.intersection(*({page.id for page in one.pages} for one in described.values()))
    first = next(iter(described.values()))
    vectors = {
        name: one.descriptors.vectors[[page.id in common for page in one.pages]]
        for name, one in described.items()  # all in the order of the store
    }
    return [page for page in first.pages if page.id in common], vectors


def _score_scripts(run: Run, unseen: PageStore) -> Scores:
    classifier = LearnedClassifier(load_model(run.folder))
    known = [page for page in unseen.pages if page.script in classifier.classes]
    found = classify_pages(known, classifier, read=unseen.read)
    return score_scripts(found.pages, found.probabilities, found.classes)
