"""Searching a large catalogue, grouping 20 000 pages, and what describing into a catalogue costs.

    python benchmarks/catalogue.py [--pages 1000000] [--dim 512] [--folder DIR]

Descriptors are drawn in clusters, five pages by each writer: a page is its writer plus 0.7 times
noise, at unit length, all parts standard normal. In "schools" a writer is one of 500 schools plus
noise, as writers of one time and place are alike; in "no schools" it is noise alone, so that beyond
the four other pages of the writer all pages of the catalogue are about equally far, the hardest
case there is for an index. Queries are pages of the catalogue, left out of their own result.
Recall@10 is the share of the ten nearest by brute force (NumPy, the whole matrix in memory) that a
search finds; both are timed in turn in one run, one query at a time.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import cv2
import lancedb
import numpy as np

from dgmp.catalogue import Catalogue, Entry, Head
from dgmp.classical import CLASSICAL, ClassicalKind
from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages, load_describer
from dgmp.engines import Here
from dgmp.evaluation import bcubed
from dgmp.hands import fit_calibration, group_pages
from dgmp.records import Descriptors, Grey, Page
from dgmp.sources import FileSource
from dgmp.synthetic import synthesize
from dgmp.tasks import describe

RESULTS = Path(__file__).parent / "results" / "catalogue.md"
OF_ONE_WRITER, NOISE, SCHOOLS = 5, 0.7, 500
BATCH = 20_000
QUERIES = 100


def drawn(pages: int, dim: int, schools: int) -> np.ndarray:
    generator = np.random.default_rng(0)
    centres = generator.standard_normal((max(schools, 1), dim), dtype=np.float32) * (schools > 0)
    vectors = np.empty((pages, dim), np.float32)
    for start in range(0, pages, BATCH):
        part = vectors[start : start + BATCH]
        writers = len(part) // OF_ONE_WRITER
        means = generator.standard_normal((writers, dim), dtype=np.float32)
        means += centres[generator.integers(len(centres), size=writers)]
        part[:] = np.repeat(means, OF_ONE_WRITER, axis=0)
        part += NOISE * generator.standard_normal(part.shape, dtype=np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return vectors


def filled(folder: Path, vectors: np.ndarray) -> Catalogue:
    catalogue = Catalogue.create(folder, Head({}, vectors.shape[1], "drawn"))
    for start in range(0, len(vectors), BATCH):
        numbers = range(start, min(start + BATCH, len(vectors)))
        catalogue.add(
            [
                Entry(Page(f"{i:07}", FileSource(RESULTS.parent)), vectors[i], "", b"")
                for i in numbers
            ]
        )
    return catalogue


def searched(folder: Path, name: str, pages: int, dim: int, schools: int) -> str:
    vectors = drawn(pages, dim, schools)
    start = time.perf_counter()
    catalogue = filled(folder, vectors)
    adding = time.perf_counter() - start
    start = time.perf_counter()
    catalogue.settle()
    indexing = time.perf_counter() - start
    queries = np.random.default_rng(1).integers(pages, size=QUERIES)
    ours, brute, found = [], [], []
    catalogue.search(vectors[0], 10)  # opens what is opened once
    for query in queries:
        start = time.perf_counter()
        hits = catalogue.search(vectors[query], 10, leave_out=f"{query:07}").hits
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        cosines = vectors @ vectors[query]
        nearest = np.argpartition(-cosines, 10)[:11]
        brute.append(time.perf_counter() - start)
        true = {int(i) for i in nearest[np.argsort(-cosines[nearest])] if i != query}
        found.append(len(true & {int(hit.page_id) for hit in hits}) / 10)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    ratio = median(brute) / median(ours)
    return (
        f"| {name} | {np.mean(found):.4f} | {1e3 * median(ours):.1f} | "
        f"{1e3 * np.quantile(ours, 0.95):.1f} | {1e3 * median(brute):.1f} | {ratio:.1f} | "
        f"{adding:.0f} | {indexing:.0f} | {size / 2**30:.1f} |"
    )


def grouped(pages: int, dim: int) -> str:
    vectors = drawn(pages, dim, SCHOOLS)
    ids = tuple(f"{i:07}" for i in range(pages))
    writers = np.arange(pages) // OF_ONE_WRITER
    known = Descriptors(ids[:500], vectors[:500], {})
    calibration = fit_calibration(known, writers[:500], [None] * 500, collections=30)
    start = time.perf_counter()
    hands = group_pages(Descriptors(ids, vectors, {}), calibration)
    seconds = time.perf_counter() - start
    number = {id: hand.number for hand in hands for id in hand.page_ids}
    right = bcubed(writers, [number[id] for id in ids]).f
    return (
        f"{pages} pages × {dim} by {pages // OF_ONE_WRITER} writers, drawn with schools, are "
        f"grouped into {len(hands)} hands in {seconds:.0f} s (B-cubed F {right:.3f})."
    )


@dataclass(frozen=True)
class SiftMean:
    """Features of usual cost: the mean of the SIFT descriptors of a page."""

    dim: int = 128

    def __call__(self, pixels: Grey) -> np.ndarray:  # (height, width) -> (dim,)
        _, local = cv2.SIFT_create(contrastThreshold=0.01).detectAndCompute(pixels, None)
        vector = np.sqrt(local.mean(axis=0))
        return (vector / np.linalg.norm(vector)).astype(np.float32)


CLASSICAL["sift-mean"] = ClassicalKind("the plain mean of SIFT descriptors", SiftMean())


def described(folder: Path) -> str:
    synthesize(folder / "scans", writers=12, pages=5, seed=1)
    corpus = open_corpus(folder / "scans")
    pages = corpus.pages
    describer = load_describer("sift-mean")
    describe_pages(pages[:2], describer)
    start = time.process_time()
    describe_pages(pages, describer)
    alone = time.process_time() - start
    start = time.process_time()
    describe(corpus, folder / "catalogue", describer="sift-mean", engine=Here())
    total = time.process_time() - start
    start = time.process_time()
    describe(corpus, folder / "catalogue", describer="sift-mean", engine=Here())
    again = time.process_time() - start
    return (
        f"{len(pages)} synthetic pages into a catalogue, one process: "
        f"{1e3 * total / len(pages):.0f} ms of processor time per page; describing alone, without "
        f"a catalogue, takes {alone / total:.0%} of that (a plain mean of SIFT descriptors). The "
        "same command again, "
        f"with nothing to do: {1e3 * again:.0f} ms."
    )


def lines(arguments: argparse.Namespace) -> Iterator[str]:
    pages, dim = arguments.pages, arguments.dim
    yield (
        f"{platform.machine()}, {os.cpu_count()} cores, {len(os.sched_getaffinity(0))} used, "
        f"lancedb {lancedb.__version__}, numpy {np.__version__}; load when it began "
        f"{os.getloadavg()[0]:.1f}."
    )
    yield f"\n{pages} pages × {dim}, {QUERIES} queries, ten hits:\n"
    yield (
        "| drawn with | recall@10 | ms, median | ms, 95 % | brute force ms | ratio | adding s | "
        "index s | GiB |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, schools in (("schools", SCHOOLS), ("no schools", 0)):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            yield searched(Path(folder) / "catalogue", name, pages, dim, schools)
    yield "\n" + grouped(20_000, dim)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        yield "\n" + described(Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield f"\nPeak memory {peak:.1f} GiB, brute force's matrix included."


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=512)
    parser.add_argument("--folder", help="where the catalogue lies for the time being")
    text = []
    for line in lines(parser.parse_args()):
        print(line, flush=True)
        text.append(line)
    RESULTS.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
