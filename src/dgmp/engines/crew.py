"""Workers that take items one after another and are replaced when they end.

A worker is one process, here or on another machine, that does its items in the order in which it
gets them. If it ends, what it had is done again, and alone: where it had several items nobody knows
which of them ended it, as the answer to one that was done may be lost with it. An item that ends
two workers while it is alone is lost. Items go only to workers that are ready: one that starts, or
waits for a machine, holds up nothing.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from ..errors import DgmpError

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 4  # items under way per worker: while one takes long, the others have enough to do
_AT_WORKER = 2  # of these at the worker itself: the next is there when one is done
_TIMES = 2  # that an item may end its worker, or a worker end while it starts
_PATIENCE = 60.0  # seconds without any worker before that is said


class Worker(Protocol):
    """One process that calls a function with items, in the order of the calls."""

    @property
    def ready(self) -> Future[Any]:
        """Done when the function is there, or failed with the reason why it is not."""

    def call(self, item: Any) -> Future[Any]:
        """What the function gives or raises, or how the process ended."""

    def has_ended(self, error: BaseException | None) -> bool:
        """Whether an error of these futures says that the process is no longer there."""

    def end(self) -> None:
        """Give up what is not done."""


@dataclass(eq=False)
class _Job(Generic[T]):
    item: T
    ends: int = 0  # of workers that had it alone
    suspect: bool = False  # was at a worker that ended
    done: Future[Any] | None = None


@dataclass(eq=False)
class _Place:
    """Of one worker and those that replace it."""

    worker: Worker
    ready: bool = False
    false_starts: int = 0
    jobs: deque[_Job[Any]] = field(default_factory=deque)  # in the order it got them


class Crew(Generic[T, R]):
    """Up to ``number`` workers for one :meth:`map`; ``start`` starts one.

    ``lost`` gives what stands for the result of an item that ended two workers; None: an error.
    """

    def __init__(
        self, start: Callable[[], Worker], number: int, lost: Callable[[T], R] | None = None
    ) -> None:
        self._start = start
        self._number = number
        self._lost = lost
        self._places: list[_Place] = []
        self._ahead: deque[_Job[T]] = deque()  # in order: waiting, at a worker, or done
        self._waiting: deque[_Job[T]] = deque()
        self._news: SimpleQueue[tuple[_Place, Worker, _Job[T] | None, Future[Any]]] = SimpleQueue()

    def map(self, items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Each item with its result, in order; what the function raises is raised in its place."""
        source = iter(items)
        try:
            while True:
                self._take(source)
                self._give_out()
                if not self._ahead:
                    return
                while self._ahead[0].done is None or not self._news.empty():
                    self._hear()
                    self._give_out()
                job = self._ahead.popleft()
                assert job.done is not None
                yield job.item, job.done.result()
        finally:
            for place in self._places:
                place.worker.end()

    def _take(self, source: Iterator[T]) -> None:
        while len(self._ahead) < _AHEAD * self._number:
            try:
                job = _Job(next(source))
            except StopIteration:
                return
            self._ahead.append(job)
            self._waiting.append(job)
            if len(self._places) < self._number:
                place = _Place(self._start())
                self._places.append(place)
                self._watch(place, None, place.worker.ready)

    def _give_out(self) -> None:
        for filled in range(_AT_WORKER):
            for place in self._places:
                if self._waiting and place.ready and len(place.jobs) == filled:
                    near = (self._waiting[0], *place.jobs)
                    if len(near) > 1 and any(job.suspect for job in near):
                        continue
                    job = self._waiting.popleft()
                    place.jobs.append(job)
                    self._watch(place, job, place.worker.call(job.item))

    def _watch(self, place: _Place, job: _Job[T] | None, future: Future[Any]) -> None:
        worker = place.worker
        future.add_done_callback(lambda done: self._news.put((place, worker, job, done)))

    def _hear(self) -> None:
        try:
            place, worker, job, future = self._news.get(timeout=_PATIENCE)
        except Empty:
            if not any(place.ready for place in self._places):
                warnings.warn("no worker is ready yet; still waiting", stacklevel=2)
            return
        if worker is not place.worker:  # of one that has been replaced
            return
        if worker.has_ended(future.exception()):
            self._replace(place, future.exception())
        elif job is None:
            future.result()
            place.ready, place.false_starts = True, 0
        else:
            place.jobs.remove(job)
            job.done = future

    def _replace(self, place: _Place, error: BaseException | None) -> None:
        place.worker.end()
        if not place.ready:
            place.false_starts += 1
            if place.false_starts == _TIMES:
                raise DgmpError(
                    "worker processes end while they start, probably because memory runs out; "
                    f"try fewer workers ({_in_one_line(error)})"
                ) from error
        for job in place.jobs:
            job.suspect = True
        if len(place.jobs) == 1:
            place.jobs[0].ends += 1
            if place.jobs[0].ends == _TIMES:
                self._give_up(place.jobs.popleft(), error)
        self._waiting.extendleft(reversed(place.jobs))
        place.jobs.clear()
        place.worker, place.ready = self._start(), False
        self._watch(place, None, place.worker.ready)

    def _give_up(self, job: _Job[T], error: BaseException | None) -> None:
        job.done = Future()
        if self._lost is not None:
            job.done.set_result(self._lost(job.item))
            return
        failure = DgmpError(
            "a worker process was ended from outside twice at the same place, probably because "
            "memory ran out; try fewer workers"
        )
        failure.__cause__ = error
        job.done.set_exception(failure)


def _in_one_line(error: BaseException | None, most: int = 300) -> str:
    return " ".join(str(error).split())[:most]
