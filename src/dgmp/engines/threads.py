"""The threads of matrix products.

The products of one page are small. Threads that share them wait for each other: it takes more
processor time, and three times as long where the cores have other work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """NumPy's matrix products on one core, where threadpoolctl is there to say so."""
    pools = _pools()
    if pools is None:
        yield
        return
    with pools.limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _pools() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    import numpy as np  # noqa: F401  its pool is among those that are found

    return ThreadpoolController()
