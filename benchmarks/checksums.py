"""What the checksums of a catalogue cost: reading, searching, and describing what is described.

    python benchmarks/checksums.py [--pages 20000] [--dim 35072] [--folder DIR]

Each is timed with and without the comparison, in turn, by processor time; files are in the cache.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np

from dgmp.catalogue import Catalogue, Entry, Head
from dgmp.records import Page
from dgmp.sources import FileSource

ROUNDS, BATCH = 3, 2_500


def make(folder: Path, pages: int, dim: int) -> Catalogue:
    catalogue = Catalogue.create(folder, Head({}, dim, "drawn"))
    for start in range(0, pages, BATCH):
        vectors = np.random.default_rng(start).standard_normal((BATCH, dim), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        drawn = zip(listed(pages)[start : start + BATCH], vectors, strict=False)
        catalogue.add([Entry(page, vector, "", b"") for page, vector in drawn])
    return catalogue


def listed(pages: int) -> list[Page]:
    return [Page(f"{number:07}", FileSource(Path(__file__))) for number in range(pages)]


@contextmanager
def unchecked() -> Iterator[None]:
    """Read as before, but compare nothing."""

    def nothing(*_: object) -> list[str]:
        return []

    with patch("dgmp.catalogue.rows.damaged", nothing):
        yield


@contextmanager
def unread() -> Iterator[None]:
    """Vectors that are only compared are not read."""

    def nothing(*_: object) -> frozenset[str]:
        return frozenset()

    with patch("dgmp.catalogue.search.Searcher.damaged", nothing):
        yield


def timed(
    work: Callable[[], object], without: Callable[[], AbstractContextManager[None]]
) -> tuple[float, float]:
    """Median processor time with checksums, and without."""
    work()
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for times, around in zip(found, (nullcontext, without), strict=True):
            with around():
                began = time.process_time()
                work()
                times.append(time.process_time() - began)
    return median(found[0]), median(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--dim", type=int, default=35_072)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name) / "catalogue"
        make(folder, arguments.pages, arguments.dim)
        pages = listed(arguments.pages)
        vector = Catalogue.open(folder).page("0000000").vectors[0]
        works = {
            "a search that reads all": (
                lambda: Catalogue.open(folder).search(vector, 10),
                unchecked,
            ),
            "looking which pages are described": (
                lambda: Catalogue.open(folder).compare(pages),
                unread,
            ),
        }
        print(f"{arguments.pages} pages of {arguments.dim} numbers, processor time")
        for what, (work, without) in works.items():
            one, other = timed(work, without)
            more = (one - other) / arguments.pages * 1e3
            print(f"{what}: {one:.2f} s to {other:.2f} s, ×{one / other:.2f}, {more:.3f} ms a page")


if __name__ == "__main__":
    main()
