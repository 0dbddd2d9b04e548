"""The page in the browser on a large catalogue: seconds until a page is there, and memory.

    python benchmarks/web.py [--pages 50000] [--dim 2048] [--folder DIR]

A real server (`dgmp view`) on the loopback address, asked by one client that fetches HTML as a
browser does, without pictures unless the row says so. Descriptors are drawn as in catalogue.py,
five pages by each writer, each writer a hand; thumbnails are those of synthetic pages. Scans of
drawn pages do not exist: two of them are compared without evidence. Evidence is measured on a
small catalogue of synthetic pages with the describer `default`. Beside all this a plain file, by
the same server. Memory is the resident set of the server.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import httpx
import numpy as np
from catalogue import BATCH, OF_ONE_WRITER, SCHOOLS, drawn

from dgmp.catalogue import Catalogue, Entry, Head, made_from, write_stored_hands
from dgmp.corpora import open_corpus
from dgmp.hands import fit_calibration
from dgmp.pixels import Preparation, prepare_page, thumbnail
from dgmp.records import Descriptors, Hand, Page, StoredHands
from dgmp.sources import FileSource
from dgmp.synthetic import synthesize
from dgmp.tasks import describe, group
from dgmp.web import urls

RESULTS = Path(__file__).parent / "results" / "web.md"
ROUNDS = 15
PLAIN = "/static/vendor/htmx/LICENSE"
HEADING = (
    "| {} | first ms | warm ms, median | most | times the plain file | GiB then |\n"
    "|---|---|---|---|---|---|"
)


class Server:
    """``dgmp view`` as a process of its own."""

    def __init__(self, catalogue: Path) -> None:
        code = "from dgmp.cli import main; main()"
        command = [sys.executable, "-c", code, "view", str(catalogue), "--port", "0"]
        start = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.starting = time.perf_counter() - start

    def __enter__(self) -> Server:
        self.client = httpx.Client(base_url=self.address, timeout=600)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)

    def seconds(self, path: str) -> float:
        start = time.perf_counter()
        answer = self.client.get(path, follow_redirects=True)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])
        return time.perf_counter() - start

    def memory(self, what: str = "VmRSS") -> float:
        """Resident set in GiB, now or (VmHWM) at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"{what}:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 2**20


def pictures(folder: Path) -> list[bytes]:
    """Thumbnails of synthetic pages."""
    synthesize(folder, writers=10, pages=2, seed=3)
    pages = open_corpus(folder).pages
    return [thumbnail(prepare_page(page, Preparation())) for page in pages]


def filled(folder: Path, pages: int, dim: int, small: list[bytes]) -> Path:
    """A catalogue of drawn descriptors with thumbnails, a calibration and stored hands."""
    ids = [f"shelf {i // 500:03}/page {i % 500:03}.jpg" for i in range(pages)]
    known = drawn(0, dim, SCHOOLS)[:500]
    halves = np.full(500, 0.5, np.float32)
    descriptors = Descriptors(tuple(ids[:500]), known, {}, halves=halves)
    writers = np.arange(500) // OF_ONE_WRITER
    calibration = fit_calibration(descriptors, writers, [None] * 500, collections=30)
    head = Head({"kind": "drawn"}, dim, "drawn", calibration.to_json())
    catalogue = Catalogue.create(folder, head)
    for batch in range(-(-pages // BATCH)):
        vectors = drawn(batch, dim, SCHOOLS)
        here = ids[batch * BATCH : (batch + 1) * BATCH]
        catalogue.add(
            [
                Entry(
                    Page(id, FileSource(Path("/nowhere") / id), size=(3000, 4000)),
                    vectors[place],
                    f"{batch}-{place}",
                    small[place % len(small)],
                    stamp="",
                    halves=0.5,
                    line_distance=60.0,
                )
                for place, id in enumerate(here)
            ]
        )
    catalogue.settle()
    chance = np.random.default_rng(0)
    hands = tuple(
        Hand(
            number,
            tuple(ids[start : start + OF_ONE_WRITER]),
            tuple(chance.uniform(0.5, 1, OF_ONE_WRITER).tolist()),
            float(chance.uniform(0.5, 1)),
            number % (pages // OF_ONE_WRITER) + 1,
        )
        for number, start in enumerate(range(0, pages, OF_ONE_WRITER), 1)
    )
    stored = StoredHands(hands, "balanced", "2026-01-01T00:00:00+00:00")
    write_stored_hands(stored, made_from(folder), folder)
    return folder


def warm(server: Server, paths: list[str]) -> list[float]:
    """The seconds of each, once the first has been asked for."""
    server.seconds(paths[0])
    return [server.seconds(path) for path in paths[1:]]


def row(name: str, first: float, later: list[float], plain: float, server: Server) -> str:
    return (
        f"| {name} | {1e3 * first:.0f} | {1e3 * median(later):.0f} | {1e3 * max(later):.0f} | "
        f"{median(later) / plain:.0f} | {server.memory():.2f} |"
    )


def large(folder: Path, pages: int) -> Iterator[str]:
    hands = pages // OF_ONE_WRITER
    pick = np.random.default_rng(1).permutation(hands)[: ROUNDS + 1] + 1
    id = "shelf {:03}/page {:03}.jpg".format
    shelves = pages // 500
    pairs = [(id(int(n) % shelves, 1), id(int(n) % shelves, int(n) % 400 + 2)) for n in pick]
    rows = {
        "hands, the first page": ["/"] * (ROUNDS + 1),
        "hands, a later page": [urls.hands(start=20 * int(n % 100)) for n in pick],
        "a hand": [urls.hand(int(n)) for n in pick],
        "a hand's nearest": [urls.hand(int(n), "nearest") for n in pick],
        "compare, without evidence": [urls.compare(*pair) for pair in pairs],
        "a page": [urls.page(pair[1]) for pair in pairs],
        "search by a page": [urls.search(page=pair[1]) for pair in pairs],
        "decisions": ["/decisions"] * (ROUNDS + 1),
        "a thumbnail": [urls.thumbnail(pair[1], "0") for pair in pairs],
    }
    with Server(folder) as server:
        first = server.seconds("/")
        yield (
            f"Started in {server.starting:.1f} s, in which packages are imported and what the "
            f"first page needs is read; then the first answer took {first:.2f} s.\n"
        )
        plain = median(warm(server, [PLAIN] * (ROUNDS + 1)))
        yield HEADING.format("what")
        yield row("a plain file", plain, [plain], plain, server)
        for name, paths in rows.items():
            cold = server.seconds(paths[0]) if name != "hands, the first page" else first
            yield row(name, cold, warm(server, paths), plain, server)
        yield f"\nMost memory while all that was asked: {server.memory('VmHWM'):.2f} GiB."


def small(folder: Path) -> Iterator[str]:
    synthesize(folder / "scans", writers=5, pages=4, seed=5)
    describe(folder / "scans", folder / "catalogue")
    hands = group(folder / "catalogue")
    ids = sorted(id for hand in hands for id in hand.page_ids)
    pairs = [(ids[i], ids[(i + 3) % len(ids)]) for i in range(8)]
    with Server(folder / "catalogue") as server:
        server.seconds("/")
        plain = median(warm(server, [PLAIN] * (ROUNDS + 1)))
        seconds = [server.seconds(urls.compare(*pair)) for pair in pairs]
        again = [server.seconds(urls.compare(*pair)) for pair in pairs]
        service = urls.image(ids[0])
        tile = f"{service}/0,0,1024,1024/512,/0/default.jpg"
        decoding = server.seconds(tile)
        tiles = warm(
            server, [f"{service}/{x},0,512,512/512,/0/default.jpg" for x in range(0, 160, 10)]
        )
        yield "\n" + HEADING.format("20 synthetic pages")
        yield row("compare, pages not seen before", seconds[0], seconds[1:], plain, server)
        yield row("compare, seen before", again[0], again[1:], plain, server)
        yield row("a tile of 512 pixels", decoding, tiles, plain, server)


def lines(arguments: argparse.Namespace) -> Iterator[str]:
    pages, hands = arguments.pages, arguments.pages // OF_ONE_WRITER
    yield (
        f"{platform.machine()}, {os.cpu_count()} cores; load when it began "
        f"{os.getloadavg()[0]:.1f}. {pages} pages of {arguments.dim} entries, {hands} hands, "
        f"{ROUNDS} requests of each kind; the first of a kind stands apart.\n"
    )
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        thumbnails = pictures(Path(folder) / "scans")
        catalogue = filled(Path(folder) / "catalogue", arguments.pages, arguments.dim, thumbnails)
        yield from large(catalogue, arguments.pages)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        yield from small(Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--dim", type=int, default=2048)
    parser.add_argument("--folder", help="where the catalogues lie for the time being")
    text = []
    for line in lines(parser.parse_args()):
        print(line, flush=True)
        text.append(line)
    RESULTS.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
