"""A signal asks a run to end between two steps."""

import os
import signal
import threading

import pytest

from dgmp.training.stopping import stop_on_signal


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_only_asks(kind):
    with stop_on_signal() as stopping:
        assert not stopping.is_set()
        os.kill(os.getpid(), kind)
        assert stopping.is_set()


@pytest.fixture
def heard():
    """Interrupts are heard, also in a job that a shell began in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_a_second_signal_ends_at_once():
    with stop_on_signal():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_afterwards_signals_do_what_they_did():
    before = signal.getsignal(signal.SIGINT)
    with stop_on_signal():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_no_signal_is_taken():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        with stop_on_signal() as stopping:
            seen.append((stopping.is_set(), signal.getsignal(signal.SIGINT) is before))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(False, True)]
