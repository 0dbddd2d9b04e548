"""Classical describers: how fast they are, and how well they find writers.

    python benchmarks/classical.py HANDS [PART ...] [--scripts SCRIPTS]

HANDS is a folder with a ``writers.csv`` (columns file, writer, split, page, label_kind). Everything
is fitted on its training pages and judged on its test pages; settings were chosen by
cross-validation over training writers. One thread throughout.

The parts are sections of the results: ``speed``; ``vlad`` and ``others``, describers with and
without vocabularies, on pages at the scale they have; ``estimated``, all at a scale estimated from
the ink; ``scripts``, the classification of SCRIPTS, a folder with a ``scripts.csv``.
Speed is the time from prepared pixels to the encoding, ours against OpenCV's SIFT with the
parameters of the field (contrast threshold 0.01, edge threshold 40, precise upscale) and a plain
loop over words, in turn in one run.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from timing import side_by_side

from dgmp.classical import (
    CLASSICAL,
    RootSiftVlad,
    Vlad,
    VladConfig,
    finish_describer,
    fit_looks,
    fit_pages_vlad,
    fit_rootsift_vlad,
    fit_script_classifier,
    look_at,
    three_looks,
    unit_rows,
)
from dgmp.classical.kinds import WHITENINGS
from dgmp.classical.whitening import signed_power
from dgmp.corpora import open_corpus
from dgmp.evaluation import classification_scores, ranking_scores, retrieval_scores
from dgmp.pixels import PageImage, Preparation, centre_patch, read_pages
from dgmp.rankings import rank_pages, rerank
from dgmp.records import Scores

RESULTS = Path(__file__).parent / "results" / "classical.md"
SEEDS = (0, 1, 2)
SIDE = 256
BANDS = CLASSICAL["rootsift-vlad"].bands

Views = tuple[np.ndarray, np.ndarray]  # of whole pages, of their centre patches


def field_sift(pixels: np.ndarray) -> np.ndarray:
    """OpenCV's SIFT, upright, one keypoint per pixel, RootSIFT."""
    sift = cv2.SIFT_create(contrastThreshold=0.01, edgeThreshold=40, enable_precise_upscale=True)
    best: dict[tuple[int, int], cv2.KeyPoint] = {}
    for point in sift.detect(pixels):
        place = round(point.pt[0]), round(point.pt[1])
        if place not in best or point.response > best[place].response:
            point.angle = 0
            best[place] = point
    _, found = sift.compute(pixels, list(best.values()))
    if found is None:
        return np.zeros((0, 128), np.float32)
    return np.sqrt(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-9))


def plain_encoding(vlad: Vlad, local: np.ndarray) -> np.ndarray:
    """The same VLAD with GMP, word by word."""
    whitened = vlad.whitening(local)
    blocks = []
    for centres in vlad.centres:
        far = np.square(whitened).sum(1)[:, None] - 2 * whitened @ centres.T
        nearest = (far + np.square(centres).sum(1)).argmin(axis=1)
        for word, centre in enumerate(centres):
            residuals = whitened[nearest == word] - centre
            if not len(residuals):
                blocks.append(np.zeros_like(centre))
                continue
            gram = residuals.T @ residuals
            gram += np.square(residuals).sum(axis=1).mean() * np.eye(len(gram), dtype=gram.dtype)
            blocks.append(np.linalg.solve(gram, residuals.sum(axis=0)))
    return unit_rows(signed_power(np.concatenate(blocks)))


def speed(images: Sequence[PageImage], features: RootSiftVlad) -> list[str]:
    """Milliseconds per page and ratios, from the same pages in turn."""
    pages = [image.pixels for image in images]
    theirs = [field_sift(page) for page in pages]
    ours = [features.look(page) for page in pages]
    vlad = fit_pages_vlad(theirs, VladConfig(sample=20_000))

    def over(work: Callable[..., object], *lists: Sequence[object]) -> Callable[[], None]:
        def run() -> None:
            for entries in zip(*lists, strict=True):
                work(*entries)

        return run

    seconds = side_by_side(
        {
            "OpenCV SIFT + loop over words": over(
                lambda page: plain_encoding(vlad, field_sift(page)), pages
            ),
            "ours": over(features, pages),
            "OpenCV SIFT alone": over(field_sift, pages),
            "our local descriptors, three sets of keypoints": over(features.look, pages),
            "loop over words, OpenCV's descriptors": over(
                lambda local: plain_encoding(vlad, local), theirs
            ),
            "our encoding": over(features.encode, ours),
        },
        seconds=60,
        least=3,
    )
    first = next(iter(seconds.values()))
    lines = ["| step | ms per page | times faster than the first row |", "|---|---|---|"]
    for name, taken in seconds.items():
        lines.append(f"| {name} | {1000 * taken / len(pages):.1f} | {first / taken:.2f} |")
    counts = (
        np.mean([len(found) for found in theirs]),
        np.mean([sum(map(len, found)) for found in ours]),
    )
    lines += [
        "",
        f"{len(pages)} pages of about 1100×840 pixels, one thread; "
        f"{counts[0]:.0f} keypoints per page by OpenCV, {counts[1]:.0f} by ours.",
    ]
    return lines


class Trial:
    """The pages of one preparation, and the tables made from them."""

    def __init__(self, folder: Path, preparation: Preparation) -> None:
        self.preparation = preparation
        with (folder / "writers.csv").open(encoding="utf-8") as file:
            rows = {row["file"]: row for row in csv.DictReader(file)}
        corpus = open_corpus(folder)
        reader = read_pages(corpus.in_split("train"), preparation)
        self.train: list[PageImage] = list(reader)
        self.test: list[PageImage] = list(read_pages(corpus.in_split("test"), preparation))
        self.patches = [centre_patch(image, SIDE) for image in self.test]
        self.writers = [str(image.page.writer) for image in self.test]
        self.ids = [image.page.id for image in self.test]
        self.persons = {name for name in self.ids if rows[name]["label_kind"] == "writer"}

    def scores(self, vectors: np.ndarray) -> tuple[Scores, Scores, float]:
        """Plain, re-ranked, and the mAP of the queries by known persons."""
        plain = retrieval_scores(vectors, self.writers, ids=self.ids)
        spread = rerank(rank_pages(vectors, ids=self.ids), "sgr")
        again = ranking_scores(spread, self.writers, resamples=0)
        single = zip(plain.item_ids, plain.item_values["map"], strict=True)
        return plain, again, float(np.mean([v for name, v in single if name in self.persons]))

    def row(self, name: str, runs: Sequence[Views], taken: float) -> str:
        """One line of the table: means over runs, the interval of the first."""
        cells = [name, str(runs[0][0].shape[1])]
        persons = []
        for view in (0, 1):
            found = [self.scores(run[view]) for run in runs]
            low, high = found[0][0].intervals["map"]
            cells.append(f"**{np.mean([f[0].map for f in found]):.3f}** ({low:.3f}–{high:.3f})")
            cells.append(f"{np.mean([f[1].map for f in found]):.3f}")
            persons.append(f"{np.mean([f[2] for f in found]):.3f}")
        line = "| " + " | ".join([*cells, *persons, f"{1000 * taken:.0f}"]) + " |"
        print(line, flush=True)
        return line

    def sift_rows(self, seeds: Sequence[int]) -> list[str]:
        """The kinds with vocabularies: local descriptors once, vocabularies by several seeds.

        What is not the first kind of the table is run with the first seed only.
        """
        best, *others = (n for n, k in CLASSICAL.items() if isinstance(k.features, tuple))
        looks = CLASSICAL[best].features
        assert isinstance(looks, tuple)

        local, *views = (
            [look_at(image.pixels, looks) for image in part]
            for part in (self.train, self.test, self.patches)
        )
        runs: dict[str, list[Views]] = {}
        for seed in seeds:
            features, fitted = fit_looks(local, looks, seed=seed, bands=BANDS)
            encoded = both(features.encode, *views)
            for name in (best, *others) if seed == seeds[0] else (best,):
                kind = CLASSICAL[name]
                other, vectors, found = features, fitted, encoded
                assert isinstance(kind.features, tuple)
                if kind.features != looks:
                    configs = [one.vlad for one in kind.features]
                    vlads = zip(features.vlads, configs, strict=True)
                    other = replace(features, vlads=tuple(replace(v, config=c) for v, c in vlads))
                    vectors = other.encode_pages(local, kind.bands)
                    found = both(other.encode, *views)
                if not kind.bands:
                    vectors = vectors[: len(local)]
                describer = finish_describer(name, other, vectors, seed=seed)
                runs.setdefault(name, []).append(
                    (describer.describe_features(found[0]), describer.describe_features(found[1]))
                )
            runs.setdefault(f"{best}, not whitened", []).append(encoded)
            for view, what in enumerate(("whole", f"{SIDE} px")):
                scores = retrieval_scores(runs[best][-1][view], self.writers, ids=self.ids)
                print(f"seed {seed}, {what}: {scores.map:.4f}", flush=True)
        taken = per_page(features, self.test)
        return [self.row(name, found, taken) for name, found in runs.items()]

    def other_rows(self) -> list[str]:
        """The kinds without vocabularies."""
        lines = []
        for name, kind in CLASSICAL.items():
            if isinstance(kind.features, tuple):
                continue
            assert not isinstance(kind.features, tuple)
            fitted = np.stack([kind.features(image.pixels) for image in self.train])
            found = both(lambda image, f=kind.features: f(image.pixels), self.test, self.patches)
            taken = per_page(kind.features, self.test)
            for whitening in WHITENINGS:
                describer = finish_describer(name, kind.features, fitted, whitening=whitening)
                vectors = tuple(describer.describe_features(view) for view in found)
                lines.append(self.row(f"{name}, whitening {whitening}", [vectors], taken))
        return lines


def both(describe: Callable[[Any], np.ndarray], *views: Sequence[Any]) -> Views:
    """Vectors of whole pages and of their centre patches."""
    whole, patches = (np.stack([describe(entry) for entry in view]) for view in views)
    return whole, patches


def per_page(features: Callable[[np.ndarray], object], images: Sequence[PageImage]) -> float:
    """Processor seconds for one page, the mean of a few."""
    chosen = images[:: max(len(images) // 16, 1)]
    features(chosen[0].pixels)
    start = time.process_time()
    for image in chosen:
        features(image.pixels)
    return (time.process_time() - start) / len(chosen)


HEAD = [
    f"| describer | entries | whole | SGR | {SIDE} px | SGR | persons | persons {SIDE} px | ms |",
    "|---|---|---|---|---|---|---|---|---|",
]


def script_scores(folder: Path) -> list[str]:
    """Fitted on the training pages of a corpus with scripts, judged on its test pages."""
    corpus = open_corpus(folder)
    preparation = Preparation(canonical=None)
    train, test = (
        list(read_pages(corpus.in_split(split), preparation)) for split in ("train", "test")
    )
    classifier = fit_script_classifier(train, preparation=preparation)
    shares = np.stack([classifier.classify_page(image) for image in test])
    scores = classification_scores(
        shares,
        [str(image.page.script) for image in test],
        classes=classifier.classes,
        groups=[str(image.page.manuscript) for image in test],
    )
    return ["```text", scores.table(), "```"]


TITLES = {
    "speed": "Speed",
    "vlad": "With vocabularies",
    "others": "Without vocabularies",
    "estimated": "At a scale estimated from the ink",
    "scripts": "Scripts",
}


def write_section(title: str, lines: Sequence[str]) -> None:
    """Put a section into the results, in the place of that of an earlier run."""
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    sections = dict(part.split("\n", 1) for part in old.split("\n## ")[1:])
    machine = (
        f"{platform.machine()}, OpenCV {cv2.__version__}, numpy {np.__version__}, torch "
        f"{torch.__version__}, one thread; load at the end {os.getloadavg()[0]:.1f}."
    )
    sections[title] = "\n".join(["", *lines, "", machine, ""])
    names = [name for name in TITLES.values() if name in sections]
    kept = [f"## {name}\n{sections[name].rstrip()}" for name in names]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join([*INTRODUCTION, *kept]) + "\n", encoding="utf-8")


INTRODUCTION = [
    "# Classical describers",
    "mAP on the test pages of `hands` (260 pages, 58 writers), everything fitted on its training "
    "pages; in brackets 95 % intervals over writers. `rootsift-vlad` is the mean of vocabularies "
    f"by the seeds {', '.join(map(str, SEEDS))}, everything else has seed 0. SGR: re-ranked by "
    '`rerank(ranking, "sgr")`, which uses the gallery. Persons: queries by known persons only, '
    "against all pages. ms: processor time for the features of a whole page.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hands", type=Path)
    parser.add_argument("parts", nargs="*", choices=[*TITLES, []], help="default: all")
    parser.add_argument("--scripts", type=Path)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    parts = arguments.parts or [part for part in TITLES if arguments.scripts or part != "scripts"]
    for part in parts:
        if part == "scripts":
            write_section(TITLES[part], script_scores(arguments.scripts))
            continue
        scale = {} if part == "estimated" else {"canonical": None}
        trial = Trial(arguments.hands, Preparation(**scale))
        if part == "speed":
            looks = three_looks(VladConfig(sample=20_000))
            features, _ = fit_rootsift_vlad(trial.train[::10], looks)
            lines = speed(trial.test[::22], features)
            print("\n".join(lines), flush=True)
        elif part == "vlad":
            lines = [*HEAD, *trial.sift_rows(SEEDS)]
        elif part == "others":
            lines = [*HEAD, *trial.other_rows()]
        else:
            lines = [*HEAD, *trial.sift_rows(SEEDS[:1]), *trial.other_rows()]
        write_section(TITLES[part], lines)


if __name__ == "__main__":
    main()
