"""What it costs to say why two pages are alike, and whether the parts add up.

    python benchmarks/evidence.py [--data HANDS]

Pages are described by `default` into a catalogue. Random pairs of them are compared, each with
twelve pairs of pieces for one hand and twelve against it, and the pieces are cut out of both
scans. Times are of the processor, on one thread with the catalogue open, over those of reading and
describing the same two pages. With --data every fourth training page of `hands` is
added.

Three errors are listed, the largest of all pairs. *sum*: of the shares and the rest against the
cosine that is shown. *parts*: of what all pairs of keypoints add, against the product of the two
pages as the describer describes them, at the words that both have. *rounding*: what of the shown
cosine comes from storing vectors in bytes.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # before numpy is imported

import cv2  # noqa: E402
import numpy as np  # noqa: E402
from timing import keep_memory, median_ratio  # noqa: E402

from dgmp import Catalogue, load_describer, synthesize  # noqa: E402
from dgmp.describers import contributions_of, reader  # noqa: E402
from dgmp.engines import Here  # noqa: E402
from dgmp.pixels import cut_outs  # noqa: E402
from dgmp.tasks import compare, describe  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "evidence.md"
PAIRS = 60


def training_pages(data: Path, folder: Path) -> Path:
    """Every fourth training page of `hands`, linked into a folder."""
    folder.mkdir()
    with (data / "writers.csv").open() as file:
        files = [row["file"] for row in csv.DictReader(file) if row["split"] == "train"]
    for name in files[::4]:
        (folder / Path(name).name).symlink_to((data / name).resolve())
    return folder


def taken(work: Callable[[], Any], seconds: list[float]) -> Any:
    start = time.process_time()
    found = work()
    seconds.append(time.process_time() - start)
    return found


def measured(catalogue: Catalogue, describer: Any, pairs: int = PAIRS) -> list[str]:
    """The cells of a row: times and errors over random pairs."""
    ids = sorted(catalogue.paths())
    every = list(combinations(ids, 2))
    chosen = np.random.default_rng(0).choice(len(every), min(pairs, len(every)), replace=False)
    read = reader(describer)
    compare(catalogue, *every[0])  # what is loaded once
    base: list[float] = []
    seconds: list[float] = []
    cutting: list[float] = []
    errors = np.zeros((len(chosen), 3))
    for number, pair in enumerate(chosen):
        pages = catalogue.pages(every[pair])
        one, other = taken(lambda: [describer.describe_page(read(page)) for page in pages], base)  # noqa: B023
        found = taken(lambda: compare(catalogue, *every[pair]), seconds)  # noqa: B023
        both = (*found.same, *found.against)
        taken(lambda: cut_outs(pages[0], [each.first for each in both]), cutting)  # noqa: B023
        taken(lambda: cut_outs(pages[1], [each.second for each in both]), cutting)  # noqa: B023
        shown = sum(each.share for each in both)
        parts = [contributions_of(describer, read(page)) for page in pages]
        common = np.ones(len(one), np.bool_)
        for part in parts:
            assert part is not None
            common &= part.sums(np.ones((1, len(part.positions))), len(one))[0] != 0
        product = float(one[common].astype(float) @ other[common].astype(float))
        errors[number] = (
            shown + found.rest - found.cosine,
            found.cosine - found.whole - found.rounding - product,
            found.rounding,
        )
    cuts = [sum(both) for both in zip(cutting[::2], cutting[1::2], strict=True)]
    worst = np.abs(errors).max(axis=0)
    return [
        str(len(chosen)),
        f"{1e3 * median(base):.0f} ms",
        f"{1e3 * median(seconds):.0f} ms",
        f"{median_ratio(seconds, base):.2f}",
        f"{median_ratio(cuts, base):.2f}",
        *(f"{error:.0e}" for error in worst),
    ]


def main() -> None:
    keep_memory()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of `hands`")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    describer = load_describer("default")
    lines = [
        "# Why two pages are alike: what it costs, and whether the parts add up",
        "",
        f"{platform.machine()}, numpy {np.__version__}, OpenCV {cv2.__version__}, one thread, "
        "processor time, medians. Ratios are over reading and describing the two pages. *sum*, "
        "*parts* and *rounding* are the largest errors of all pairs, see `evidence.py`.",
        "",
        "| pages | pairs | describe two | compare | ratio | cut 48 pieces out, ratio "
        "| sum | parts | rounding |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        synthesize(folder / "synthetic", writers=4, pages=3)
        sets = {"synthetic, 4 writers": folder / "synthetic"}
        if args.data is not None:
            sets["`hands`, every fourth training page"] = training_pages(
                args.data, folder / "hands"
            )
        for title, scans in sets.items():
            made = describe(scans, folder / f"{scans.name}.catalogue", engine=Here()).catalogue
            lines.append(f"| {title} | " + " | ".join(measured(made, describer)) + " |")
    print("\n".join(lines))
    if args.data is not None:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
