"""One way to do something to every page, wherever it runs.

``map_pages`` goes through pages in order and yields each with its result, or with the ImageError
that says why it has none: a page that cannot be used never stops the others, nor does one that ends
the process that works on it. An engine decides where the function is called. A few pages are under
way at a time, so a collection of any size can be gone through.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..errors import DgmpError, ImageError
from ..names import unknown
from ..records import Page
from .processes import Processes
from .ray_cluster import RayCluster

T = TypeVar("T")
R = TypeVar("R")

TOO_LARGE = "too large for this machine's memory"
_ENGINES = ("processes", "ray")


class Engine(Protocol):
    """Calls a function for every item, in order."""

    def map(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        lost: Callable[[T], R] | None = None,
    ) -> Iterator[tuple[T, R]]:
        """Each item with its result; ``function`` can be pickled.

        Where a worker ends, its item is done again by another. ``lost`` gives what stands for the
        result of an item that ends two workers; None: an error.
        """


class Here:
    """In this process, one after another."""

    def map(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        lost: Callable[[T], R] | None = None,
    ) -> Iterator[tuple[T, R]]:
        """Each item with its result."""
        for item in items:
            yield item, function(item)


def engine_for(workers: int | None, name: str = "processes") -> Engine:
    """The engine of that name, ``processes``, ``ray`` or ``ray:ADDRESS``, with so many workers.

    None: all cores of this machine, or all CPUs of the cluster. 0 processes: this one. The cluster
    is started or joined at once.
    """
    kind, _, address = name.partition(":")
    if kind not in _ENGINES or (address and kind != "ray"):
        raise unknown(name, (*_ENGINES, "ray:ADDRESS"), "engine")
    if kind == "ray":
        if workers == 0:
            raise DgmpError("--engine ray needs at least 1 worker, got 0")
        cluster = RayCluster(address or None, workers)
        cluster.connect()  # before any work, and before libraries have threads that a fork may stop
        return cluster
    number = cores() if workers is None else workers
    return Processes(number) if number else Here()


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_pages(
    pages: Iterable[Page], function: Callable[[Page], R], engine: Engine | None = None
) -> Iterator[tuple[Page, R | ImageError]]:
    """Each page, in order, with what the function gives, or with the ImageError it raises."""
    return (engine or Here()).map(_Guarded(function), pages, _lost)


@dataclass(frozen=True)
class _Guarded(Generic[R]):
    function: Callable[[Page], R]

    def __call__(self, page: Page) -> R | ImageError:
        try:
            return self.function(page)
        except ImageError as error:
            return type(error)(page.id, error.reason)
        except MemoryError:
            return ImageError(page.id, TOO_LARGE)
        except Exception as error:
            if type(error).__module__ != "cv2":  # a bug; OpenCV's errors are about pixels
                raise
            memory = "insufficient memory" in str(error).lower()
            first = " ".join(str(error).split())
            return ImageError(page.id, TOO_LARGE if memory else f"cannot be prepared: {first}")


def _lost(page: Page) -> ImageError:
    return ImageError(
        page.id,
        "the worker process that read it was ended twice, probably because memory ran out; "
        "try fewer workers",
    )
