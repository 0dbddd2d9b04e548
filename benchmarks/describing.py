"""What it costs to describe a page, against OpenCV's SIFT on the same prepared page.

    python benchmarks/describing.py [--data HANDS]

Two scans: a synthetic page of 1000×800 pixels, and the same page as a colour JPEG of 12 megapixels.
Each is read and prepared (its scale is estimated) and described by `default`; its parts are timed
alone, and the halves of the page with it. Everything runs in turn, round after round, on one
thread; times are of the processor, ratios taken within each round. The allocator keeps its memory,
without which SIFT spends a quarter of its time on getting it from the system. With --data the
largest training pages of `hands` are added, as one row.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # before numpy is imported

import cv2  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from timing import keep_memory, median_ratio  # noqa: E402

from dgmp import load_describer, open_corpus, synthesize  # noqa: E402
from dgmp.pixels import prepare_page  # noqa: E402
from dgmp.records import Page  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "describing.md"
SIZE = (1000, 800)  # width, height
LARGE = (4000, 3200)
PAGES = 8  # of `hands`
ROUNDS = 9
Row = dict[str, list[float]]  # processor seconds of each part in each round


def scans(folder: Path) -> dict[str, Page]:
    """A synthetic page by its size, as it is written to files."""
    synthesize(folder / "drawn", writers=1, pages=1)
    drawn = cv2.imread(str(next((folder / "drawn").rglob("*.jpg"))), cv2.IMREAD_GRAYSCALE)
    top, left = (drawn.shape[0] - SIZE[1]) // 2, (drawn.shape[1] - SIZE[0]) // 2
    page = drawn[top : top + SIZE[1], left : left + SIZE[0]]
    large = cv2.resize(page, LARGE, interpolation=cv2.INTER_CUBIC)
    paper = np.array([0.80, 0.92, 1.0], np.float32)  # blue, green, red
    pictures = {"page": page, "large": (large[:, :, None] * paper).astype(np.uint8)}
    (folder / "scans").mkdir()
    for name, picture in pictures.items():
        cv2.imwrite(str(folder / "scans" / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
    found = {Path(page.source.address).stem: page for page in open_corpus(folder / "scans").pages}
    return {
        f"synthetic page, {SIZE[0]}×{SIZE[1]}": found["page"],
        f"the same as a colour JPEG of {LARGE[0]}×{LARGE[1]}": found["large"],
    }


def training_pages(data: Path) -> list[Page]:
    """The largest training pages of `hands`, at most one of a writer."""
    with (data / "writers.csv").open() as file:
        files = {row["file"]: row for row in csv.DictReader(file)}
    train = {str((data / name).resolve()) for name, row in files.items() if row["split"] == "train"}
    pages = [
        page
        for page in open_corpus(data).pages
        if str(Path(page.source.address).resolve()) in train and page.size is not None
    ]
    pages.sort(key=lambda page: (-np.prod(page.size or (0, 0)), page.id))
    return list({page.writer: page for page in pages[::-1]}.values())[-PAGES:]


def parts(describer: Any, page: Page) -> dict[str, Callable[[], object]]:
    """The work on one page, part by part."""
    strokes, texture = describer.parts
    features = strokes.features
    image = prepare_page(page, describer.preparation)
    pixels = image.pixels
    local = features.look(pixels)
    lengths = list(zip(features.vlads, local, strict=True))
    return {
        "cv2.SIFT": lambda: cv2.SIFT_create().detectAndCompute(pixels, None),
        "read, prepare": lambda: prepare_page(page, describer.preparation),
        "RootSIFT": lambda: features.look(pixels),
        "VLAD": lambda: [vlad.encode(look) for vlad, look in lengths],
        "SRS-LBP": lambda: texture.features(pixels),
        "all": lambda: describer.describe_page(prepare_page(page, describer.preparation)),
        "all, halves": lambda: halves(describer, page),
    }


def halves(describer: Any, page: Page) -> list[np.ndarray]:
    """The page and its halves, up to the steps after the features."""
    image = prepare_page(page, describer.preparation)
    return [
        part.describe_features(part.features.with_halves(image.pixels)) for part in describer.parts
    ]


def rounds(candidates: Mapping[str, Callable[[], object]], least: int = ROUNDS) -> Row:
    """Processor seconds; every round starts with the next candidate."""
    for run in candidates.values():
        run()
    times: Row = {name: [] for name in candidates}
    order = list(candidates)
    for _ in range(least):
        for name in order:
            start = time.process_time()
            candidates[name]()
            times[name].append(time.process_time() - start)
        order = order[1:] + order[:1]
    return times


def line(name: str, times: Row, shape: str) -> str:
    base = times["cv2.SIFT"]
    cells = [f"{1e3 * median(base):.0f} ms"]
    cells += [
        f"{median_ratio(taken, base):.2f}" for part, taken in times.items() if taken is not base
    ]
    return f"| {name} | {shape} | " + " | ".join(cells) + " |"


def main() -> None:
    keep_memory()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of `hands`")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    describer: Any = load_describer("default")
    lines = [
        "# Describing a page, over OpenCV's SIFT on the same prepared page",
        "",
        f"{platform.machine()}, numpy {np.__version__}, OpenCV {cv2.__version__}, one thread, "
        "processor time, medians of the ratios within each round. RootSIFT has three looks; "
        "*halves* describes the page, its upper and its lower half.",
        "",
        "| scan | prepared | cv2.SIFT | read, prepare | RootSIFT | VLAD | SRS-LBP | all "
        "| all, halves |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, page in scans(Path(folder)).items():
            height, width = prepare_page(page, describer.preparation).pixels.shape
            lines.append(line(name, rounds(parts(describer, page)), f"{width}×{height}"))
            print(lines[-1], flush=True)
    if args.data:
        taken = [rounds(parts(describer, page), 3) for page in training_pages(args.data)]
        joined = {
            part: [sum(some) for some in zip(*(t[part] for t in taken), strict=True)]
            for part in taken[0]
        }
        mean = {
            part: [seconds / len(taken) for seconds in values] for part, values in joined.items()
        }
        lines.append(
            line(f"{len(taken)} training pages of `hands`, the mean", mean, "about 1104×840")
        )
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
