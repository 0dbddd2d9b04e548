"""Long work behind the page: one job at a time, with its progress, and it can be stopped.

A job is a function of a ``Stage`` and a question, "is it to stop?". Every report of progress is a
moment at which it stops: the report raises :class:`JobStopped` inside the work, which a task lets
pass as it does Ctrl-C, and so keeps what is done.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..errors import DgmpError
from ..records import PageProgress, Stage

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[Stage, Callable[[], bool]], Any]
KEPT = 50  # jobs that are remembered
_PATIENCE = 10.0  # seconds for which the end of the server waits for a job


class JobStopped(BaseException):
    """Raised inside a job that was asked to stop; no ``except Exception`` holds it up."""


@dataclass(eq=False)
class Job:
    """A job and how far it is."""

    id: str
    name: str
    state: str = "waiting"  # running, done, stopped, failed
    stage: str = ""
    done: int = 0
    total: int = 0
    result: Any = None
    error: str = ""  # why it failed
    _began: float = 0.0
    _ended: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)

    @property
    def seconds(self) -> float:
        """How long it has been, or was, running."""
        return (self._ended or time.monotonic()) - self._began if self._began else 0.0

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "stopped", "failed")

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not yet."""
        return self._stop.is_set() and not self.over

    def plain(self) -> dict[str, Any]:
        """What is shown of it."""
        names = ("id", "name", "state", "stage", "done", "total", "error", "over", "stopping")
        return {name: getattr(self, name) for name in names} | {"seconds": round(self.seconds, 1)}

    def _report(self, stage: str, total: int) -> PageProgress:
        self._check()
        self.stage, self.done, self.total = stage, 0, total

        def progress(number: int) -> None:
            self.done += number
            self._check()

        return progress

    def _check(self) -> None:
        if self._stop.is_set():
            raise JobStopped


class Reader:
    """The thread in which pages are read and described for all requests; an engine, too.

    Several at once would take some 200 MB each, and the C library keeps for every thread much of
    what it has once used.
    """

    def __init__(self) -> None:
        self._pool, self._closed = ThreadPoolExecutor(1, "reader"), False

    def run(self, work: Callable[[], T]) -> T:
        """Wait until it is done there."""
        try:
            return self._pool.submit(work).result()
        except (CancelledError, RuntimeError) as error:
            if self._closed:
                raise DgmpError("the server is ending; nothing new is begun") from error
            raise

    def map(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        lost: Callable[[T], R] | None = None,  # of engines that can lose an item
    ) -> Iterator[tuple[T, R]]:
        """Each item with its result; others have their turn between."""
        for item in items:
            yield item, self.run(partial(function, item))

    def close(self) -> None:
        """Begin nothing more."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)


class Jobs:
    """One worker, and the jobs that it did, does and will do."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[tuple[Job, Work] | None] = queue.SimpleQueue()
        self._worker: threading.Thread | None = None
        self._closed = False

    def start(self, name: str, work: Work) -> Job:
        """Put a job in the queue; one of the same name that is not over is given instead."""
        with self._lock:
            if self._closed:
                raise DgmpError("the server is ending; nothing new is begun")
            for job in self._jobs.values():
                if job.name == name and not job.over and not job.stopping:
                    return job
            job = Job(str(next(self._numbers)), name)
            self._jobs[job.id] = job
            over = [id for id, old in self._jobs.items() if old.over]
            for id in over[: max(len(self._jobs) - KEPT, 0)]:
                del self._jobs[id]
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="jobs", daemon=True)
                self._worker.start()
            self._waiting.put((job, work))
            return job

    def all(self) -> tuple[Job, ...]:
        """The jobs, the newest first."""
        with self._lock:
            return tuple(reversed(self._jobs.values()))

    def find(self, id: str) -> Job | None:
        """The job of that id, if it is remembered."""
        with self._lock:
            return self._jobs.get(id)

    def stop(self, id: str) -> Job | None:
        """Ask a job to stop; one that waits never begins."""
        job = self.find(id)
        if job is not None and not job.over:
            job._stop.set()
        return job

    def close(self) -> None:
        """Stop all jobs, and wait a moment for the one that runs."""
        with self._lock:
            self._closed = True
            worker = self._worker
        for job in self.all():
            self.stop(job.id)
        self._waiting.put(None)
        if worker is not None:
            worker.join(_PATIENCE)

    def _work(self) -> None:
        while (next_one := self._waiting.get()) is not None:
            job, work = next_one
            job._began = time.monotonic()
            try:
                job._check()
                job.state = "running"
                job.result = work(job._report, job._stop.is_set)
                state = "done"
            except JobStopped:
                state = "stopped"
            except DgmpError as error:
                job.error, state = str(error), "failed"
            except BaseException as error:  # the worker lives on, and the error is not lost
                logging.getLogger(__name__).exception("job %r failed", job.name)
                job.error, state = f"{type(error).__name__}: {error}", "failed"
            job._ended = time.monotonic()
            job.state = state
