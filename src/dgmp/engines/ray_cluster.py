"""Workers of a Ray cluster: on this machine for as long as this program runs, or at an address.

A worker is an actor with one CPU. Pages and results are pickled here, not by Ray: they come back as
from any other process, arrays that may be written to and errors of their own class. Ray Data is not
used: it takes a finite list instead of any iterable, and does a page that ends its worker again
without end (benchmarks/results/cluster.md).
"""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..errors import DgmpError
from ..names import need
from .calling import call_function, take_function
from .crew import Crew

T = TypeVar("T")
R = TypeVar("R")

_OBJECT_STORE = 2**29  # bytes: a describer passes through it, results and pages are smaller
_PATIENCE = 10.0  # seconds for an address to answer


@dataclass(frozen=True)
class RayCluster:
    """In actors of a Ray cluster, each with one CPU and one thread.

    ``address`` is that of a cluster that is there and stays, as ``host:6379`` or ``auto``; None: a
    cluster on this machine that ends with this program. ``number`` of actors; None: one for every
    CPU. A program that is connected to Ray already stays with that cluster.
    """

    address: str | None = None
    number: int | None = None

    def __post_init__(self) -> None:
        if self.number is not None and self.number < 1:
            raise ValueError(f"number must be at least 1 actor, got {self.number}")

    def connect(self) -> Any:
        """Ray with this cluster; an error says why it cannot be had."""
        return _begin_here(self.number) if self.address is None else _join(self.address)

    def map(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        lost: Callable[[T], R] | None = None,
    ) -> Iterator[tuple[T, R]]:
        """Each item with its result, in the order of the items."""
        ray = self.connect()
        number = self.number or max(1, int(ray.cluster_resources().get("CPU", 1)))
        packed = ray.put(ray.cloudpickle.dumps(function))
        kind = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Calling)
        yield from Crew(lambda: _Actor(ray, kind.remote(), packed), number, lost).map(items)


class _Calling:
    """In the process of an actor."""

    def take(self, packed: bytes, path: list[str], folder: str, machines: int) -> bytes:
        with suppress(OSError):  # relative paths are those of who sends them
            os.chdir(folder)
        sys.path += [folder for folder in path if folder not in sys.path]
        # Who asks hosts of the web keeps to its part of what all may ask, see sources/turns.py.
        os.environ.setdefault("DGMP_MACHINES", str(machines))
        return _outcome(lambda: take_function(packed))

    def call(self, packed: bytes) -> bytes:
        return _outcome(lambda: call_function(pickle.loads(packed)))


class _Actor:
    def __init__(self, ray: Any, handle: Any, packed: Any) -> None:
        self._ray = ray
        self._handle = handle
        machines = sum(node["Alive"] and "CPU" in node["Resources"] for node in ray.nodes())
        here = str(Path.cwd())
        self.ready = _opened(handle.take.remote(packed, sys.path, here, max(1, machines)))

    def call(self, item: Any) -> Future[Any]:
        return _opened(self._handle.call.remote(self._ray.cloudpickle.dumps(item)))

    def has_ended(self, error: BaseException | None) -> bool:
        return isinstance(error, self._ray.exceptions.RayError)

    def end(self) -> None:
        self._ray.kill(self._handle)


def _outcome(function: Callable[[], Any]) -> bytes:
    """The result, or the error, as it is sent."""
    try:
        return pickle.dumps((function(), None))
    except Exception as error:
        try:
            return pickle.dumps((None, error))
        except Exception:
            return pickle.dumps((None, RuntimeError(repr(error))))


def _opened(sent: Any) -> Future[Any]:
    """What will have been sent: a result or an error, or an error of Ray."""
    opened: Future[Any] = Future()

    def open_it(arrived: Future[bytes]) -> None:
        try:
            result, error = pickle.loads(arrived.result())
        except Exception as failure:
            result, error = None, failure
        if error is None:
            opened.set_result(result)
        else:
            opened.set_exception(error)

    sent.future().add_done_callback(open_it)
    return opened


def _quiet_ray() -> Any:
    if "ray" not in sys.modules:  # which reads this when it is imported
        # Ray prints to stdout that a worker has ended, among the results of a command.
        os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    return need("ray")


def _begin_here(number: int | None) -> Any:
    """Ray with a cluster on this machine; the system ends its processes when this one ends."""
    ray = _quiet_ray()
    if ray.is_initialized():
        return ray
    # Ray listens on all addresses of the machine and lets in who has the token; without this one it
    # would write one into the home folder.
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    folder = tempfile.mkdtemp(prefix="dgmp-ray-")

    def end() -> None:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    _init(
        ray,
        "this machine",
        address="local",
        num_cpus=number,
        object_store_memory=_OBJECT_STORE,
        include_dashboard=False,
        _temp_dir=folder,
        # As other processes of this machine: not behind all others in the queue for a core, and not
        # ended because other programs take much memory.
        _system_config={"worker_niceness": 0, "memory_monitor_refresh_ms": 0},
    )
    return ray


def _join(address: str) -> Any:
    """Ray with the cluster at an address."""
    ray = _quiet_ray()
    if address != "auto":  # Ray itself would try for minutes
        try:
            place = urlsplit(address if "://" in address else f"//{address}")
            if place.hostname is None or place.port is None:
                raise ValueError("an address has a host and a port, as 10.0.0.1:6379")
            socket.create_connection((place.hostname, place.port), _PATIENCE).close()
        except (OSError, ValueError) as error:
            raise DgmpError(f"{address}: no Ray cluster answers there: {error}") from error
    if not ray.is_initialized():
        _init(ray, address, address=address)
    return ray


def _init(ray: Any, where: str, **options: Any) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
    except (OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DgmpError(f"{where}: no Ray cluster can be used there: {reason}") from error
