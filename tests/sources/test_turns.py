"""Turns of a host: the rate and the number at a time, among threads and processes."""

import subprocess
import sys
import threading
import time

import pytest

from dgmp.errors import DgmpError, Unreachable
from dgmp.sources.turns import Host, Politeness, machines


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path, "a.example")


def starts_of(host, politeness, number, held=0.0):
    """When so many threads were sent, when each had its turn, and how many held one at a time."""
    starts, holding, most = [], [], []

    def take():
        with host.turn(politeness, "https://a.example/"):
            starts.append(time.monotonic())
            holding.append(1)
            most.append(len(holding))
            time.sleep(held)
            holding.pop()

    threads = [threading.Thread(target=take) for _ in range(number)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return began, sorted(starts), max(most)


def test_turns_are_apart_by_the_interval(host):
    # A thread may look at the clock long after its turn has begun, but never before.
    began, starts, _ = starts_of(host, Politeness(interval=0.05, parallel=8), 5)
    assert all(start - began > 0.05 * turn - 0.01 for turn, start in enumerate(starts))


def test_not_more_than_so_many_are_held_at_a_time(host):
    *_, most = starts_of(host, Politeness(interval=0.0, parallel=2), 6, held=0.03)
    assert most == 2


TAKE = """
import sys, time
from pathlib import Path
from dgmp.sources.turns import Host, Politeness
print(time.time())
for _ in range(3):
    with Host(Path(sys.argv[1]), "a.example").turn(Politeness(interval=0.1), "https://a.example/"):
        print(time.time())
"""


def test_processes_share_the_turns(host):
    command = [sys.executable, "-c", TAKE, str(host.folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [list(map(float, each.communicate()[0].split())) for each in running]
    assert [len(times) for times in told] == [4, 4]
    began = min(times[0] for times in told)
    starts = sorted(start for times in told for start in times[1:])
    assert all(start - began > 0.1 * turn - 0.01 for turn, start in enumerate(starts))


def test_other_hosts_have_turns_of_their_own(host):
    slow = Politeness(interval=30.0)
    began = time.monotonic()
    for name in ("a", "b", "c"):
        with Host(host.folder, name).turn(slow, ""):
            pass
    assert time.monotonic() - began < 30


def test_a_host_that_asks_to_wait_is_waited_for(host):
    began = time.monotonic()
    host.wait(0.15)
    with host.turn(Politeness(), ""):
        assert time.monotonic() - began > 0.14


def test_a_host_that_is_left_alone_fails_at_once_with_the_reason(host):
    host.leave_alone(600, "unreachable: for a test")
    with pytest.raises(Unreachable, match="for a test"), host.turn(Politeness(), "https://a/"):
        pass


def test_a_host_that_was_left_alone_is_asked_again(host):
    host.leave_alone(0.05, "unreachable: for a test")
    time.sleep(0.1)
    with host.turn(Politeness(), ""):
        pass


def test_several_failures_in_a_row_are_enough(host):
    politeness = Politeness(interval=0, failures=2, pause=9)
    host.failed(politeness, "down")
    host.answered()
    host.failed(politeness, "down")
    with host.turn(politeness, ""):
        pass
    host.failed(politeness, "down")
    with pytest.raises(Unreachable), host.turn(politeness, ""):
        pass


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"next": 1e300}', '{"next": "x"}', '{"next": null}']
)
def test_a_file_of_turns_that_makes_no_sense_is_passed_over(host, content):
    host.wait(0)
    (file,) = (host.folder / "hosts").glob("*.json")
    file.write_text(content)
    with host.turn(Politeness(), ""):
        pass


def test_several_machines_share_the_rate_of_one():
    one = Politeness(interval=0.25, parallel=8)
    each = one.shared(4)
    assert (each.interval, each.parallel) == (1.0, 2)
    assert one.shared(1) == one
    assert one.shared(100).parallel == 1


@pytest.mark.parametrize("said", ["0", "-1", "many"])
def test_a_wrong_number_of_machines_is_refused(monkeypatch, said):
    monkeypatch.setenv("DGMP_MACHINES", said)
    with pytest.raises(DgmpError, match="DGMP_MACHINES must be a number"):
        machines()
