"""Searching a large catalogue, grouping 20 000 pages, and what describing into a catalogue costs.

    python benchmarks/catalogue.py [--pages 100000] [--dim 35072] [--folder DIR]

Descriptors are drawn with the statistics of real ones: five pages by each writer with cosines of
about 0.35 to 0.6, cosines of 0 ± 0.04 between writers, and a spectrum that falls slowly (the
variance of direction i goes as 1/(1 + i/200)², and 1/(1 + i/300)² within a writer). In "schools" a
writer is one of 500 schools plus its own part, with cosines of about 0.2 between pages of one
school; in "no schools" writers have nothing in common, so that beyond the four other pages of the
writer the ten nearest are chance, the hardest case there is for short vectors. Queries are pages of
the catalogue, left out of their own result. Recall@10 is the share of the ten nearest among all
stored vectors that a search finds. Memory is the resident set of this process, drawing included.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import cv2
import lancedb
import numpy as np
import scipy.fft

from dgmp.catalogue import Catalogue, Entry, Head, rounded, unrounded
from dgmp.catalogue.search import EXACT_PAGES
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
OF_ONE_WRITER, SCHOOLS = 5, 500
LATENT = 2048  # directions in which drawn descriptors differ
BATCH = 2_500
QUERIES, QUERIED = 100, 4  # pages that are asked for, and batches they are taken from


def falling(pace: float) -> np.ndarray:  # (LATENT,)
    weights = 1 / (1 + np.arange(LATENT, dtype=np.float32) / pace)
    return weights / np.linalg.norm(weights)


BETWEEN, WITHIN = falling(200), falling(300)


def drawn(batch: int, dim: int, schools: int) -> np.ndarray:  # (BATCH, dim)
    """A batch of pages, the same for the same number."""
    generator = np.random.default_rng((7, batch))
    writers = BATCH // OF_ONE_WRITER

    def normal(rows: int, weights: np.ndarray) -> np.ndarray:
        return generator.standard_normal((rows, LATENT), dtype=np.float32) * weights

    means = normal(writers, BETWEEN)
    if schools:
        of_school = np.random.default_rng(3)
        centres = of_school.standard_normal((schools, LATENT), dtype=np.float32) * BETWEEN
        share = generator.uniform(0.3, 0.6, (writers, 1)).astype(np.float32)
        means *= np.sqrt(1 - share)
        means += np.sqrt(share) * centres[generator.integers(schools, size=writers)]
    share = generator.uniform(0.35, 0.6, (writers, 1)).astype(np.float32)
    share = np.repeat(share, OF_ONE_WRITER, axis=0)
    pages = np.sqrt(1 - share) * normal(BATCH, WITHIN)
    pages += np.sqrt(share) * np.repeat(means, OF_ONE_WRITER, axis=0)
    turned = scipy.fft.dct(pages[:, :dim], axis=1, norm="ortho")  # leading directions mixed
    signs = np.random.default_rng(5).choice(np.float32([-1, 1]), (-(-dim // LATENT), LATENT))
    vectors = np.concatenate([turned * sign[: turned.shape[1]] for sign in signs], axis=1)[:, :dim]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


class Memory:
    """The largest resident set while it is looked at, in GiB."""

    def __enter__(self) -> Memory:
        self.peak, self._done = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.05):
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.peak = max(self.peak, pages * resource.getpagesize() / 2**30)

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


def filled(
    folder: Path, pages: int, dim: int, schools: int, queries: np.ndarray
) -> tuple[Catalogue, np.ndarray, float]:
    """A catalogue, the ten pages nearest to each query (queries, 10), and the seconds of adding."""
    catalogue = Catalogue.create(folder, Head({}, dim, "drawn"))
    batches = {b: stored(drawn(b, dim, schools)) for b in sorted({q // BATCH for q in queries})}
    asked = np.stack([batches[q // BATCH][q % BATCH] for q in queries])
    del batches
    best = np.full((len(queries), 0), 0.0, np.float32)
    who = np.zeros((len(queries), 0), np.int64)
    seconds = 0.0
    for start in range(0, pages, BATCH):
        vectors = drawn(start // BATCH, dim, schools)
        numbers = range(start, start + len(vectors))
        entries = [
            Entry(Page(f"{i:07}", FileSource(RESULTS.parent)), vector, "", b"", "")
            for i, vector in zip(numbers, vectors, strict=True)
        ]
        begin = time.perf_counter()
        catalogue.add(entries)
        seconds += time.perf_counter() - begin
        cosines = asked @ stored(vectors).T
        cosines[queries[:, None] == np.arange(start, start + len(vectors))] = -2
        best = np.hstack([best, cosines])
        who = np.hstack([who, np.broadcast_to(np.array(numbers), cosines.shape)])
        kept = np.argsort(-best, axis=1)[:, :10]
        best, who = np.take_along_axis(best, kept, 1), np.take_along_axis(who, kept, 1)
        if start % 50_000 == 0:
            print(f"  {start} pages, {seconds:.0f} s of adding", file=sys.stderr, flush=True)
    return catalogue, who, seconds


def stored(vectors: np.ndarray) -> np.ndarray:
    return unrounded(rounded(vectors)[0])


def searched(folder: Path, name: str, pages: int, dim: int, schools: int) -> str:
    generator = np.random.default_rng(1)
    batches = np.linspace(0, pages // BATCH - 1, QUERIED).astype(int)  # drawn once more: few
    places = generator.choice(BATCH, (len(batches), QUERIES // len(batches)), replace=False)
    queries = (batches[:, None] * BATCH + places).ravel()
    catalogue, true, adding = filled(folder, pages, dim, schools, queries)
    print("  settling", file=sys.stderr, flush=True)
    start = time.perf_counter()
    with Memory() as settling:
        catalogue.settle()
    indexing = time.perf_counter() - start
    del catalogue
    catalogue = Catalogue.open(folder)
    seconds, found = [], []
    with Memory() as searching:
        start = time.perf_counter()
        catalogue.search(catalogue.page("0000000").vectors[0], 10)  # opens what is opened once
        first = time.perf_counter() - start
        for query, nearest in zip(queries, true, strict=True):
            vector = catalogue.page(f"{query:07}").vectors[0]
            start = time.perf_counter()
            hits = catalogue.search(vector, 10, leave_out=f"{query:07}").hits
            seconds.append(time.perf_counter() - start)
            found.append(len(set(nearest.tolist()) & {int(hit.page_id) for hit in hits}) / 10)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return (
        f"| {pages} | {name} | {np.mean(found):.4f} | {1e3 * median(seconds):.0f} | "
        f"{1e3 * np.quantile(seconds, 0.95):.0f} | {first:.1f} | {adding:.0f} | {indexing:.0f} | "
        f"{settling.peak:.1f} | {searching.peak:.1f} | {size / 2**30:.1f} |"
    )


def grouped(pages: int, dim: int) -> str:
    parts = [drawn(batch, dim, SCHOOLS) for batch in range(pages // BATCH)]
    vectors = np.concatenate(parts)
    ids = tuple(f"{i:07}" for i in range(pages))
    writers = np.arange(pages) // OF_ONE_WRITER
    halves = np.full(pages, 0.5, np.float32)  # as of real pages with so much in common
    known = Descriptors(ids[:500], vectors[:500], {}, halves=halves[:500])
    calibration = fit_calibration(known, writers[:500], [None] * 500, collections=30)
    start = time.perf_counter()
    hands = group_pages(Descriptors(ids, vectors, {}, halves=halves), calibration)
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
    yield f"\n{dim} entries, {QUERIES} queries, ten hits:\n"
    yield (
        "| pages | drawn with | recall@10 | ms, median | ms, 95 % | first s | adding s | "
        "settling s | GiB while settling | while searching | on disk |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    cases = [(EXACT_PAGES, "schools", SCHOOLS)] if pages > EXACT_PAGES else []
    for number, name, schools in (
        *cases, (pages, "schools", SCHOOLS), (pages, "no schools", 0)
    ):  # fmt: skip
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            yield searched(Path(folder) / "catalogue", name, number, dim, schools)
    yield f"\nUp to {EXACT_PAGES} pages a search is exact."
    yield "\n" + grouped(20_000, 512)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        yield "\n" + described(Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=35_072)
    parser.add_argument("--folder", help="where the catalogue lies for the time being")
    text = []
    for line in lines(parser.parse_args()):
        print(line, flush=True)
        text.append(line)
    RESULTS.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
