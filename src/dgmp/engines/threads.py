"""The threads of matrix products.

The products of one page are small. Threads that share them wait for each other: it takes more
processor time, and three times as long where the cores have other work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """NumPy's matrix products on one core, where threadpoolctl is there to say so."""
    pools = _pools()
    if pools is None:
        yield
        return
    with _found.put_back(pools), pools.limit(limits=1):
        yield


class _Found:
    """The numbers of threads that were found when nobody was inside.

    Most pools are those of the whole process: who enters while another thread is inside finds one
    thread and puts back one. So the last to leave puts back what the first found.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._numbers: Any = None

    @contextmanager
    def put_back(self, pools: Any) -> Iterator[None]:
        with self._lock:
            if not self._inside:
                self._numbers = pools.limit()  # to what they are: no limit
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    with self._numbers:
                        pass  # leaving puts the numbers back


_found = _Found()


@lru_cache(maxsize=1)
def _pools() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    import numpy as np  # noqa: F401  its pool is among those that are found

    return ThreadpoolController().select(user_api="blas")
