"""Every page in order, wherever the work runs; errors come in their place."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from dgmp.engines import Here, Processes, engine_for, map_pages
from dgmp.errors import DgmpError, ImageError
from dgmp.records import Page
from dgmp.sources import FileSource

ENGINES = {"here": Here(), "one process": Processes(1), "two processes": Processes(2)}
EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
PAGES = [Page(f"{number:02}", FileSource(Path(f"{number:02}.png"))) for number in range(12)]

here = "as imported"  # a test changes it: a fork would see the change, a new process does not


def length_of_id(page):
    return len(page.id) + int(page.id)


def refuse_three(page):
    if page.id == "03":
        raise ImageError(page.source.address, "broken: for a test")
    return page.id


def fail_at_three(page):
    if page.id == "03":
        raise ZeroDivisionError("a bug")
    return page.id


def die_at_three(page):
    if page.id == "03":
        os._exit(1)
    return page.id


def process_id(page):
    return os.getpid()


def read_here(page):
    return here


def opencv_threads(page):
    return cv2.getNumThreads()


def slow_first(number):
    if number == 0:
        threading.Event().wait(0.3)
    return number


@EVERY_ENGINE
def test_results_come_with_their_pages_in_order(engine):
    expected = [(page, length_of_id(page)) for page in PAGES]
    assert list(map_pages(PAGES, length_of_id, engine)) == expected


@EVERY_ENGINE
def test_an_item_that_takes_long_keeps_its_place(engine):
    assert list(engine.map(slow_first, range(3))) == [(0, 0), (1, 1), (2, 2)]


@EVERY_ENGINE
def test_an_image_error_comes_back_in_the_place_of_the_result(engine):
    results = [result for _, result in map_pages(PAGES[:5], refuse_three, engine)]
    assert isinstance(results.pop(3), ImageError)
    assert results == ["00", "01", "02", "04"]


@EVERY_ENGINE
def test_an_image_error_comes_back_with_the_id_of_the_page(engine):
    ((_, error),) = map_pages(PAGES[3:4], refuse_three, engine)
    assert (error.file, error.reason) == ("03", "broken: for a test")


@EVERY_ENGINE
def test_an_error_of_the_program_is_raised(engine):
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(map_pages(PAGES, fail_at_three, engine))


@EVERY_ENGINE
def test_no_pages_have_no_results(engine):
    assert list(map_pages([], length_of_id, engine)) == []


@EVERY_ENGINE
def test_only_a_few_pages_are_under_way(engine):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield PAGES[0]

    results = map_pages(endless(), length_of_id, engine)
    for _ in range(3):
        next(results)
    results.close()
    assert len(taken) < 16


def test_without_an_engine_the_work_is_done_here():
    assert list(map_pages(PAGES[:1], process_id)) == [(PAGES[0], os.getpid())]


def test_a_function_that_cannot_be_pickled_runs_here():
    assert [result for _, result in Here().map(lambda n: n + 1, [1, 2])] == [2, 3]


def test_processes_are_others_than_this_one():
    (result,) = {result for _, result in map_pages(PAGES[:3], process_id, Processes(1))}
    assert result != os.getpid()


def test_processes_are_fresh_and_no_forks(monkeypatch):
    monkeypatch.setattr(f"{__name__}.here", "changed")
    assert list(map_pages(PAGES[:1], read_here, Processes(1))) == [(PAGES[0], "as imported")]


def test_every_process_has_one_thread():
    assert list(map_pages(PAGES[:1], opencv_threads, Processes(1))) == [(PAGES[0], 1)]


@pytest.mark.parametrize("number", [1, 2])
def test_a_process_that_is_ended_from_outside_is_an_error(number):
    with pytest.raises(DgmpError, match=r"ended from outside.*fewer workers"):
        list(map_pages(PAGES, die_at_three, Processes(number)))


@pytest.mark.parametrize("number", [0, -2])
def test_fewer_than_one_process_are_refused(number):
    with pytest.raises(ValueError, match=f"number must be at least 1 process, got {number}"):
        Processes(number)


def test_no_workers_are_this_process():
    assert isinstance(engine_for(0), Here)


def test_workers_are_processes():
    assert engine_for(3) == Processes(3)


def out_of_memory(page):
    if page.id == "03":
        raise MemoryError
    if page.id == "05":
        raise cv2.error("OpenCV(4.13) alloc.cpp: error: (-4:Insufficient memory) Failed")
    if page.id == "07":
        cv2.resize(np.zeros((0, 0), np.uint8), (1, 1))
    return page.id


@EVERY_ENGINE
def test_memory_and_pixels_of_one_page_do_not_stop_the_others(engine):
    found = {page.id: result for page, result in map_pages(PAGES, out_of_memory, engine)}
    assert found["03"].reason == found["05"].reason == "too large for this machine's memory"
    assert found["07"].reason.startswith("cannot be prepared: OpenCV")
    assert len([result for result in found.values() if isinstance(result, str)]) == 9


def test_workers_end_with_the_process_that_started_them(tmp_path):
    code = f"""
import os, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from waiting import note_and_wait
from dgmp.engines import Processes
if __name__ == "__main__":
    list(Processes(2).map(note_and_wait, [{str(tmp_path)!r}] * 2))
"""
    (tmp_path / "start.py").write_text(code)
    parent = subprocess.Popen([sys.executable, str(tmp_path / "start.py")])
    until(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
    workers = [int(file.stem) for file in tmp_path.glob("*.pid")]
    parent.kill()
    parent.wait()
    until(lambda: not any(Path(f"/proc/{worker}/status").exists() for worker in workers))


def until(true, seconds=60):
    for _ in range(10 * seconds):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("not in time")
