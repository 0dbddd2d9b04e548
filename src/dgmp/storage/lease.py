"""One writer at a time, in a store without locks: a lease that its holder renews.

The lock is an object. Who holds it writes a new beat into it every ``BEAT`` seconds, conditional on
the beat before (If-Match), so that two can never both believe to have taken it. Who finds it held
watches it: a new beat means that the holder lives; none for ``LEASE`` seconds means that it was
killed, and the lock is taken over. No clocks are compared. What stays: a holder that is cut off or
stopped for longer than ``LEASE`` may go on beside its successor until it finds out at its end. The
table is whole even then, since each commit to it is conditional, too.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from ..errors import DgmpError, StorageError
from .object_path import ObjectPath, Tag

LEASE = 30.0  # seconds without a beat after which a holder counts as killed
BEAT = 5.0
_LOOK = 0.5
_FREE = b"free"


@contextmanager
def leased(path: ObjectPath) -> Iterator[None]:
    """Hold the lock, or raise a BlockingIOError while another process lives that holds it."""
    # Not for long: a late beat is none, and who ends does not wait for a store that is gone.
    lease = _Lease(replace(path, patience=BEAT), secrets.token_hex(8).encode())
    lease.take()
    ended = threading.Event()
    beating = threading.Thread(target=lease.renew, args=(ended,), daemon=True)
    beating.start()
    try:
        yield
    finally:
        ended.set()
        beating.join()
        lease.give_back()
    if lease.lost:
        raise StorageError(
            f"{path.parent}: this process was cut off for more than {LEASE:.0f} s, or its lock was "
            "deleted, and another one may write there; run the same command again when that is done"
        )


class _Lease:
    def __init__(self, path: ObjectPath, holder: bytes) -> None:
        self.path, self.holder = path, holder
        self.tag: Tag | None = None
        self.beats, self.lost = 0, False

    def take(self) -> None:
        data, tag = self.path.read_tagged()
        seen, since = data, time.monotonic()
        while True:
            free = tag is None or data == _FREE
            if free or time.monotonic() - since > LEASE:
                self.tag = self.path.write_if(self._beat(), tag)
                if self.tag is not None or self._is_ours():
                    return
                raise BlockingIOError(f"{self.path} is held")  # another one was quicker
            time.sleep(min(_LOOK, LEASE / 4))
            data, tag = self.path.read_tagged()
            if data not in (seen, _FREE, b""):
                raise BlockingIOError(f"{self.path} is held")

    def renew(self, ended: threading.Event) -> None:
        while not ended.wait(BEAT) and not self.lost:
            with suppress(DgmpError):  # the store is gone: with the next beat, perhaps
                tag = self.path.write_if(self._beat(), self.tag)
                if tag is not None:
                    self.tag = tag
                else:
                    self.lost = not self._is_ours()

    def give_back(self) -> None:
        with suppress(DgmpError):  # then the lease runs out
            if not self.lost:
                self.path.write_if(_FREE, self.tag)

    def _beat(self) -> bytes:
        self.beats += 1
        return self.holder + b" %d" % self.beats

    def _is_ours(self) -> bool:
        """Whether a beat was written whose answer was lost."""
        data, tag = self.path.read_tagged()
        if not data.startswith(self.holder):
            return False
        self.tag = tag
        return True
