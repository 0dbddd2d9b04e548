"""Text scale: does a page come out at the same size whatever the size of its scan?

    python benchmarks/scale.py --data HANDS [--every 10] [--keep FILE --seconds 150]
    python benchmarks/scale.py --data HANDS --fit

HANDS is a corpus whose lines are 76 pixels apart. Every page is taken at half, double and triple
size, and as its inner part alone (two thirds of each side), and its estimated line distance is
compared with that of the page as it is, and with the 76 pixels. With ``--keep`` a run of
``--seconds`` goes on where the last one ended.

With ``--fit`` the weights of ``dgmp.pixels.run_lengths`` are fitted anew on the training pages,
wholes and parts, and printed, with the errors on fifths of the writers that were left out.
"""

from __future__ import annotations

import argparse
import json
import time
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from dgmp.corpora import open_corpus
from dgmp.pixels import read_image, text_scale
from dgmp.pixels.run_lengths import run_counts, run_shares, settle
from dgmp.pixels.scale import CANONICAL, LINES_PER_LETTER, WORKING, ink_at, letter_height
from dgmp.records import Grey, Source

FACTORS = {"half": 0.5, "double": 2.0, "triple": 3.0}
RESULTS = Path(__file__).parent / "results" / "scale.md"


def estimates(source: Source) -> list[float]:
    cv2.setNumThreads(1)
    page = read_image(source)
    found = [text_scale(page)]
    for factor in FACTORS.values():
        way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        resized = cv2.resize(page, None, fx=factor, fy=factor, interpolation=way)
        found.append(text_scale(resized) / factor)
    return [*found, text_scale(inner_part(page))]


def inner_part(page: Grey) -> Grey:
    """Two thirds of each side, in the middle."""
    height, width = page.shape
    return page[height // 6 : height - height // 6, width // 6 : width - width // 6]


def parts_of(page: Grey) -> list[Grey]:
    """The page, its inner part, its upper half, its left half, and it with margins."""
    height, width = page.shape
    margins = ((height // 6, height // 4), (width // 5, width // 5))
    return [
        page,
        inner_part(page),
        page[: height // 2],
        page[:, : width // 2],
        np.pad(page, margins, constant_values=int(np.percentile(page, 80))),
    ]


def fit_weights(
    counts: list[NDArray[np.float64]], logs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Ridge regression of the logarithm of the correction, six wrong guesses for every part."""
    wrong = np.random.default_rng(0).normal(0, 0.35, (len(counts), 6))
    shares = [
        run_shares(count, np.exp(log + off)).ravel()
        for count, log, offs in zip(counts, logs, wrong, strict=True)
        for off in offs
    ]
    inputs, target = np.stack(shares), -wrong.ravel()
    mean, spread = inputs.mean(0), inputs.std(0) + 0.01
    scaled = (inputs - mean) / spread
    gram = scaled.T @ scaled / len(scaled) + 0.1 * np.eye(scaled.shape[1])
    weights = np.linalg.solve(gram, scaled.T @ (target - target.mean()) / len(scaled)) / spread
    return weights.reshape(4, -1), float(target.mean() - mean @ weights)


def fit(data: Path) -> None:
    counts, logs, guesses, writers = [], [], [], []
    for page in open_corpus(data).in_split("train"):
        for part in parts_of(read_image(page.source)):
            zoom = WORKING / max(part.shape)
            ink = ink_at(part, zoom)
            letter = letter_height(ink)
            if letter is None:
                continue
            counts.append(run_counts(ink))
            logs.append(np.log(CANONICAL * zoom))
            guesses.append(LINES_PER_LETTER * letter)
            writers.append(page.writer)
    known = np.array(logs)
    names = np.array(sorted(set(writers)))
    np.random.default_rng(0).shuffle(names)
    errors = np.zeros(len(known))
    for fold in range(5):
        out = np.isin(writers, names[fold::5])
        rule = fit_weights([counts[i] for i in np.flatnonzero(~out)], known[~out])
        for i in np.flatnonzero(out):
            errors[i] = np.log(settle(counts[i], guesses[i], *rule)) - known[i]
    off, wide = np.sqrt(np.mean(errors**2)), np.quantile(np.abs(errors), 0.99)
    print(f"{len(known)} parts, error of the logarithm on writers left out: {off:.3f}")
    print(f"99 % within {wide:.2f}, all within {np.abs(errors).max():.2f}")
    weights, constant = fit_weights(counts, known)
    print(np.array2string(weights, precision=3, separator=", ", suppress_small=True))
    print(f"{constant:.3f}")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--data", type=Path, required=True, help="a corpus")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--keep", type=Path)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--fit", action="store_true")
    chosen = options.parse_args()
    if chosen.fit:
        fit(chosen.data)
        return
    sources = {page.id: page.source for page in open_corpus(chosen.data).pages[:: chosen.every]}
    kept: dict[str, list[float]] = {}
    if chosen.keep and chosen.keep.exists():
        kept = json.loads(chosen.keep.read_text())
    waiting = [name for name in sources if name not in kept]
    end = time.monotonic() + chosen.seconds
    with get_context("spawn").Pool(chosen.workers) as pool:
        for name, found in zip(
            waiting, pool.imap(estimates, map(sources.get, waiting)), strict=True
        ):
            kept[name] = found
            if time.monotonic() > end:
                break
    if chosen.keep:
        chosen.keep.write_text(json.dumps(kept))
    if left := sum(name not in kept for name in sources):
        print(f"{left} of {len(sources)} pages are left; run again")
        return
    found = np.array([kept[name] for name in sources])  # (pages, 5)
    same = np.abs(found[:, 1:] / found[:, :1] - 1)
    error = np.abs(found[:, 0] / 76 - 1)
    lines = [
        f"# Text scale on {len(sources)} pages of `{chosen.data.name}`",
        "",
        "| the same page | within 2 % | within 10 % |",
        "|---|---|---|",
    ]
    for column, name in enumerate([*FACTORS, "inner part only"]):
        part = same[:, column]
        lines.append(f"| {name} | {(part < 0.02).mean():.1%} | {(part < 0.1).mean():.1%} |")
    both = (same[:, :3] < 0.1).all(1)
    lines += [
        f"| half, double and triple at once | | {both.mean():.1%} |",
        "",
        f"Against the 76 pixels of the set: median error {np.median(error):.1%}, "
        f"within 10 % on {(error < 0.1).mean():.1%}, within 20 % on {(error < 0.2).mean():.1%} "
        "of pages (the set's own distances are medians of baselines over whole scans, "
        "the crops differ by a few per cent).",
        "",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
