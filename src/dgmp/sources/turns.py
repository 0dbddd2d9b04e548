"""Whose turn it is to ask a host: how often, how many at a time, and when not at all.

The turns of a host are kept in files, which all threads and processes that share a cache folder
lock (``flock``): the workers of one command, and several commands of one user, together keep to
the rate. Other machines and users have turns of their own, unless the folder is shared by all
machines and its file system has locks. Where several machines work on one job, ``DGMP_MACHINES``
says how many: each then takes its share of the turns (:meth:`Politeness.shared`). Without ``flock``
(Windows) the rate is kept by each process about as well, and the number at a time is not.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from ..errors import DgmpError, Unreachable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOOK_AGAIN = 0.02  # seconds, while all places are taken
_FURTHEST = 3600.0  # seconds: a turn later than that is of a clock that was wrong


@dataclass(frozen=True)
class Politeness:
    """How services are asked. Times are in seconds."""

    interval: float = 0.25  # between the beginnings of two requests to one host
    parallel: int = 2  # requests to one host at a time
    attempts: int = 4
    backoff: float = 1.0  # before the second attempt, doubled before each further one
    longest_wait: float = 60.0  # that is waited where a service asks for it (Retry-After)
    failures: int = 3  # requests in a row that come to nothing: the host is left alone
    pause: float = 60.0  # for which it is
    connect: float = 10.0
    read: float = 30.0  # without a byte
    total: float = 180.0  # for one answer
    redirects: int = 5

    def shared(self, machines: int) -> Politeness:
        """What one of several machines may do, so that all together keep to the rate.

        At a time each sends one request at least, so that many machines may overrun ``parallel``.
        """
        return replace(
            self, interval=self.interval * machines, parallel=max(self.parallel // machines, 1)
        )


def machines() -> int:
    """The machines that work on this job, by ``DGMP_MACHINES``; else this one."""
    said = os.environ.get("DGMP_MACHINES") or "1"
    if not said.isdecimal() or not int(said):
        raise DgmpError(f"DGMP_MACHINES must be a number of machines such as 8, got {said!r}")
    return int(said)


@dataclass(frozen=True)
class Host:
    """The turns of one host."""

    folder: Path  # the cache
    name: str

    @contextmanager
    def turn(self, politeness: Politeness, address: str) -> Iterator[None]:
        """Wait for a turn and hold a place; an Unreachable while the host is left alone."""
        with self._place(politeness.parallel):
            with self._state() as state:
                now = time.time()
                if now < state["alone_until"] < now + _FURTHEST:
                    raise Unreachable(address, state["why"])
                first = random.uniform(0, politeness.interval) if machines() > 1 else 0.0
                start = max(now, state["next"] or now + first)  # not all machines at once
                if start > now + _FURTHEST:
                    start = now
                state["next"] = start + politeness.interval
            time.sleep(max(start - time.time(), 0))
            yield

    def wait(self, seconds: float) -> None:
        """Nobody asks before that time has passed."""
        with self._state() as state:
            state["next"] = max(state["next"], time.time() + seconds)

    def leave_alone(self, seconds: float, why: str) -> None:
        """Requests within that time fail at once, with that reason."""
        with self._state() as state:
            state["alone_until"] = time.time() + min(seconds, _FURTHEST / 2)
            state["why"], state["failures"] = why, 0

    def failed(self, politeness: Politeness, why: str) -> None:
        """A request came to nothing; after several in a row the host is left alone."""
        with self._state() as state:
            state["failures"] += 1
            enough = state["failures"] >= politeness.failures
        if enough:
            self.leave_alone(politeness.pause, why)

    def answered(self) -> None:
        """The host works."""
        with self._state() as state:
            state["failures"] = 0

    def _file(self, ending: str) -> IO[str]:
        safe = re.sub(r"[^\w.-]", "_", self.name)[:100]
        try:
            (self.folder / "hosts").mkdir(parents=True, exist_ok=True)
            return (self.folder / "hosts" / f"{safe}.{ending}").open("a+", encoding="utf-8")
        except OSError as error:
            raise DgmpError(f"{self.folder}: cannot be written: {error.strerror}") from error

    @contextmanager
    def _place(self, parallel: int) -> Iterator[None]:
        """One of so many places; who holds it has the lock of its file."""
        while True:
            for number in range(parallel):
                with self._file(f"place{number}") as file:
                    if _lock(file, wait=False):
                        yield
                        return
            time.sleep(_LOOK_AGAIN)

    @contextmanager
    def _state(self) -> Iterator[dict[str, Any]]:
        with self._file("json") as file:
            _lock(file, wait=True)
            state: dict[str, Any] = {"next": 0.0, "alone_until": 0.0, "why": "", "failures": 0}
            file.seek(0)
            try:
                found = json.loads(file.read() or "{}")
                state |= {key: type(state[key])(found[key]) for key in state if key in found}
            except (ValueError, TypeError, AttributeError):
                pass  # half written when the machine went off: as if nobody had asked
            before = dict(state)
            yield state
            if state != before:
                file.seek(0)
                file.truncate()
                file.write(json.dumps(state))
                file.flush()


def _lock(file: IO[str], *, wait: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a folder without locks, as some network drives
        return True
    return True
