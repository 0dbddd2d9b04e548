"""Scans of one resolution, of a few and of many: what line distance is used, and what it costs.

    python benchmarks/shared_scale.py --data HANDS [--describer hinge] [--every 1] [--out FILE]

HANDS is a corpus whose lines are 76 pixels apart on every page. Its training pages are resized as
collections at one or several resolutions would have them, and as writers of different sizes at one
resolution would. Three rules bring them to one scale: the true resolution, every page's own
estimate (``text_scale``), and the distance that the collection shares (``learn_scale``). Compared
are the errors of the distances and the retrieval of writers by a describer, which may have been
fitted on these pages: only the differences between rules count.

Small collections are drawn from the same estimates, many times each.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from dgmp.corpora import open_corpus
from dgmp.describers import Describer, load_describer
from dgmp.evaluation import score_writers
from dgmp.pixels import (
    Measured,
    PageImage,
    binarize,
    learn_scale,
    measure_lines,
    read_image,
    to_canonical,
)
from dgmp.records import Grey, Page
from dgmp.synthetic import draw_page, page_conditions

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results" / "shared_scale.md"
CANONICAL = 76.0
SIZES = 0.2  # spread of the sizes of writers, as a logarithm
RULES = ("true resolution", "own estimate", "shared")


def random_factors(number: int, rng: np.random.Generator) -> Floats:
    return np.exp(rng.uniform(-np.log(2), np.log(2), number))


def one_of(factors: Iterable[float], number: int, rng: np.random.Generator) -> Floats:
    return rng.choice(list(factors), number)


COLLECTIONS: dict[str, Callable[[int, np.random.Generator], Floats]] = {
    "one resolution": partial(one_of, [1.0]),
    "one, 0.7": partial(one_of, [0.7]),
    "one, 1.4": partial(one_of, [1.4]),
    "0.7 and 1.4, mixed": partial(one_of, [0.7, 1.4]),
    "0.5, 1 and 2, mixed": partial(one_of, [0.5, 1.0, 2.0]),
    "each page another, 0.5 to 2": random_factors,
}


def resized(page: Grey, factor: float) -> Grey:
    if factor == 1:
        return page
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return cv2.resize(page, None, fx=factor, fy=factor, interpolation=way)


def synthetic_pages(writers: int, pages: int) -> Iterable[tuple[str, Grey]]:
    """Pages of synthetic writers, all with 76 pixels between lines."""
    for writer in range(writers):
        for number in range(pages):
            seed = 1000 * writer + number
            distance = page_conditions(seed).layout.line_distance
            yield f"w{writer}", resized(draw_page(writer, seed), CANONICAL / distance)


def errors(found: Floats, truth: Floats) -> tuple[float, float]:
    """The error of logarithms (root mean square), and the share that is off by more than 15 %."""
    off = np.log(found / truth)
    return float(np.sqrt(np.mean(off**2))), float(np.mean(np.abs(off) > np.log(1.15)))


def shared_distances(measured: list[Measured]) -> Floats:
    scale = learn_scale(measured)
    return np.array([scale.distance(page) for page in measured])


def judge(
    title: str,
    pages: list[tuple[Page, Grey]],
    factors: Floats,
    sizes: Floats,
    describers: dict[str, Describer],
) -> tuple[str, list[Measured]]:
    """A row of the table: errors and mAP of all rules on one collection."""
    scans = [resized(grey, f * s) for (_, grey), f, s in zip(pages, factors, sizes, strict=True)]
    measured = [Measured(*measure_lines(scan)) for scan in scans]
    truth = CANONICAL * factors
    distances = {
        "true resolution": truth,
        "own estimate": np.array([page.distance for page in measured]),
        "shared": shared_distances(measured),
    }
    cells = []
    for rule in RULES[1:]:
        rms, off = errors(distances[rule], truth)
        cells.append(f"{rms:.3f} / {off:.1%}")
    known = [page for page, _ in pages]
    for describer in describers.values():
        for rule in RULES:
            vectors = []
            for page, scan, distance in zip(known, scans, distances[rule], strict=True):
                pixels = binarize(to_canonical(scan, distance)[0], "auto")
                vectors.append(describer.describe_page(PageImage(page, pixels)))
            scores = score_writers(known, np.stack(vectors), resamples=1)
            cells.append(f"{100 * scores.map:.1f}")
    row = f"| {title} | {' | '.join(cells)} |"
    print(row, flush=True)
    return row, measured


def small_collections(measured: list[Measured], rng: np.random.Generator) -> list[str]:
    """Errors on collections of 3 to 600 pages, drawn from the estimates of one resolution."""
    lines = ["| pages | " + " | ".join(COLLECTIONS) + " |", "|---" * (len(COLLECTIONS) + 1) + "|"]
    for number in (3, 10, 60, 600):
        cells = []
        for draw in COLLECTIONS.values():
            found = []
            for _ in range(40 if number < 60 else 5):
                chosen = rng.choice(len(measured), number, replace=number > len(measured))
                factors = draw(number, rng)
                pages = [
                    Measured(measured[i].distance * f, measured[i].sure)
                    for i, f in zip(chosen, factors, strict=True)
                ]
                own = np.array([page.distance for page in pages])
                truth = CANONICAL * factors
                found.append((errors(own, truth)[0], errors(shared_distances(pages), truth)[0]))
            own_error, shared_error = np.sqrt(np.mean(np.square(found), axis=0))
            cells.append(f"{own_error:.3f} → {shared_error:.3f}")
        lines.append(f"| {number} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True, help="a corpus")
    options.add_argument("--describer", action="append", default=[])
    options.add_argument("--every", type=int, default=1, help="only every so many-th writer")
    options.add_argument("--synthetic", type=int, default=25, help="synthetic writers")
    options.add_argument("--out", type=Path, default=RESULTS)
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    describers = {name: load_describer(name) for name in chosen.describer}
    rng = np.random.default_rng(0)
    listed = [page for page in open_corpus(chosen.data) if page.split == "train"]
    writers = sorted({str(page.writer) for page in listed})[:: chosen.every]
    pages = [(p, read_image(p.source)) for p in listed if p.writer in writers]
    head = ["collection", "own: error / off > 15 %", "shared: error / off > 15 %"]
    head += [f"{name}, {rule}" for name in describers for rule in RULES]
    lines = [
        f"# Shared scale on {len(pages)} training pages of `{chosen.data.name}`",
        "",
        "The error is the root mean square of logarithms against the true resolution; mAP in %, of",
        "describers that may have been fitted on these pages: only differences count.",
        "",
        f"| {' | '.join(head)} |",
        "|---" * len(head) + "|",
    ]
    ones = np.ones(len(pages))
    of_writer = dict(zip(writers, np.exp(rng.normal(0, SIZES, len(writers))), strict=True))
    sizes = np.array([of_writer[str(page.writer)] for page, _ in pages])
    measured: list[Measured] = []
    for title, draw in COLLECTIONS.items():
        row, found = judge(title, pages, draw(len(pages), rng), ones, describers)
        lines.append(row)
        measured = measured or found
    lines.append(judge("one, writers of other sizes", pages, ones, sizes, describers)[0])
    if chosen.synthetic:
        drawn = list(synthetic_pages(chosen.synthetic, 4))
        made = [
            (Page(f"{i}", listed[0].source, writer=w), grey) for i, (w, grey) in enumerate(drawn)
        ]
        number = len(made)
        spread = np.repeat(np.exp(rng.normal(0, SIZES, chosen.synthetic)), 4)
        same = np.ones(number)
        lines.append(judge("synthetic, one size", made, same, same, describers)[0])
        lines.append(judge("synthetic, other sizes", made, same, spread, describers)[0])
    lines += ["", "Errors on smaller collections, own estimates → shared:", ""]
    lines += [*small_collections(measured, rng), ""]
    chosen.out.parent.mkdir(exist_ok=True)
    chosen.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
