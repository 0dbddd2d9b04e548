"""Matrix products of a page on one core, and as before afterwards."""

import sys

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
    with threadpool_limits(2, user_api="blas"):
        yield


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


def test_without_threadpoolctl_nothing_changes(without):
    with one_thread():
        assert np.ones(3) @ np.ones(3) == 3
