"""Matrix products of a page on one core, and as before afterwards."""

import sys
from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dgmp.describers import page_and_halves
from dgmp.engines import one_thread, threads
from dgmp.pixels import PageImage, Preparation
from dgmp.records import Page
from dgmp.sources import FileSource


def pools():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two():
    """Set by threads that end, as threadpoolctl lets no other change what a living one has set."""
    limits = []
    elsewhere(lambda: limits.append(threadpool_limits(2, user_api="blas")))
    yield
    elsewhere(limits[0].restore_original_limits)


def elsewhere(work):
    thread = Thread(target=work)
    thread.start()
    thread.join()


@pytest.fixture
def without(monkeypatch):
    """As where threadpoolctl is not installed."""
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    threads._pools.cache_clear()
    yield
    threads._pools.cache_clear()


class Counting:
    preparation = Preparation(canonical=None, binarization="none")

    def describe_page(self, image):
        assert pools() == {1}
        return np.ones(2, np.float32)


def test_products_have_one_thread_inside_and_as_many_as_before_outside():
    with one_thread():
        assert pools() == {1}
    assert pools() == {2}


def test_a_page_is_described_with_one_thread(tmp_path):
    pixels = np.full((40, 40), 255, np.uint8)
    pixels[10:30, 10:30] = 0
    page_and_halves(Counting(), PageImage(Page("a", FileSource(tmp_path / "a.png")), pixels))
    assert pools() == {2}


def test_an_error_inside_puts_the_threads_back():
    with pytest.raises(ValueError, match="torn"), one_thread():
        raise ValueError("torn")
    assert pools() == {2}


def test_the_last_of_two_threads_to_leave_puts_back_what_the_first_found():
    inside, left = Event(), Event()

    def stay():
        with one_thread():
            inside.set()
            assert left.wait(10)

    other = Thread(target=stay)
    with one_thread():
        other.start()
        assert inside.wait(10)
    left.set()
    other.join()
    assert pools() == {2}


def test_without_threadpoolctl_nothing_changes(without):
    with one_thread():
        assert np.ones(3) @ np.ones(3) == 3
