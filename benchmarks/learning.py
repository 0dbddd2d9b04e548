"""Learning without labels: what the pooling inside the network and inside the encoding are worth.

    python benchmarks/learning.py HANDS WORK [--steps 1000] [--points 400] [--seeds 3]

HANDS is a corpus with splits and writers, WORK a folder for networks and what they found; a run
that was stopped goes on there. Networks of the same seed see the same patches, clusters and order;
they differ in the map before the pooling (4×4 or 8×8) and in the pooling. Each describes the same
keypoints of every page, encoded once by sums and once by GMP per word. RootSIFT descriptors at the
same keypoints are the control, and fused with a network (the mean of the cosines) the last rows.
Labels are used to judge the test pages and for nothing else. One thread.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import torch

from dgmp.classical import Sift, VladConfig, encode_pages, fit_pages_vlad, fit_soft_whitening
from dgmp.corpora import open_corpus
from dgmp.describers.keypoints import activations
from dgmp.evaluation import Difference, compare, retrieval_scores
from dgmp.experiments.outcomes import mean_scores
from dgmp.files import replacing
from dgmp.models import load_model
from dgmp.pixels import PageImage, PageStore, centre_patch, open_store, read_pages
from dgmp.records import Scores
from dgmp.training import Learning, Run
from dgmp.training.distributed import start_processes
from dgmp.training.learning import surrogate_lesson, unlabelled_pages
from dgmp.training.loop import train_lesson
from dgmp.training.samples import Lesson

RESULTS = Path(__file__).parent / "results" / "learning.md"
STEMS = {"4×4": 2, "8×8": 1}
POOLINGS = ("avg", "gmp")
AGGREGATIONS = ("sum", "gmp")
BANDS = 4
VIEWS = ("whole", "256 px")

Vectors = tuple[np.ndarray, np.ndarray]  # of whole test pages, of their centre patches


class Bench:
    """Pages, and what is made of them with every seed."""

    def __init__(self, hands: Path, work: Path, steps: int, points: int) -> None:
        self.work = work / f"{steps}-steps-{points}-points"
        self.learning = Learning().with_steps(steps)
        self.sift = Sift(most=points)
        corpus = open_corpus(hands)
        preparation = self.learning.training.input.preparation
        pages = unlabelled_pages(corpus, self.learning.pages)
        self.store: PageStore = open_store(self.work / "pages", pages, preparation)
        self.test: list[PageImage] = list(read_pages(corpus.in_split("test"), preparation))
        self.patches = [centre_patch(image, 256) for image in self.test]
        self.fabric = start_processes("cpu", 1, "32-true")

    def lesson(self, seed: int) -> Lesson:
        """Patches and their clusters; those of a seed are kept."""
        path = self.work / f"lesson-{seed}.pkl"
        if not path.exists():
            lesson = surrogate_lesson(self.store, self.learning, seed=seed)
            _write(path, lesson)
        kept: Lesson = pickle.loads(path.read_bytes())
        return kept

    def trained(self, stem: str, pooling: str, seed: int) -> Path:
        """The folder of a network that has learned to the end."""
        folder = self.work / f"{stem}-{pooling}-{seed}"
        recipe = self.learning.with_pooling(pooling).training
        recipe = replace(recipe, model=replace(recipe.model, stem_stride=STEMS[stem]))
        folder.mkdir(parents=True, exist_ok=True)
        train_lesson(self.lesson(seed), recipe, Run(folder), self.fabric, seed=seed)
        return folder

    def encoded(self, look: Callable[[PageImage], np.ndarray], seed: int) -> dict[str, Vectors]:
        """Whitened vectors of the test pages by either aggregation, from one look at all pages."""
        images = (self.store.image(number) for number in range(len(self.store)))
        train = [look(image).astype(np.float16) for image in images]
        views = [[look(image) for image in part] for part in (self.test, self.patches)]
        found = {}
        vlad = fit_pages_vlad(train, VladConfig(), seed=seed)
        for name in AGGREGATIONS:
            other = replace(vlad, config=replace(vlad.config, aggregation=name))
            fitted = encode_pages(other, train, BANDS)
            whitening = fit_soft_whitening(fitted[fitted.any(axis=1)], rank=256)
            whole, patches = (whitening(encode_pages(other, view)) for view in views)
            found[name] = whole, patches
        return found

    def vectors(self, name: str, make: Callable[[], dict[str, Vectors]]) -> dict[str, Vectors]:
        """What ``make`` gives, kept in a file."""
        path = self.work / f"{name}.vectors.pkl"
        if not path.exists():
            start = time.perf_counter()
            _write(path, make())
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        found: dict[str, Vectors] = pickle.loads(path.read_bytes())
        return found

    def network(self, stem: str, pooling: str, seed: int) -> dict[str, Vectors]:
        """The vectors by one network."""

        def make() -> dict[str, Vectors]:
            model = load_model(self.trained(stem, pooling, seed))
            return self.encoded(lambda image: activations(model, self.sift, image), seed)

        return self.vectors(f"{stem}-{pooling}-{seed}", make)

    def control(self, seed: int) -> dict[str, Vectors]:
        """The vectors by RootSIFT at the same keypoints."""
        return self.vectors(
            f"rootsift-{seed}",
            lambda: self.encoded(lambda image: self.sift(np.asarray(image.pixels)), seed),
        )

    def score(self, runs: Sequence[np.ndarray]) -> Scores:
        """The scores of each query, their mean over runs."""
        writers, ids = [i.page.writer for i in self.test], [i.page.id for i in self.test]
        found = [retrieval_scores(run, writers, ids=ids) for run in runs]
        return mean_scores(found)


def table(bench: Bench, seeds: Sequence[int]) -> Iterator[str]:
    """The table's lines."""
    control = [bench.control(seed) for seed in seeds]
    rows: dict[str, list[dict[str, Vectors]]] = {"RootSIFT": control}
    for stem, pooling in product(STEMS, POOLINGS):
        rows[f"{stem}, {pooling}"] = [bench.network(stem, pooling, seed) for seed in seeds]
    for stem, pooling in product(STEMS, POOLINGS):
        rows[f"{stem}, {pooling} + RootSIFT"] = [
            {
                name: (fused(net[name][0], sift[name][0]), fused(net[name][1], sift[name][1]))
                for name in AGGREGATIONS
            }
            for net, sift in zip(rows[f"{stem}, {pooling}"], control, strict=True)
        ]
    heads = [f"{view}, {name}" for view in VIEWS for name in AGGREGATIONS]
    yield "| | " + " | ".join(heads) + " |"
    yield "|---" * (len(heads) + 1) + "|"
    scores: dict[tuple[str, str, int], Scores] = {}
    for row, runs in rows.items():
        cells = []
        for view, name in product(range(2), AGGREGATIONS):
            found = bench.score([run[name][view] for run in runs])
            scores[row, name, view] = found
            low, high = found.intervals["map"]
            cells.append(f"{found.map:.3f} ({low:.3f}–{high:.3f})")
        yield f"| {row} | " + " | ".join(cells) + " |"
    yield ""
    for stem, name, view in product(STEMS, AGGREGATIONS, range(2)):
        gain = compare(scores[f"{stem}, gmp", name, view], scores[f"{stem}, avg", name, view])
        where = f"{stem}, {VIEWS[view]}, encoded by {name}"
        yield f"- gmp − avg in the network, {where}: {with_interval(gain['map'])}"
    for row, view in product(rows, range(2)):
        gain = compare(scores[row, "gmp", view], scores[row, "sum", view])
        yield f"- gmp − sum in the encoding, {row}, {VIEWS[view]}: {with_interval(gain['map'])}"


def with_interval(gain: Difference) -> str:
    """A difference with its interval."""
    return f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"


def _write(path: Path, value: object) -> None:
    with replacing(path) as beside:
        beside.write_bytes(pickle.dumps(value))


def fused(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vectors whose cosine is the mean of both."""
    return np.concatenate([a, b], axis=1) / np.sqrt(2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    bench = Bench(arguments.hands, arguments.work, arguments.steps, arguments.points)
    lines = [
        "# Learning without labels on `hands`",
        "",
        f"mAP on the test pages, the mean of {arguments.seeds} seeds, 95 % intervals over writers. "
        f"Networks of {arguments.steps} steps of {bench.learning.training.batch} patches; at most "
        f"{arguments.points} keypoints of a page are described; m = 5 × 100 words, soft whitening.",
        "",
        *table(bench, range(arguments.seeds)),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
