"""The story in six minutes: hands out of nothing, learned, tested on others, explained.

    OUT/hands, unseen              synthetic corpora
    OUT/pages/, scaled/            the same, prepared: as large as they are, and to one scale
    OUT/runs/gmp, avg-l2, script   run folders
    OUT/report.html                the report

What is there already is kept: an interrupted demo goes on where it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch

from ..corpora import Corpus, PageStore, Preparation, open_corpus, open_store
from ..corpora.synthetic import CorpusPlan, write_corpus
from ..describe.learned import LearnedDescriber
from ..evaluation import rank_pages
from ..files import replacing
from ..models import load_model
from ..records import Page, Ranking, Scores
from ..training import Progress, Recipe, Run, find_recipe, override, train
from .hinge import hinge_histogram
from .pictures import draw_planted
from .planted import PlantedTable, planted_tables
from .poolings import BASELINE, POOLINGS_TABLE
from .tables import Watchers
from .testing import (
    SQUARE,
    Floats,
    classify_store,
    describe_store,
    script_scores,
    shown,
    writer_scores,
)

GMP, AVERAGE, HINGE = "GMP", "Avg + ℓ2", "contour hinge, no learning"

# Sized for six minutes on two cores.
HANDS = CorpusPlan(writers=160, pages=3, seed=11, scripts=True)
UNSEEN = CorpusPlan(writers=60, pages=4, seed=12, scripts=True)
# These pages are all of one scan size already; their size of writing is the writer's own. Of a
# script the proportions count, so its pages are brought to one scale.
WRITERS = ["input.preparation.canonical=none"]
SCRIPTS = ["epochs=20", "decay_from=6", "validate_every=10"]


def _small(task: str, changes: Sequence[str]) -> Recipe:
    return override(find_recipe(f"{task}-small"), changes)


@dataclass(frozen=True)
class DemoPlan:
    """How much of everything."""

    hands: CorpusPlan = HANDS
    unseen: CorpusPlan = UNSEEN
    writer_recipe: Recipe = field(default_factory=lambda: _small("writer", WRITERS))
    script_recipe: Recipe = field(default_factory=lambda: _small("script", SCRIPTS))
    seed: int = 0

    @property
    def corpora(self) -> Mapping[str, CorpusPlan]:
        """The corpora by the names of their folders."""
        return {"hands": self.hands, "unseen": self.unseen}


@dataclass(frozen=True)
class Told:
    """All that the report tells."""

    plan: DemoPlan
    planted: tuple[PlantedTable, ...]
    planted_picture: bytes
    unseen: PageStore
    describer: LearnedDescriber  # with GMP
    runs: Mapping[str, Run]
    scores: Mapping[str, Scores]  # of the describers by name
    pages: tuple[Page, ...]  # that all describers describe
    rankings: Mapping[str, Ranking]
    script_run: Run
    script_scores: Scores
    seconds: Mapping[str, float]


def make_demo(
    out: Path | str, plan: DemoPlan | None = None, watchers: Watchers | None = None
) -> tuple[Path, Told]:
    """Go through the story and write its report; also gives what the report tells."""
    from .story import report_page  # only now: it needs matplotlib

    out, plan, watchers = Path(out), plan or DemoPlan(), watchers or Watchers()
    out.mkdir(parents=True, exist_ok=True)
    clock = _Clock(watchers)
    with clock("pooling made-up pages"):
        planted = planted_tables()
        draw_planted(planted[0], out / "planted.png")
    pages = sum(one.writers * one.pages for one in plan.corpora.values())
    with clock(f"writing {pages} pages of synthetic handwriting"):
        corpora = {name: _write(out / name, one, watchers) for name, one in plan.corpora.items()}
    with clock("preparing them"):
        stores, scaled = (
            {
                name: _prepare(folder / name, corpus, recipe.input.preparation, watchers)
                for name, corpus in corpora.items()
            }
            for folder, recipe in (
                (out / "pages", plan.writer_recipe),
                (out / "scaled", plan.script_recipe),
            )
        )

    average = next(row for row in POOLINGS_TABLE.rows if row.name == BASELINE)
    recipes = {GMP: plan.writer_recipe, AVERAGE: average.recipe(plan.writer_recipe)}
    folders = {GMP: out / "runs" / "gmp", AVERAGE: out / "runs" / BASELINE}
    with clock(f"learning hands with {GMP} and with {AVERAGE}, side by side"):
        jobs = [
            _Job(recipe, corpora["hands"], folders[name], stores["hands"].folder, plan.seed)
            for name, recipe in recipes.items()
        ]
        _learn_side_by_side(jobs, watchers)
        runs = {name: Run(folder) for name, folder in folders.items()}
    with clock("looking at writers never seen"):
        describers = {name: LearnedDescriber(load_model(run.folder)) for name, run in runs.items()}
        described = {
            name: describe_store(describer, stores["unseen"], SQUARE)
            for name, describer in describers.items()
        }
        described[HINGE] = _hinges(stores["unseen"])
        common, vectors = _same_pages(described)
        scores = {name: writer_scores(common, rows) for name, rows in vectors.items()}
        ids = [page.id for page in common]
        rankings = {name: rank_pages(rows, ids=ids) for name, rows in vectors.items()}

    with clock("learning scripts"):
        folder = out / "runs" / "script"
        job = _Job(
            plan.script_recipe,
            corpora["hands"],
            folder,
            scaled["hands"].folder,
            plan.seed,
            folders[GMP],  # who can tell hands apart has seen what letters are made of
        )
        script_run = job.learn(watchers.step)
        model = load_model(folder)
        assert model.classes is not None
        of_scripts = script_scores(*classify_store(model, scaled["unseen"]), model.classes)

    with clock("writing the report"):
        told = Told(
            plan,
            planted,
            (out / "planted.png").read_bytes(),
            stores["unseen"],
            describers[GMP],
            runs,
            scores,
            tuple(common),
            rankings,
            script_run,
            of_scripts,
            clock.seconds,
        )
        path = out / "report.html"
        text = report_page(told)
        with replacing(path) as beside:
            beside.write_text(text, encoding="utf-8")
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


def cores() -> int:
    """Those this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _write(folder: Path, plan: CorpusPlan, watchers: Watchers) -> Corpus:
    write_corpus(folder, plan, workers=cores(), progress=watchers.prepared)
    return open_corpus(folder)


def _prepare(
    folder: Path, corpus: Corpus, preparation: Preparation, watchers: Watchers
) -> PageStore:
    several = cores() if cores() > 1 else 0
    return open_store(
        folder, corpus.pages, preparation, workers=several, progress=watchers.prepared
    )


@dataclass(frozen=True)
class _Job:
    """A training of the story, as a process of its own can be told of it."""

    recipe: Recipe
    corpus: Corpus
    folder: Path
    pages: Path
    seed: int
    weights: Path | None = None

    def learn(self, watch: Callable[[Progress], None] | None = None) -> Run:
        return train(
            self.recipe, self.corpus, self.folder, seed=self.seed, weights=self.weights,
            device="cpu", pages=self.pages, watch=watch,
        )  # fmt: skip

    def learn_on_one_core(self) -> None:
        torch.set_num_threads(1)
        self.learn()


def _learn_side_by_side(jobs: Sequence[_Job], watchers: Watchers) -> None:
    """Two networks on two cores: less time than one after the other on both."""
    if cores() < len(jobs):
        for job in jobs:
            job.learn(watchers.step)
        return
    with ProcessPoolExecutor(len(jobs), mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(job.learn_on_one_core): job for job in jobs}
        seen = dict.fromkeys(waiting, 0)
        while waiting:
            done, _ = wait(waiting, timeout=1)
            for future, job in list(waiting.items()):
                epochs = Run(job.folder).metrics()
                if len(epochs) > seen[future] and watchers.announce is not None:
                    seen[future] = len(epochs)
                    watchers.announce(
                        f"  {job.folder.name}: epoch {len(epochs)} of {job.recipe.epochs}, "
                        f"loss {epochs[-1]['loss']:.3f}"
                    )
                if future in done:
                    del waiting[future]
                    future.result()


def _hinges(store: PageStore) -> tuple[list[Page], Floats]:
    squares = [shown(store.image(number), SQUARE).pixels for number in range(len(store))]
    histograms = np.stack([hinge_histogram(square < 128) for square in squares])
    kept = np.flatnonzero(histograms.sum(axis=1))  # a square may hold no long contour
    return [store.pages[number] for number in kept], np.sqrt(histograms[kept]).astype(np.float32)


def _same_pages(
    described: Mapping[str, tuple[list[Page], Floats]],
) -> tuple[list[Page], dict[str, Floats]]:
    """The pages that every describer could describe, and its vectors of them."""
    known = [{page.id for page in pages} for pages, _ in described.values()]
    common = set.intersection(*known)
    first = next(iter(described.values()))[0]
    pages = [page for page in first if page.id in common]
    vectors = {}
    for name, (listed, rows) in described.items():
        place = {page.id: number for number, page in enumerate(listed)}
        vectors[name] = rows[[place[page.id] for page in pages]]
    return pages, vectors
