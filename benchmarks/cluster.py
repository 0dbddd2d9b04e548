"""Describing on a Ray cluster of this machine against processes: the same vectors, and as fast.

    python benchmarks/cluster.py [--pages 600]

Synthetic pages are described by `default` into two catalogues, by two workers of a Ray cluster and
by two processes, forty pages in turn, so that a busy minute hits both. Pages per second count
from the moment that every worker has begun a page: the start of Ray and of workers is left out. The
share of the describer is the part of the workers' time since then that is spent on reading,
preparing and describing pages. Vectors are compared bit for bit.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # before numpy is imported

from dgmp import open_corpus, synthesize  # noqa: E402
from dgmp.catalogue import Catalogue  # noqa: E402
from dgmp.engines import Engine, Processes, RayCluster  # noqa: E402
from dgmp.tasks import describe  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "cluster.md"
WORKERS = 2
AT_ONCE = 40  # pages
Times = tuple[float, float, int]
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Timed:
    """A function that also says when it began and ended, and in which process."""

    function: Callable[[Any], Any]

    def __call__(self, item: Any) -> tuple[Any, Times]:
        began = time.time()  # a clock that all processes share
        return self.function(item), (began, time.time(), os.getpid())


@dataclass
class Watched:
    """An engine that keeps the times of every map."""

    engine: Engine
    maps: list[list[Times]] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)

    def map(
        self, function: Callable[[T], R], items: Iterable[T], lost: Any = None
    ) -> Iterator[tuple[T, R]]:
        """Each item with its result."""
        times: list[Times] = []
        called = time.time()
        for item, (result, when) in self.engine.map(Timed(function), items):
            times.append(when)
            yield item, result
        if times:
            self.maps.append(times)
            self.calls.append(called)


@dataclass(frozen=True)
class Run:
    """Some pages by one engine."""

    per_second: float
    share: float  # of the workers' time
    start: float  # seconds until every worker has begun a page

    @classmethod
    def of(cls, watched: Watched) -> Run:
        """The last map of the task: describing."""
        times = watched.maps[-1]
        first: dict[int, float] = {}
        for began, _, worker in times:
            first[worker] = min(began, first.get(worker, began))
        start, end = max(first.values()), max(end for _, end, _ in times)
        parts = [(max(0.0, end - max(began, start)), end - began) for began, end, _ in times]
        pages = sum(part / whole for part, whole in parts)
        busy = sum(part for part, _ in parts)
        span = end - start
        return cls(pages / span, busy / span / len(first), start - watched.calls[-1])


def same_vectors(one: Path, other: Path) -> int:
    """The number of pages, all of whose vectors are the same in both catalogues."""
    first, second = (Catalogue.open(folder).descriptors() for folder in (one, other))
    assert first.page_ids == second.page_ids
    assert first.vectors.tobytes() == second.vectors.tobytes()
    assert first.halves is not None
    assert second.halves is not None
    assert first.halves.tobytes() == second.halves.tobytes()
    return len(first.page_ids)


def measure(folder: Path, pages: int) -> tuple[dict[str, list[Run]], int]:
    synthesize(folder / "scans", writers=-(-pages // 5), pages=5, engine=Processes(WORKERS))
    corpus = open_corpus(folder / "scans")
    corpus = replace(corpus, pages=corpus.pages[:pages])
    engines: dict[str, Engine] = {
        "processes": Processes(WORKERS),
        "ray": RayCluster(number=WORKERS),
    }
    runs: dict[str, list[Run]] = {name: [] for name in engines}
    order = list(engines)
    for start in range(0, pages, AT_ONCE):
        part = replace(corpus, pages=corpus.pages[start : start + AT_ONCE])
        for name in order:
            watched = Watched(engines[name])
            describe(part, folder / name, engine=watched)
            runs[name].append(Run.of(watched))
            print(name, start, runs[name][-1], flush=True)
        order = order[::-1]
    return runs, same_vectors(folder / "processes", folder / "ray")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=600)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        runs, same = measure(Path(folder), args.pages)
    ratios = [
        ray.per_second / processes.per_second
        for ray, processes in zip(runs["ray"], runs["processes"], strict=True)
    ]
    lines = [
        "# Describing on a Ray cluster of this machine, against processes",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, {WORKERS} workers with one thread each, "
        f"{args.pages} synthetic pages, `default`, {AT_ONCE} pages in turn; load at the start "
        f"{load:.1f} (other programs). Medians; *share* is the part of the workers' time, since "
        "all have begun, that is spent on reading and describing pages.",
        "",
        "| engine | pages per second | share | seconds until all workers describe |",
        "|---|---|---|---|",
    ]
    for name, some in runs.items():
        lines.append(
            f"| {name} | {median(run.per_second for run in some):.2f} "
            f"| {median(run.share for run in some):.1%} "
            f"| {median(run.start for run in some):.1f} |"
        )
    lines += [
        "",
        f"Pages per second of `ray` over `processes`: {median(ratios):.2f} (median of "
        f"{len(ratios)} pairs, from {min(ratios):.2f} to {max(ratios):.2f}). The vectors of "
        f"{same} pages are the same to the bit.",
    ]
    print("\n".join(lines))
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
