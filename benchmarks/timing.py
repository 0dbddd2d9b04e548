"""Times taken side by side, so that a noisy machine disturbs all candidates alike."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

# By default glibc gives large blocks back to the system at every free, and each new tensor pays
# for its pages again: more than the arithmetic for a gradient of 80 MB. Training processes avoid
# that with an allocator that keeps its memory; these two settings make glibc one.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**33), "MALLOC_TRIM_THRESHOLD_": str(2**36)}


def keep_memory() -> None:
    """Start this process again with an allocator that keeps what it has."""
    if any(os.environ.get(name) != value for name, value in KEEP_MEMORY.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP_MEMORY})


def rounds(
    candidates: Mapping[str, Callable[[], object]],
    *,
    seconds: float = 3.0,
    least: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """The seconds of each candidate in each round; every round starts with the next candidate.

    With ``clock=time.process_time`` they are seconds of this process on a processor, which other
    processes of a busy machine do not lengthen; several threads add up.
    """
    for run in candidates.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    order = list(candidates)
    end = clock() + seconds
    while clock() < end or len(times[order[0]]) < least:
        for name in order:
            start = clock()
            candidates[name]()
            times[name].append(clock() - start)
        order = order[1:] + order[:1]
    return times


def side_by_side(
    candidates: Mapping[str, Callable[[], object]], *, seconds: float = 3.0, least: int = 5
) -> dict[str, float]:
    """The median seconds of each candidate, all run in turn, round after round."""
    times = rounds(candidates, seconds=seconds, least=least)
    return {name: median(taken) for name, taken in times.items()}


def median_ratio(over: list[float], under: list[float]) -> float:
    """The median of the quotients within each round, which a busy minute hits on both sides."""
    return median(a / b for a, b in zip(over, under, strict=True))
