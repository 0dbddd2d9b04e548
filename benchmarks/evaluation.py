"""Scoring a corpus against the plain way, and the memory of a large one.

    python benchmarks/evaluation.py [--large PAGES DIM]

The plain way holds all similarities in float32, sorts every row, and walks along it; it knows no
ties. Both are timed in turn in one run on the size of Historical-WI (720 writers × 5 pages, 2048
entries), on one thread and on two. The large corpus runs once, in a process of its own whose peak
memory is read at the end; 0 0 leaves it out.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from timing import side_by_side

from dgmp.evaluation import retrieval_scores

RESULTS = Path(__file__).parent / "results" / "evaluation.md"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def corpus(pages: int, dim: int, of_one_writer: int = 5) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((pages, dim), dtype=np.float32)
    labels = np.arange(pages) // of_one_writer
    for start in range(0, pages, 1000):
        rows = labels[start : start + 1000]
        means = [np.random.default_rng(int(n)).standard_normal(dim) for n in np.unique(rows)]
        vectors[start : start + 1000] += 0.2 * np.array(means)[rows - rows[0]]
    return vectors, labels


def plain(vectors: np.ndarray, labels: np.ndarray) -> float:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similarities = unit @ unit.T
    np.fill_diagonal(similarities, -np.inf)
    order = np.argsort(-similarities, axis=1)
    precisions = []
    for query, row in enumerate(order):
        hits = np.flatnonzero(labels[row[:-1]] == labels[query]) + 1
        precisions.append(np.mean(np.arange(1, len(hits) + 1) / hits))
    return float(np.mean(precisions))


def compare() -> None:
    """In a child, so that the number of threads can be set."""
    vectors, labels = corpus(3600, 2048)
    ours = retrieval_scores(vectors, labels, resamples=0).map
    seconds = side_by_side(
        {
            "scores": lambda: retrieval_scores(vectors, labels, resamples=0),
            "intervals": lambda: retrieval_scores(vectors, labels),
            "plain": lambda: plain(vectors, labels),
        },
        seconds=10,
        least=3,
    )
    print(*seconds.values(), abs(ours - plain(vectors, labels)))


def large(pages: int, dim: int) -> None:
    vectors, labels = corpus(pages, dim)
    start = time.perf_counter()
    retrieval_scores(vectors, labels)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(time.perf_counter() - start, peak)


def child(threads: int, *words: object) -> list[float]:
    environment = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    command = [sys.executable, __file__, *map(str, words)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", type=int, nargs=2, default=(50_000, 256))
    parser.add_argument("--child", choices=["compare", "large"])
    args = parser.parse_args()
    if args.child == "compare":
        return compare()
    if args.child == "large":
        return large(*args.large)
    lines = [
        f"{platform.machine()}, {os.cpu_count()} cores, numpy {np.__version__}; medians, "
        f"load when it began {os.getloadavg()[0]:.1f}.",
        "",
        "3 600 pages × 2048, seconds:",
        "",
        "| threads | scores | with intervals | plain argsort | scores / plain | mAP differs by |",
        "|---|---|---|---|---|---|",
    ]
    for threads in (1, 2):
        scores, intervals, sorted_, off = child(threads, "--child", "compare")
        lines.append(
            f"| {threads} | {scores:.2f} | {intervals:.2f} | {sorted_:.2f} "
            f"| {scores / sorted_:.2f} | {off:.0e} |"
        )
        print(lines[-1], flush=True)
    pages, dim = args.large
    if pages:
        seconds, peak = child(2, "--child", "large", "--large", pages, dim)
        table = pages**2 * 4 / 2**30
        lines += [
            "",
            f"{pages} pages × {dim}, all against all, with intervals: {seconds:.0f} s, at most "
            f"{peak:.2f} GiB in use, the vectors themselves included. The table of similarities "
            f"alone would take {table:.1f} GiB, its sorted order twice as much.",
        ]
        print(lines[-1], flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join(lines) + "\n")
    return None


if __name__ == "__main__":
    main()
