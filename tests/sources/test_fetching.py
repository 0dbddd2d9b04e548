"""Fetching: once, politely, within bounds, and from public addresses only."""

import gzip
import json
import os
import socket
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from dgmp.errors import DgmpError, ImageError, Unreachable
from dgmp.sources import fetching
from dgmp.sources.fetching import fetch, place
from sources.iiif_server import QUICK, content, cut_off, slowly, status, trickling


@pytest.fixture
def get(server):
    """A function that fetches ``/a`` of the server, as if the user had given it."""
    server.documents["/a"] = b"answer"

    def get(path="/a", most_bytes=10_000, **options):
        options.setdefault("given", server.base)
        return fetch(server.base + path, most_bytes=most_bytes, **options).read_bytes()

    return get


def test_an_answer_is_fetched_once(server, get):
    assert [get(), get()] == [b"answer", b"answer"]
    assert server.paths() == ["/a"]


def test_an_answer_that_is_too_old_is_fetched_again(server, get):
    get()
    get(max_age=0)
    assert server.paths() == ["/a", "/a"]


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_service_that_is_busy_is_asked_again(server, get, code):
    server.faults["/a"] = [status(code), status(code)]
    assert get() == b"answer"
    assert len(server.asked) == 3


def test_pauses_between_attempts_grow(server, get, monkeypatch):
    monkeypatch.setattr(fetching, "POLITENESS", replace(QUICK, backoff=0.1))
    server.faults["/a"] = [status(503), status(503)]
    get()
    first, second, third = (when for _, when in server.asked)
    assert second - first > 0.09
    assert third - second > 0.19


@pytest.mark.parametrize("as_date", [False, True], ids=["seconds", "date"])
def test_a_service_is_given_the_time_that_it_asks_for(server, get, monkeypatch, as_date):
    monkeypatch.setattr(fetching, "POLITENESS", replace(QUICK, longest_wait=5))
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)
    server.faults["/a"] = [status(429, retry_after=later if as_date else 1)]
    assert get() == b"answer"
    (_, first), (_, second) = server.asked
    assert second - first > 0.8


def waits(cache):
    """Whether the next turn of a host is some time off."""
    states = [json.loads(file.read_text() or "{}") for file in (cache / "hosts").glob("*.json")]
    return any(state.get("next", 0) > time.time() + 0.3 for state in states)


def test_others_wait_as_well_for_a_service_that_asks_for_time(server, get, cache):
    server.documents["/b"] = b"other"
    server.faults["/a"] = [status(429, retry_after=2)]
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(get)
        while not waits(cache):
            time.sleep(0.01)
        assert get("/b") == b"other"
        assert first.result() == b"answer"
    begun = [when for _, when in server.asked]
    assert min(begun[1:]) - begun[0] > 1.9


def test_a_service_that_asks_for_too_much_time_is_left_alone(server, get):
    server.faults["/a"] = status(503, retry_after=3600)
    with pytest.raises(Unreachable, match="asks to come back in 3600 s"):
        get()
    with pytest.raises(Unreachable, match="asks to come back in 3600 s"):
        get("/b")
    assert server.paths() == ["/a"]


def test_a_service_that_stays_busy_is_unreachable(server, get):
    server.faults["/a"] = status(503)
    with pytest.raises(Unreachable, match="unreachable: the service answers 503"):
        get()
    assert len(server.asked) == QUICK.attempts


def test_what_failed_is_fetched_the_next_time(server, get):
    server.faults["/a"] = [status(503)] * QUICK.attempts
    with pytest.raises(Unreachable):
        get()
    assert get() == b"answer"


REASONS = {404: "missing", 410: "missing", 401: "may not be read", 403: "may not be read",
           400: "refused", 501: "refused", 204: "refused"}  # fmt: skip


@pytest.mark.parametrize("code", REASONS)
def test_an_answer_for_good_is_not_asked_for_again(server, get, code):
    server.faults["/a"] = status(code)
    with pytest.raises(ImageError, match=REASONS[code]) as error:
        get()
    assert not isinstance(error.value, Unreachable)
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_unreachable_and_left_alone(cache, monkeypatch):
    monkeypatch.setattr(fetching, "POLITENESS", replace(QUICK, backoff=0.05, pause=600))
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    address = f"http://127.0.0.1:{port}/a"
    with pytest.raises(Unreachable, match="unreachable: "):
        fetch(address, most_bytes=10, given=address)
    with socket.create_server(("127.0.0.1", port)) as there:
        there.setblocking(False)
        with pytest.raises(Unreachable, match="unreachable: "):
            fetch(address + "b", most_bytes=10, given=address)
        with pytest.raises(BlockingIOError):  # nobody has come
            there.accept()


def test_a_name_that_is_not_known_is_unreachable(server):
    with pytest.raises(Unreachable, match="no such host"):
        fetch("http://no-such-name.invalid/", most_bytes=10)


def test_a_slow_answer_is_asked_for_again(server, get):
    server.faults["/a"] = [slowly(1.5)]
    assert get() == b"answer"


def test_half_an_answer_is_asked_for_again(server, get):
    server.faults["/a"] = [cut_off]
    assert get() == b"answer"


def test_an_answer_without_end_ends(server, get):
    server.faults["/a"] = trickling()
    with pytest.raises(Unreachable, match="no whole answer in 2 s"):
        get(most_bytes=10**9)


@pytest.mark.parametrize("fault", [content(bytes(20_000)), trickling(0)], ids=["told", "untold"])
def test_an_answer_that_is_too_large_is_refused(server, get, fault):
    server.faults["/a"] = fault
    with pytest.raises(ImageError, match=r"too large: the limit is 0\.01 million bytes"):
        get()


def test_a_packed_answer_is_unpacked_and_bounded_unpacked(server, get):
    server.faults["/a"] = packed(gzip.compress(bytes(5000)))
    assert get() == bytes(5000)
    with pytest.raises(ImageError, match="too large"):
        get(max_age=0, most_bytes=4000)


def packed(data, packing="gzip"):
    return lambda handler: handler.send(200, data, {"content-encoding": packing})


def test_a_packed_answer_is_not_unpacked_beyond_the_limit(server, get):
    server.faults["/a"] = packed(gzip.compress(bytes(50_000_000)))
    tracemalloc.start()
    try:
        with pytest.raises(ImageError, match="too large"):
            get()
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", ["gzip, gzip", "deflate", "br"])
def test_an_answer_that_is_packed_otherwise_is_refused(server, get, packing):
    server.faults["/a"] = packed(gzip.compress(gzip.compress(b"answer")), packing)
    with pytest.raises(ImageError, match=f"refused: packed by '{packing}', only gzip"):
        get()


@pytest.mark.parametrize("data", [gzip.compress(bytes(5000), mtime=0)[:-9], b"no gzip at all"])
def test_a_packed_answer_that_cannot_be_unpacked_is_broken(server, get, data):
    server.faults["/a"] = packed(data)
    with pytest.raises(ImageError, match="broken: "):
        get()


def test_an_answer_that_fails_its_check_is_not_kept(server, get, cache):
    def check(path):
        raise ImageError(path, "broken")

    with pytest.raises(ImageError, match="broken"):
        get(check=check)
    assert list(cache.glob("answers/??/*")) == []
    assert get() == b"answer"


def test_redirects_are_followed(server, get):
    server.faults["/b"] = status(302, location="/c")
    server.faults["/c"] = status(307, location=f"{server.base}/a")
    assert get("/b") == b"answer"


def test_redirects_without_end_are_refused(server, get):
    server.faults["/b"] = status(302, location="/b")
    with pytest.raises(ImageError, match="more than 5 redirects"):
        get("/b")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/a"])
def test_a_redirect_to_anything_but_http_is_refused(server, get, target):
    server.faults["/b"] = status(302, location=target)
    with pytest.raises(ImageError, match="refused: only http and https are asked, redirected to"):
        get("/b")


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://a/b", "/etc/passwd", "http://", ""]
)
def test_anything_but_http_is_refused(cache, address):
    with pytest.raises(ImageError, match="refused: only http and https"):
        fetch(address, most_bytes=10)


def test_a_private_address_is_refused_unless_it_was_given(server, get):
    with pytest.raises(ImageError, match=r"refused: 127.0.0.1 has the private address 127.0.0.1"):
        get(given="https://a.example/manifest.json")
    assert server.asked == []


def test_a_name_that_leads_to_a_private_address_is_refused(server):
    with pytest.raises(ImageError, match="refused: localhost has the private address"):
        fetch(f"http://localhost:{server.server_port}/a", most_bytes=10, given=server.base)


def test_another_port_of_a_private_host_is_refused(server, get):
    with pytest.raises(ImageError, match="refused: "):
        get(given="http://127.0.0.1:1/manifest.json")


@pytest.mark.parametrize(
    "target", ["http://127.0.0.2:{}/a", "http://localhost:{}/a", "http://[::1]:{}/a"]
)
def test_a_redirect_to_a_private_address_is_refused(server, get, target):
    server.faults["/b"] = status(302, location=target.format(server.server_port))
    with pytest.raises(ImageError, match=r"refused: .* has the private address"):
        get("/b")
    assert server.paths() == ["/b"]


def test_one_host_gets_few_requests_at_a_time(server, get, monkeypatch):
    monkeypatch.setattr(fetching, "POLITENESS", replace(QUICK, parallel=2))
    for number in range(8):
        server.documents[f"/{number}"] = b"answer"
        server.faults[f"/{number}"] = [slowly(0.05)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: get(f"/{number}"), range(8)))
    assert server.most_at_once == 2


def test_a_cache_that_cannot_be_written_is_named(server, get, tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("DGMP_CACHE", str(tmp_path / "file"))
    with pytest.raises(DgmpError, match="file: cannot be written"):
        get()


def test_http_and_https_are_one_place_and_other_ports_are_others():
    assert place("http://A.example/1") == place("https://a.example:443/2") == ("a.example", None)
    assert place("http://a.example:8080/1") == ("a.example", 8080)
    assert place("http://a.example:x/") == place("manifest.json") == ("", None)


# Prints the turn that each request gets: when it arrives depends on how busy the machine is.
FETCH = """
import sys
from contextlib import contextmanager
from dgmp.sources import fetching
from dgmp.sources.turns import Host, Politeness, machines
fetching.POLITENESS = Politeness(interval=0.1, parallel=4)
kept = Host._state

@contextmanager
def printed(host):
    with kept(host) as state:
        before = state["next"]
        yield state
        if state["next"] != before:
            print(state["next"] - 0.1 * machines(), flush=True)

Host._state = printed
for number in range(int(sys.argv[2])):
    address = f"{sys.argv[1]}/{sys.argv[3]}-{number}"
    fetching.fetch(address, most_bytes=100, given=sys.argv[1])
"""


@pytest.mark.parametrize("machines", [1, 3], ids=["one machine", "three machines"])
def test_workers_on_one_machine_or_on_several_keep_to_the_rate_of_a_host(
    server, tmp_path, machines
):
    workers, each = 3, 5
    running = []
    for worker in range(workers):
        for number in range(each):
            server.documents[f"/{worker}-{number}"] = b"x"
        folder = tmp_path / f"cache of {worker % machines}"  # a machine has a cache of its own
        environment = {"DGMP_CACHE": str(folder), "DGMP_MACHINES": str(machines)}
        command = [sys.executable, "-c", FETCH, server.base, str(each), str(worker)]
        running.append(
            subprocess.Popen(
                command, env=os.environ | environment, stdout=subprocess.PIPE, text=True
            )
        )
    said = [process.communicate(timeout=60)[0].split() for process in running]
    assert [process.returncode for process in running] == [0] * workers
    turns = [[float(word) for word in words] for words in said]
    clocks = time.time() - time.monotonic()
    arrived = {path: moment + clocks for path, moment in server.asked}
    for worker, own in enumerate(turns):
        assert len(own) == each
        assert all(arrived[f"/{worker}-{n}"] > turn - 0.01 for n, turn in enumerate(own))
    for machine in range(machines):  # one in 0.1 s for all of them together
        together = sorted(turn for own in turns[machine::machines] for turn in own)
        gaps = [after - before for before, after in pairwise(together)]
        assert min(gaps) > 0.1 * machines - 1e-6
