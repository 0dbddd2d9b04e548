"""Is the synthetic corpus neither empty nor given away? And how long does a page take?

    python benchmarks/synthetic.py

100 writers × 5 pages. A grey histogram of the whole page must find nothing; a contour hinge on one
binarised 256 px patch per page must find something, but not everything. Prints a table and saves
it as benchmarks/results/synthetic.md.
"""

import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from dgmp.classical import Hinge
from dgmp.engines import Processes
from dgmp.synthetic import VERSION, synthesize

WRITERS, PAGES, SEED = 100, 5, 1
PATCH = 256
RESULT = Path(__file__).parent / "results" / "synthetic.md"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        synthesize(Path(folder) / "timed", writers=10, pages=PAGES, seed=SEED + 1)
        seconds = (time.process_time() - started) / (10 * PAGES)
        synthesize(
            Path(folder) / "hands", writers=WRITERS, pages=PAGES, seed=SEED, engine=Processes(2)
        )
        files = sorted(Path(folder).glob("hands/*/*.jpg"))
        pages = [cv2.imread(str(file), cv2.IMREAD_GRAYSCALE) for file in files]
    writers = np.array([file.parent.name for file in files])
    grey = np.stack([grey_histogram(page) for page in pages])
    # A frame wider than half the window gives the same patch as binarising the whole page.
    patches = [centre(sauvola(centre(page, PATCH + 60))) for page in pages]
    hinge = np.stack([Hinge()(np.where(patch, 0, 255).astype(np.uint8)) for patch in patches])
    chance = np.random.default_rng(0).standard_normal((len(pages), 32))
    rows = [
        ("chance", cosine(chance), "–"),
        ("grey histogram, 32 bins, χ²", chi_square(grey), "below 0.10"),
        ("grey histogram, 32 bins, cosine", cosine(np.sqrt(grey)), "below 0.10"),
        ("contour hinge, cosine", cosine(hinge), "0.25–0.85"),
    ]
    lines = [
        f"# Synthetic handwriting, version {VERSION}",
        "",
        f"{WRITERS} writers × {PAGES} pages, seed {SEED}; mAP over the full ranking "
        "without the query.",
        "The histogram is of the whole page, the hinge of one Sauvola-binarised patch of "
        f"{PATCH} px from its middle.",
        "",
        "| descriptor | mAP | top-1 | target |",
        "|---|---|---|---|",
    ]
    for name, similarity, wanted in rows:
        precision, top = retrieval(similarity, writers)
        lines.append(f"| {name} | {precision:.3f} | {top:.3f} | {wanted} |")
    ink = np.mean([patch.mean() for patch in patches])
    lines += [
        "",
        f"{seconds:.3f} s of processor time per 1100×840 page ({1 / seconds:.1f} pages per second "
        f"and core), JPEG writing included; {ink:.0%} of a patch is ink.",
    ]
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("\n".join(lines) + "\n")
    print(RESULT.read_text())


def grey_histogram(page):
    counts = np.bincount(page.ravel() // 8, minlength=32).astype(float)
    return counts / counts.sum()


def sauvola(page, window=51, k=0.2):
    """True where there is ink: page ≤ m·(1 + k·(s/128 − 1)), m and s in a window."""
    grey = page.astype(np.float64)
    mean = cv2.blur(grey, (window, window))
    deviation = np.sqrt(np.maximum(cv2.blur(grey**2, (window, window)) - mean**2, 0))
    return grey <= mean * (1 + k * (deviation / 128 - 1))


def centre(page, side=PATCH):
    top, left = (np.array(page.shape) - side) // 2
    return page[top : top + side, left : left + side]


def cosine(rows):
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit @ unit.T


def chi_square(rows):
    return -np.stack([((row - rows) ** 2 / (row + rows + 1e-12)).sum(axis=1) for row in rows])


def retrieval(similarity, labels):
    """mAP and top-1; ties are broken by the order of the pages."""
    precisions, tops = [], []
    for query, row in enumerate(similarity):
        order = np.argsort(-row, kind="stable")
        relevant = (labels[order] == labels[query])[order != query]
        hits = np.cumsum(relevant) / np.arange(1, len(relevant) + 1)
        precisions.append(hits[relevant].mean())
        tops.append(relevant[0])
    return float(np.mean(precisions)), float(np.mean(tops))


if __name__ == "__main__":
    sys.exit(main())
