"""Ending a run between two steps on a signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signal() -> Iterator[threading.Event]:
    """An event that is set by the first interrupt or request to end; a second one ends at once."""
    stopping = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopping
        return
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.getsignal(kind) for kind in kinds}

    def stop(kind: int, frame: object) -> None:
        stopping.set()
        for one, handler in before.items():
            signal.signal(one, handler)

    for kind in kinds:
        signal.signal(kind, stop)
    try:
        yield stopping
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
