"""One writer at a time, and a killed one does not hold the lock for ever."""

import threading
import time

import pytest

from dgmp.errors import StorageError
from dgmp.storage import lease, leased


@pytest.fixture
def lock(memory, monkeypatch):
    monkeypatch.setattr(lease, "BEAT", 0.05)
    monkeypatch.setattr(lease, "LEASE", 0.6)
    return memory / ".lock"


def test_another_is_refused_as_long_as_the_holder_lives(lock):
    with leased(lock), pytest.raises(BlockingIOError), leased(lock):
        pass
    with leased(lock):
        pass


def test_the_lock_is_given_back_after_an_error(lock):
    with pytest.raises(ZeroDivisionError), leased(lock):
        1 / 0  # noqa: B018
    began = time.monotonic()
    with leased(lock):
        assert time.monotonic() - began < lease.LEASE


def test_the_lock_of_one_that_was_killed_is_taken_over_after_a_while(lock):
    lock.write_bytes(b"a holder that beats no more")
    began = time.monotonic()
    with leased(lock):
        assert time.monotonic() - began >= lease.LEASE


def test_of_two_that_wait_for_a_killed_one_one_gets_it(lock):
    lock.write_bytes(b"a holder that beats no more")
    got = []

    def take():
        try:
            with leased(lock):
                got.append(True)
                time.sleep(0.3)
        except BlockingIOError:
            got.append(False)

    threads = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [False, True]


def test_a_holder_that_was_cut_off_is_told_at_its_end(lock):
    held = leased(lock)
    held.__enter__()
    lock.write_bytes(b"a successor")
    time.sleep(4 * lease.BEAT)
    with pytest.raises(StorageError, match="cut off"):
        held.__exit__(None, None, None)
