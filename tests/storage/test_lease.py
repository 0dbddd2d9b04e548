"""One writer at a time, and a killed one does not hold the lock for ever."""

import socket
import threading
import time
from dataclasses import replace

import pytest

from dgmp.errors import StorageError
from dgmp.storage import ObjectPath, lease, leased
from dgmp.storage.stores import store_of


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


def test_a_holder_whose_lock_was_deleted_is_told_at_its_end(lock):
    held = leased(lock)
    held.__enter__()
    store_of(lock.scheme, lock.bucket).delete(lock.key)
    time.sleep(4 * lease.BEAT)
    with pytest.raises(StorageError, match="its lock was deleted"):
        held.__exit__(None, None, None)


def test_a_beat_that_is_not_answered_ends_before_the_lease_does(s3, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr("dgmp.storage.stores._CONNECT", 0.5)
        began = time.monotonic()
        with pytest.raises(StorageError, match="cannot be reached"):
            replace(ObjectPath.of("s3://silent/.lock"), patience=0.5).write_bytes(b"beat")
    assert time.monotonic() - began < 30
