"""Several processes of this machine."""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from .calling import call_function, take_function
from .crew import Crew

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Processes:
    """In several new processes of this machine, each with one thread."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"number must be at least 1 process, got {self.number}")

    def map(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        lost: Callable[[T], R] | None = None,
    ) -> Iterator[tuple[T, R]]:
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
            yield from Crew(lambda: _Process(packed), self.number, lost).map(items)


class _Process:
    """A pool of one, so that it is known which item was under way when its process ended."""

    def __init__(self, packed: Path) -> None:
        # A fresh process: a fork of one that runs torch or OpenCV threads may hang.
        self._pool = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_begin, initargs=(packed,)
        )
        self.ready: Future[Any] = self._pool.submit(_take, packed)

    def call(self, item: Any) -> Future[Any]:
        try:
            return self._pool.submit(call_function, item)
        except BrokenProcessPool as error:  # it has ended while it had nothing to do
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def has_ended(self, error: BaseException | None) -> bool:
        return isinstance(error, BrokenProcessPool)

    def end(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def _begin(packed: Path) -> None:
    atexit.register(gc.freeze)  # nothing is searched for garbage when the process ends
    threading.Thread(target=_end_with_parent, args=(packed,), daemon=True).start()


def _take(packed: Path) -> None:
    take_function(packed.read_bytes())


def _end_with_parent(packed: Path) -> None:
    """A parent that is killed ends no pool and removes nothing; its workers would wait for ever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    shutil.rmtree(packed.parent, ignore_errors=True)
    os._exit(1)
