"""What runs in a worker process: the function is taken once, then called with items."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_function: Callable[[Any], Any] | None = None  # of this worker


def take_function(packed: bytes) -> None:
    """Unpack the function of this process, and keep to one thread."""
    global _function
    _function = pickle.loads(packed)
    # The processes share the cores already.
    with suppress(ImportError):
        import cv2

        cv2.setNumThreads(1)
    with suppress(ImportError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def call_function(item: Any) -> Any:
    """What the function of this process gives for an item."""
    assert _function is not None
    return _function(item)
