"""Thousands of strange requests to a real server on the loopback address; see tests/web/fuzzing.py.

    python benchmarks/web_fuzz.py [--requests 20000] [--seed 0]

Half of them go to a server for everybody on this machine, half to one with a token. It ends by
itself, names every answer that is wrong (a status of 500, let in where it may not be, headers that
are missing, files of the machine in it), and says how many decisions the right ones led to.
"""

from __future__ import annotations

import argparse
import http.client
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from web.fuzzing import Asked, Known, requests, wrong
from word_models import save_word_model

from dgmp.catalogue import Catalogue
from dgmp.synthetic import synthesize
from dgmp.tasks import describe, group, history, index_words

RESULTS = Path(__file__).parent / "results" / "web_fuzz.md"
PAGES = 4  # by each of three writers


class Running:
    """``dgmp view`` as a process of its own, and what its pages tell a browser."""

    def __init__(self, catalogue: Path, *options: str) -> None:
        code = "from dgmp.cli import main; main()"
        command = [sys.executable, "-c", code, "view", str(catalogue), "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        address = self.process.stdout.readline().strip()
        port = httpx.URL(address).port
        self.host, self.token = f"127.0.0.1:{port}", address.partition("token=")[2]
        client = httpx.Client(base_url=f"http://{self.host}", follow_redirects=True, timeout=60)
        page = client.get("/hands", params={"token": self.token} if self.token else {})
        found = re.search(r'name="csrf" value="([^"]+)"', page.text)
        assert found is not None, page.text[:500]
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        ids = tuple(Catalogue.open(catalogue).paths())
        self.known = Known(self.host, cookie, found[1], ids)

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Send a request as it is, byte by byte."""
        host, port = self.host.split(":")
        with socket.create_connection((host, int(port)), timeout=120) as connection:
            headers = asked.headers | {"Connection": "close"}
            if asked.body or asked.method not in ("GET", "HEAD", "OPTIONS"):
                headers["Content-Length"] = str(len(asked.body))
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            start = f"{asked.method} {asked.target} HTTP/1.1\r\n{head}\r\n"
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before its end
                connection.sendall(start.encode("latin-1", "replace") + asked.body)
            response = http.client.HTTPResponse(connection, method=asked.method)
            response.begin()
            return response.status, dict(response.getheaders()), response.read()

    def memory(self) -> int:
        """The largest resident set so far, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) // 1024

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


def outsiders(asked: Asked, known: Known) -> Asked:
    """The same request without the cookie that a token sets."""
    return replace(asked, headers=asked.headers | {"Cookie": "a=b"}, allowed=False)


def fuzzed(catalogue: Path, number: int, seed: int, *options: str) -> Iterator[str]:
    server = Running(catalogue, *options)
    statuses: Counter[int] = Counter()
    complaints: Counter[str] = Counter()
    start = time.monotonic()
    for place, asked in enumerate(requests(server.known, seed, number)):
        if server.token and place % 3 == 0:
            asked = outsiders(asked, server.known)
        try:
            status, headers, body = server.answer(asked)
        except (OSError, http.client.HTTPException) as error:
            complaints[f"no answer: {error!r} to {asked.method} {asked.target[:80]}"] += 1
            continue
        statuses[status] += 1
        if complaint := wrong(asked, status, headers, body):
            complaints[f"{complaint}: {asked.method} {asked.target[:120]} {asked.body[:80]!r}"] += 1
    seconds = time.monotonic() - start
    counted = ", ".join(f"{status}: {n}" for status, n in sorted(statuses.items()))
    yield f"{' '.join(options) or 'loopback'}: {number} requests in {seconds:.0f} s; {counted}."
    yield f"At most {server.memory()} MiB; ended with {server.end()}."
    yield f"Wrong answers: {sum(complaints.values())}."
    yield from (f"{n} × {complaint}" for complaint, n in complaints.most_common(40))


def lines(arguments: argparse.Namespace) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        synthesize(folder / "scans", writers=3, pages=PAGES, seed=7)
        describe(folder / "scans", folder / "catalogue")
        group(folder / "catalogue")
        index_words(folder / "catalogue", save_word_model(folder / "model"))
        half = arguments.requests // 2
        for place, options in enumerate(((), ("--host", "0.0.0.0"))):
            yield from fuzzed(folder / "catalogue", half, arguments.seed + place, *options)
        opened = Catalogue.open(folder / "catalogue")
        yield f"{len(history(opened))} decisions were taken; the catalogue has {len(opened)} pages."


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    text = []
    for line in lines(parser.parse_args()):
        print(line, flush=True)
        text.append(line)
    RESULTS.write_text("\n\n".join(text) + "\n")


if __name__ == "__main__":
    main()
