"""Grouping a million pages: time, memory, and agreement with the exact rule.

    python benchmarks/grouping.py [--pages 1000 … 1000000] [--exact 20000] [--folder DIR]

Rows go into results/grouping.csv, what they mean is in results/grouping.md and docs/scale.md.

Catalogues are drawn, not described: five pages by each writer, ids in random order, a vector of
``DIM`` bytes. The width is a seventeenth of that of `default`, so that a million pages take 2 GB
and not 35; what widths change is said in docs/scale.md. Three drawings:

*clusters*: a writer is a random direction, and pages of one writer have cosines of about 0.85.

*hands*: drawn with the statistics of `default` on `hands`. A page is c of what a hand has in common
with itself and 1 − c of what is of the page alone, c from the cosines of the halves of training
pages (0.10 ± 0.04). Likenesses of one hand and of two are those of the calibration that `default`
comes with: 0.69 ± 0.10 between pages of one hand, a fifth of the pages 0.25; −0.03 ± 0.09 between
hands, 4 % of them of one school, 0.28 ± 0.10. The spectrum falls so that a cosine of pages with
nothing in common has a deviation of 0.025, as the calibration has it.

*doubtful*: the same with halves of 0.35 ± 0.05, as of pages with four times the writing. Of *hands*
the rule leaves nearly all pages of a large collection alone, as it should on so little; here it has
to tell pages of one hand from those of one school.

The calibration is that of `default`. Wall time is that of the machine as busy as it was; processor
time is that of this process and its workers. Memory is the largest resident set of this process
and of the largest worker, what is mapped from files included.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.fft

from dgmp.catalogue import Catalogue, Head, made_from, read_hands, rounded, write_stored_hands
from dgmp.catalogue.rows import list_column
from dgmp.describers import load_describer
from dgmp.engines import Engine, Here, Processes
from dgmp.evaluation import adjusted_rand_index, bcubed
from dgmp.hands import Grouped, group_and_ask, group_many
from dgmp.records import PageProgress, StoredHands

RESULTS = Path(__file__).parent / "results" / "grouping.csv"
PARTS = ("placing", "sorting", "finding", "grouping", "judging")  # with all that comes after
COLUMNS = (
    "drawing", "pages", "seconds", "processor_seconds", "gigabytes", "worker_gigabytes", "hands",
    "adjusted_rand", "precision", "recall", "agreement", "exact_hands", "exact_processor_seconds",
    *PARTS, "store_seconds", "read_seconds", "hands_megabytes", "load",
)  # fmt: skip
DIM = 2048
OF_ONE_WRITER = 5
BATCH = 20_000  # pages
PACE = 600.0  # of the spectrum: the variance of direction i goes as 1 / (1 + i / PACE)²
LIKENESS, LIKENESS_SPREAD, STRAY, STRAY_LIKENESS = 0.695, 0.10, 0.1, 0.25
SCHOOL_SHARE, SCHOOL_LIKENESS = 0.2, 0.31


@dataclass(frozen=True)
class Drawing:
    """A way to draw descriptors of writers."""

    name: str
    halves: tuple[float, float] | None  # their cosine, and its spread; None: clusters far apart

    def batch(self, number: int, pages: int) -> tuple[np.ndarray, np.ndarray]:
        """Vectors (pages, DIM) of unit length and halves (pages,), the same for the same number."""
        generator = np.random.default_rng((7, number))
        writers = -(-pages // OF_ONE_WRITER)
        means = np.repeat(_directions(generator, writers), OF_ONE_WRITER, axis=0)[:pages]
        noise = _directions(generator, pages)
        if self.halves is None:
            c = np.full((pages, 1), 0.92)
            shared = np.full((pages, 1), 0.85 / 0.92)
        else:
            halves = np.clip(generator.normal(*self.halves, (pages, 1)), 0.02, 0.6)
            c = 2 * halves / (1 + halves)
            shared = generator.normal(LIKENESS, LIKENESS_SPREAD, (pages, 1))
            stray = generator.random((pages, 1)) < STRAY
            shared = np.clip(np.where(stray, STRAY_LIKENESS**2 / LIKENESS, shared), 0.02, 0.98)
            schools = _directions(np.random.default_rng(3), 25)  # 4 % of pairs are of one
            school = schools[generator.integers(25, size=writers)]
            school = np.repeat(school, OF_ONE_WRITER, axis=0)[:pages]
            part = SCHOOL_LIKENESS / LIKENESS
            means = np.sqrt(1 - part) * means + np.sqrt(part) * school
        own = _directions(generator, pages)
        vectors = np.sqrt(c) * (np.sqrt(shared) * means + np.sqrt(1 - shared) * own)
        vectors = (vectors + np.sqrt(1 - c) * noise).astype(np.float32)
        vectors = scipy.fft.dct(vectors, axis=1, norm="ortho")  # a rotation
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        measured = (c / (2 - c))[:, 0] + generator.normal(0, 0.02, pages)
        return vectors, measured.astype(np.float32)


DRAWINGS = (
    Drawing("clusters", None),
    Drawing("hands", (0.10, 0.04)),
    Drawing("doubtful", (0.35, 0.05)),
)


def _directions(generator: np.random.Generator, number: int) -> np.ndarray:  # (number, DIM)
    weights = 1 / (1 + np.arange(DIM, dtype=np.float32) / PACE)
    weights /= np.linalg.norm(weights)
    return generator.standard_normal((number, DIM), dtype=np.float32) * weights


def drawn(folder: Path, drawing: Drawing, pages: int) -> tuple[Catalogue, np.ndarray]:
    """A catalogue, and the writer of each page in the order of the ids."""
    catalogue = Catalogue.create(folder, Head({}, DIM, "drawn"))
    names = np.random.default_rng(11).permutation(pages)
    for start in range(0, pages, BATCH):
        vectors, halves = drawing.batch(start // BATCH, min(BATCH, pages - start))
        numbers, steps = rounded(vectors)
        ids = [f"{name:08}" for name in names[start : start + BATCH]]
        # Past Catalogue.add, which looks for each page among those that are there.
        catalogue._table.add(
            pa.table(
                {
                    "page_id": pa.array(ids),
                    "path": pa.array([f"/{id}.png" for id in ids]),
                    "content_hash": pa.array(ids),
                    "vector": list_column(numbers),
                    "step": pa.array(steps),
                    "halves": pa.array(halves),
                }
            )
        )
    writers = np.empty(pages, np.int64)
    writers[names] = np.arange(pages) // OF_ONE_WRITER
    return catalogue, writers


def groups_of(found: Grouped, pages: int) -> np.ndarray:  # (pages,)
    groups = np.empty(pages, np.int64)
    for hand in found.hands:
        groups[[int(id) for id in hand.page_ids]] = hand.number
    return groups


def processor_seconds() -> float:
    """Of this process and of its workers that have ended."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def gigabytes() -> tuple[float, float]:
    """The largest resident sets so far: of this process, and of a worker."""
    return tuple(
        resource.getrusage(who).ru_maxrss / 2**20
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


class Stages:
    """The processor time of each part of the work."""

    def __init__(self) -> None:
        self.began: list[tuple[str, float]] = []

    def __call__(self, name: str, pages: int) -> PageProgress:
        self.began.append((name.split()[0], processor_seconds()))
        print(f"  {time.strftime('%H:%M:%S')} {name}", file=sys.stderr, flush=True)
        return lambda done: None

    def seconds(self) -> dict[str, float]:
        ends = [at for _, at in self.began[1:]] + [processor_seconds()]
        return {name: end - at for (name, at), end in zip(self.began, ends, strict=True)}


def measured(
    folder: Path, drawing: Drawing, pages: int, exact: int, engine: Engine
) -> dict[str, object]:
    """A row of the table."""
    calibration = load_describer("default").calibration
    assert calibration is not None
    catalogue, writers = drawn(folder, drawing, pages)
    stages = Stages()
    load, start, began = os.getloadavg()[0], time.perf_counter(), processor_seconds()
    found = group_many(catalogue, calibration, engine=engine, stage=stages)
    seconds, used = time.perf_counter() - start, processor_seconds() - began
    parts = stages.seconds()
    own, worker = gigabytes()
    groups = groups_of(found, pages)
    scores = bcubed(writers, groups)
    row = {
        "drawing": drawing.name,
        "pages": pages,
        "seconds": round(seconds, 1),
        "processor_seconds": round(used, 1),
        "gigabytes": round(own, 2),
        "worker_gigabytes": round(worker, 2),
        "hands": len(found.hands),
        "adjusted_rand": round(adjusted_rand_index(writers, groups), 4),
        "precision": round(scores.precision, 4),
        "recall": round(scores.recall, 4),
        **{name: round(parts.get(name, 0), 1) for name in PARTS},
        **stored(found, folder),
        "load": round((load + os.getloadavg()[0]) / 2, 1),
    }
    if pages <= exact:
        began = processor_seconds()
        rule = groups_of(group_and_ask(catalogue.descriptors(), calibration), pages)
        row["exact_processor_seconds"] = round(processor_seconds() - began, 1)
        row["exact_hands"] = int(rule.max())
        row["agreement"] = round(adjusted_rand_index(rule, groups), 4)
    return row


def stored(found: Grouped, folder: Path) -> dict[str, float]:
    """What keeping the hands costs."""
    hands = StoredHands(found.hands, "balanced", "2026-01-01T00:00:00+00:00", found.questions)
    start = time.perf_counter()
    write_stored_hands(hands, made_from(folder), folder)
    written = time.perf_counter()
    read_hands(folder)
    return {
        "store_seconds": round(written - start, 1),
        "read_seconds": round(time.perf_counter() - written, 1),
        "hands_megabytes": round((folder / "hands.json").stat().st_size / 1e6, 1),
    }


def keep(row: dict[str, object]) -> None:
    """Put a row into the table, in the place of that of the same drawing and pages."""
    rows = []
    if RESULTS.exists():
        with RESULTS.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    this = (row["drawing"], str(row["pages"]))
    rows = [r for r in rows if (r["drawing"], r["pages"]) != this] + [row]
    rows.sort(key=lambda r: (str(r["drawing"]), int(str(r["pages"]))))
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        table.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sizes = [1_000, 3_000, 10_000, 20_000, 100_000, 1_000_000]
    parser.add_argument("--pages", type=int, nargs="+", default=sizes)
    parser.add_argument("--exact", type=int, default=20_000, help="compare up to so many pages")
    parser.add_argument("--drawing", choices=[d.name for d in DRAWINGS])
    parser.add_argument("--folder", help="where catalogues lie for the time being")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    engine = Processes(chosen.workers) if chosen.workers else Here()
    for pages in chosen.pages:
        for drawing in DRAWINGS:
            if chosen.drawing in (None, drawing.name):
                folder = Path(tempfile.mkdtemp(dir=chosen.folder))
                try:
                    row = measured(folder / "c", drawing, pages, chosen.exact, engine)
                    print(row, flush=True)
                    keep(row)
                finally:
                    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
