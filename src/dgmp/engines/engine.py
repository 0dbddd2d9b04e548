"""One way to do something to every page, wherever it runs.

``map_pages`` goes through pages in order and yields each with its result, or with the ImageError
that says why it has none: a page that cannot be used never stops the others. An engine decides
where the function is called. A few pages are under way at a time, so a collection of any size can
be gone through.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, Protocol, TypeVar

from ..errors import DgmpError, ImageError
from ..records import Page

T = TypeVar("T")
R = TypeVar("R")

TOO_LARGE = "too large for this machine's memory"
_AHEAD = 4  # items under way per process: none waits for work, none holds many results


class Engine(Protocol):
    """Calls a function for every item, in order."""

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Each item with its result; ``function`` can be pickled."""


class Here:
    """In this process, one after another."""

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Each item with its result."""
        for item in items:
            yield item, function(item)


@dataclass(frozen=True)
class Processes:
    """In several new processes of this machine, each with one thread."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"number must be at least 1 process, got {self.number}")

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Each item with its result, in the order of the items."""
        if parent_process() is not None:
            raise RuntimeError(
                "worker processes start by running the program's file again: put what starts "
                'them under if __name__ == "__main__":'
            )
        with TemporaryDirectory() as folder:
            # In a file, not in a pipe: a worker that dies while it starts would leave it half read.
            packed = Path(folder) / "function"
            packed.write_bytes(pickle.dumps(function))
            # Fresh processes: a fork of one that runs torch or OpenCV threads may hang.
            pool = ProcessPoolExecutor(
                self.number,
                mp_context=get_context("spawn"),
                initializer=_take_function,
                initargs=(packed,),
            )
            try:
                yield from self._in_order(pool, items)
            except BrokenProcessPool as error:
                raise DgmpError(
                    "a worker process was ended from outside, probably because memory ran out; "
                    "try fewer workers"
                ) from error
            finally:
                pool.shutdown(cancel_futures=True)

    def _in_order(self, pool: ProcessPoolExecutor, items: Iterable[T]) -> Iterator[tuple[T, Any]]:
        ahead: deque[tuple[T, Future[Any]]] = deque()
        for item in items:
            ahead.append((item, pool.submit(_call_function, item)))
            if len(ahead) > _AHEAD * self.number:
                first, future = ahead.popleft()
                yield first, future.result()
        while ahead:
            first, future = ahead.popleft()
            yield first, future.result()


def engine_for(workers: int) -> Engine:
    """``workers`` processes; 0: this one."""
    return Processes(workers) if workers else Here()


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_pages(
    pages: Iterable[Page], function: Callable[[Page], R], engine: Engine | None = None
) -> Iterator[tuple[Page, R | ImageError]]:
    """Each page, in order, with what the function gives, or with the ImageError it raises."""
    return (engine or Here()).map(_Guarded(function), pages)


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


_function: Callable[[Any], Any] | None = None  # of this worker: read once, not with every item
_failure: Exception | None = None  # why there is none


def _end_with_parent() -> None:
    """End this worker when the process that started it is no more, however that ended."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _take_function(packed: Path) -> None:
    global _function, _failure
    _end_with_parent()
    try:
        _function = pickle.loads(packed.read_bytes())
    except Exception as error:  # raised with the first item, where the pool passes it on
        _failure = error
    # The processes share the cores already.
    with suppress(ImportError):
        import cv2

        cv2.setNumThreads(1)
    with suppress(ImportError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def _call_function(item: Any) -> Any:
    if _failure is not None:
        raise _failure
    assert _function is not None
    return _function(item)
