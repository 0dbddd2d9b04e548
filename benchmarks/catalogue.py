"""Searching a large catalogue, grouping 20 000 pages, and what describing into a catalogue costs.

    python benchmarks/catalogue.py [--pages 1000000] [--dim 512] [--folder DIR]

Descriptors are drawn in clusters, five pages by each writer: a page is its writer plus 0.7 times
noise, at unit length, all parts standard normal. In "schools" a writer is one of 500 schools plus
noise, as hands of one time and place are alike; in "no schools" it is noise alone, so that beyond
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
from pathlib import Path
from statistics import median

import lancedb
import numpy as np

from dgmp.catalogue import Catalogue, Entry, Head, fit_calibration, group_pages
from dgmp.corpora import PageImage, Preparation, open_corpus
from dgmp.corpora.synthetic import CorpusPlan, write_corpus
from dgmp.describe import catalogue_pages, describe_pages, open_or_create
from dgmp.evaluation import bcubed
from dgmp.records import Descriptors, Page

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
        hands = generator.standard_normal((writers, dim), dtype=np.float32)
        hands += centres[generator.integers(len(centres), size=writers)]
        part[:] = np.repeat(hands, OF_ONE_WRITER, axis=0)
        part += NOISE * generator.standard_normal(part.shape, dtype=np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return vectors


def filled(folder: Path, vectors: np.ndarray) -> Catalogue:
    catalogue = Catalogue.create(folder, Head({}, vectors.shape[1], "drawn"))
    for start in range(0, len(vectors), BATCH):
        numbers = range(start, min(start + BATCH, len(vectors)))
        catalogue.add(
            [Entry(Page(f"{i:07}", RESULTS.parent), vectors[i], "", b"") for i in numbers]
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
        hits = catalogue.search(vectors[query], 10, leave_out=f"{query:07}")
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
    calibration = fit_calibration(
        known, writers[:500], [None] * 500, measure=lambda *two: bcubed(*two).f, collections=30
    )
    start = time.perf_counter()
    hands = group_pages(Descriptors(ids, vectors, {}), calibration)
    seconds = time.perf_counter() - start
    number = {id: hand.number for hand in hands for id in hand.page_ids}
    right = bcubed(writers, [number[id] for id in ids]).f
    return (
        f"{pages} pages × {dim} by {pages // OF_ONE_WRITER} writers, drawn with schools, are "
        f"grouped into {len(hands)} hands in {seconds:.0f} s (B-cubed F {right:.3f})."
    )


class SiftDescriber:
    """A describer of usual cost: a histogram of the SIFT descriptors of a page."""

    preparation, dim, spec = Preparation(), 128, {"kind": "sift-mean"}

    def describe_page(self, image: PageImage) -> np.ndarray:
        import cv2

        _, local = cv2.SIFT_create(contrastThreshold=0.01).detectAndCompute(image.pixels, None)
        vector = np.sqrt(local.mean(axis=0))
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def described(folder: Path) -> str:
    write_corpus(folder / "scans", CorpusPlan(12, 5, 1))
    pages = open_corpus(folder / "scans").pages
    describer = SiftDescriber()
    describe_pages(pages[:2], describer)
    start = time.perf_counter()
    describe_pages(pages, describer)
    alone = time.perf_counter() - start
    start = time.perf_counter()
    catalogue = open_or_create(folder / "catalogue", "sift", describer)
    catalogue_pages(pages, describer, catalogue)
    total = time.perf_counter() - start
    start = time.perf_counter()
    catalogue_pages(pages, describer, catalogue)
    again = time.perf_counter() - start
    return (
        f"{len(pages)} synthetic pages into a catalogue, one process: "
        f"{1e3 * total / len(pages):.0f} ms per page; describing alone, without a catalogue, takes "
        f"{alone / total:.0%} of that (a plain mean of SIFT descriptors). The same command again, "
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
