"""Long work: one job at a time, its progress, its end."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dgmp.errors import DgmpError
from dgmp.web.jobs import KEPT, Jobs, JobStopped, Reader


def ended(job, seconds=60.0):
    end = time.monotonic() + seconds
    while not job.over and time.monotonic() < end:
        time.sleep(0.002)
    return job


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def gate():
    """Holds jobs up until it is set."""
    made = threading.Event()
    yield made
    made.set()


def test_a_job_has_a_result(jobs):
    job = ended(jobs.start("count", lambda stage, stopped: 7))
    assert (job.state, job.result, job.error) == ("done", 7, "")


def test_progress_is_that_of_the_stage_it_is_at(jobs, gate):
    reached = threading.Event()

    def work(stage, stopped):
        stage("first", 3)(3)
        progress = stage("second", 10)
        progress(2)
        progress(2)
        reached.set()
        gate.wait(60)

    job = jobs.start("work", work)
    reached.wait(60)
    shown = job.plain()
    assert (shown["stage"], shown["done"], shown["total"]) == ("second", 4, 10)
    assert shown["state"] == "running"
    assert job.seconds > 0


def test_a_stopped_job_ends_at_its_next_report_and_cleans_up(jobs):
    kept, began = [], threading.Event()

    def work(stage, stopped):
        progress = stage("counting", 1000)
        try:
            for number in range(1000):
                began.set()
                time.sleep(0.005)
                try:
                    progress(1)
                except Exception:
                    pytest.fail("nobody catches a stop")
                kept.append(number)
        finally:
            kept.append("written")

    job = jobs.start("work", work)
    began.wait(60)
    jobs.stop(job.id)
    assert ended(job).state == "stopped"
    assert kept[-1] == "written"
    assert len(kept) < 1000


def test_a_job_may_ask_whether_it_is_to_stop(jobs):
    def work(stage, stopped):
        while not stopped():
            time.sleep(0.002)
        raise JobStopped

    job = jobs.start("work", work)
    jobs.stop(job.id)
    assert ended(job).state == "stopped"


def test_a_waiting_job_that_is_stopped_never_begins(jobs, gate):
    begun = []
    jobs.start("long", lambda stage, stopped: gate.wait(60))
    second = jobs.start("other", lambda stage, stopped: begun.append(1))
    jobs.stop(second.id)
    gate.set()
    assert ended(second).state == "stopped"
    assert not begun


def test_one_job_runs_at_a_time_and_in_order(jobs):
    running, seen = [], []

    def work(name):
        def run(stage, stopped):
            running.append(name)
            seen.append(tuple(running))
            time.sleep(0.01)
            running.remove(name)

        return run

    last = [jobs.start(str(i), work(i)) for i in range(5)][-1]
    ended(last)
    assert seen == [(i,) for i in range(5)]


def test_the_same_job_is_not_begun_twice(jobs, gate):
    first = jobs.start("regroup", lambda stage, stopped: gate.wait(60))
    assert jobs.start("regroup", lambda stage, stopped: None) is first
    gate.set()
    ended(first)
    assert jobs.start("regroup", lambda stage, stopped: None) is not first


@pytest.mark.parametrize(
    ("error", "told"),
    [(DgmpError("no pages"), "no pages"), (ZeroDivisionError("by zero"), "ZeroDivisionError")],
)
def test_an_error_is_kept_and_the_next_job_runs(jobs, error, told):
    def fail(stage, stopped):
        raise error

    failed = ended(jobs.start("fail", fail))
    assert failed.state == "failed"
    assert told in failed.error
    assert ended(jobs.start("next", lambda stage, stopped: 1)).state == "done"


def test_an_error_nobody_foresaw_is_logged(jobs, caplog):
    def fail(stage, stopped):
        raise ZeroDivisionError

    ended(jobs.start("fail", fail))
    assert "ZeroDivisionError" in caplog.text


def test_the_end_of_the_server_stops_all(jobs):
    def work(stage, stopped):
        progress = stage("counting", 10**6)
        while True:
            time.sleep(0.002)
            progress(1)

    first, second = jobs.start("a", work), jobs.start("b", work)
    jobs.close()
    assert (first.state, second.state) == ("stopped", "stopped")
    with pytest.raises(DgmpError, match="ending"):
        jobs.start("c", work)


def test_old_jobs_are_forgotten(jobs):
    for number in range(KEPT + 5):
        ended(jobs.start(str(number), lambda stage, stopped: None))
    assert len(jobs.all()) <= KEPT
    assert jobs.find("1") is None
    assert jobs.all()[0].name == str(KEPT + 4)


def test_pages_are_read_one_after_another_whoever_asks():
    reader, threads = Reader(), set()
    with ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(reader.run, lambda: threads.add(threading.get_ident())) for _ in range(8)
        ]
        assert [each.result() for each in asked] == [None] * 8
    assert list(reader.map(str, [1, 2])) == [(1, "1"), (2, "2")]
    assert len(threads) == 1
    reader.close()
    with pytest.raises(DgmpError, match="the server is ending"):
        reader.run(list)
