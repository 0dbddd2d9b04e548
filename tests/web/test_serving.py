"""A real server: it starts, ends, is killed while people decide, and loses nothing."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from itertools import combinations

import httpx
import pytest
from catalogue.entries import HEAD, entries, unit

from dgmp.catalogue import Catalogue
from dgmp.errors import DgmpError
from dgmp.records import Decision
from dgmp.tasks import decide, history
from dgmp.web import serve
from tools.browser import served

IDS = [f"{i:02}" for i in range(30)]


@pytest.fixture
def made_up(tmp_path):
    """A catalogue of pages that are quick to make and need no describer."""
    made = Catalogue.create(tmp_path / "catalogue", HEAD)
    made.add(entries(tmp_path / "files", IDS, unit(len(IDS), 8)))
    return made.folder


@pytest.fixture
def started(made_up):
    """A function that starts ``dgmp view``, and gives the process and its address."""
    processes = []

    def start(*options):
        code = "from dgmp.cli import main; main()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, "view", str(made_up), "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        processes.append(process)
        address = process.stdout.readline().strip()
        assert address, process.stderr.read()
        return process, address

    yield start
    for process in processes:
        process.kill()
        process.wait(10)
        process.stdout.close()
        process.stderr.close()


class Person:
    """A browser as far as deciding needs one."""

    def __init__(self, address):
        self.client = httpx.Client(base_url=address.partition("?")[0], timeout=120)
        page = self.client.get("/decisions", params=dict(httpx.URL(address).params))
        page = self.client.get("/decisions") if page.status_code == 303 else page
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', page.text)[1]

    def decide(self, first, second, verdict="different", seen=None):
        fields = {"csrf": self.csrf, "first": first, "second": second, "verdict": verdict}
        fields |= {} if seen is None else {"seen": seen}
        origin = str(self.client.base_url).rstrip("/")
        return self.client.post("/compare", data=fields, headers={"Origin": origin})


def pairs_of(log):
    return {(decision.first[0], decision.second[0]) for decision in log}


def test_what_was_answered_is_there_after_a_kill(started, made_up):
    process, address = started()
    people = [Person(address) for _ in range(2)]
    confirmed, refused = [], []

    def decide_all(person, pairs):
        for pair in pairs:
            try:
                answer = person.decide(*pair, seen="9")
            except httpx.HTTPError:  # the server is gone
                return
            (confirmed if answer.status_code == 303 else refused).append(pair)

    pairs = list(combinations(IDS, 2))
    threads = [
        threading.Thread(target=decide_all, args=(person, pairs[place::2]))
        for place, person in enumerate(people)
    ]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 120
    while len(confirmed) < 30 and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    for thread in threads:
        thread.join()
    assert len(confirmed) >= 30
    assert refused == []
    assert set(confirmed) <= pairs_of(history(made_up))
    assert decide(made_up, Decision("unsure", ("00",), ("01",))) in history(made_up)


def test_the_second_of_two_people_sees_what_the_first_decided(made_up):
    with served(made_up) as address:
        first, second = Person(address), Person(address)
        assert first.decide("00", "01", "same", seen="").status_code == 303
        answer = second.decide("00", "02", "different", seen="")
    assert answer.status_code == 409
    assert "meanwhile" in answer.text
    assert pairs_of(history(made_up)) == {("00", "01")}


def test_ctrl_c_ends_it_cleanly(started):
    process, address = started()
    assert httpx.get(f"{address}hands.json").status_code == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 0
    assert "Traceback" not in process.stderr.read()


def test_a_host_that_others_reach_needs_the_token_that_is_printed(started):
    process, address = started("--host", "0.0.0.0")
    base, _, token = address.partition("?token=")
    assert len(token) > 30
    port = httpx.URL(base).port
    here = f"http://127.0.0.1:{port}/"
    assert httpx.get(here).status_code == 401
    assert Person(f"{here}?token={token}").client.get("/hands.json").status_code == 200
    assert httpx.get(f"{here}?token={token}").status_code == 401
    process.send_signal(signal.SIGINT)
    process.wait(15)
    printed = re.findall(r"\?token=(\S+)", process.stderr.read())
    assert len(printed) == 1
    assert printed[0] != token


def serve_nowhere(folder, **options):
    serve(folder, ready=pytest.fail, renewed=pytest.fail, **options)


def test_a_port_that_is_taken_is_said(made_up):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DgmpError, match="give another port"):
            serve_nowhere(made_up, port=taken.getsockname()[1])


def test_a_host_that_is_none_of_this_machine_is_said(made_up):
    with pytest.raises(DgmpError, match="no address of this machine"):
        serve_nowhere(made_up, host="192.0.2.1", port=0)


def test_a_host_that_nobody_knows_is_said(made_up):
    with pytest.raises(DgmpError, match="address of this machine"):
        serve_nowhere(made_up, host="no such host", port=0)


def test_a_folder_that_is_no_catalogue_is_said(tmp_path):
    with pytest.raises(DgmpError, match="is no catalogue"):
        serve_nowhere(tmp_path, port=0)
