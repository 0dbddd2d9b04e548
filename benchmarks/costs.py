"""What millions of pages cost: core-days, requests and bytes, from measured figures.

    python benchmarks/costs.py [--pages 6] [--counted 16 48]

Measured here, per page: the processor's time for all stages of `dgmp describe` (by `default`, one
thread, scans of 12 megapixels as colour JPEG), what a IIIF server of the loopback is asked for and
sends for the same scans, the bytes of the table, and what an S3 server of the loopback (moto) is
asked for: as the difference between a smaller and a larger corpus, so that what every run does once
does not count. The processor's time is of a machine that does other things; the figures of
benchmarks/results/describing.md are of one that does not. All else is multiplication.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import cv2
import numpy as np
from sources import iiif_server

from dgmp import open_corpus, synthesize
from dgmp.engines import Here
from dgmp.sources.fetching import POLITENESS
from dgmp.storage import ObjectPath
from dgmp.tasks import describe, describing

RESULTS = Path(__file__).parent / "results" / "costs.md"
LARGE = (4000, 3200)  # width, height of a scan: 12 megapixels
JOBS = (10**6, 10**7, 10**8)
DAY = 86_400


@dataclass(frozen=True)
class PerPage:
    """What one page costs."""

    core_seconds: float
    scan_bytes: float
    iiif_requests: float
    iiif_bytes: float
    table_bytes: float
    store_reads: float  # GET and HEAD
    store_writes: float  # PUT, POST, LIST and DELETE
    store_bytes_read: float
    store_bytes_written: float


def make_scans(folder: Path, pages: int) -> list[Path]:
    """Synthetic pages as colour JPEGs of 12 megapixels, grainy as a camera has it."""
    synthesize(folder / "drawn", writers=pages, pages=1, seed=3)
    (folder / "scans").mkdir()
    chance = np.random.default_rng(0)
    for number, page in enumerate(open_corpus(folder / "drawn").pages):
        grey = cv2.imdecode(np.frombuffer(page.source.open().read(), np.uint8), cv2.IMREAD_COLOR)
        large = cv2.resize(grey, LARGE, interpolation=cv2.INTER_CUBIC).astype(np.int16)
        large += chance.normal(0, 3, large.shape[:2]).astype(np.int16)[:, :, None]
        file = folder / "scans" / f"{number:03}.jpg"
        cv2.imwrite(str(file), large.clip(0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return sorted((folder / "scans").iterdir())


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def here(folder: Path, pages: int) -> tuple[float, float]:
    """Processor seconds per page for all stages, and bytes per page of the table."""
    describe(folder / "scans" / "000.jpg", folder / "first", engine=Here())  # all is loaded
    began = time.process_time()
    describe(folder / "scans", folder / "table", engine=Here())
    seconds = (time.process_time() - began) / pages
    return seconds, size_of(folder / "table" / "pages.lance" / "data") / pages


def by_iiif(folder: Path, files: list[Path]) -> tuple[float, float]:
    """Requests and bytes per page of a IIIF server."""
    sent = Counter()
    send = iiif_server._Handler.send

    def counting(self: Any, code: int, data: bytes, headers: Any = None) -> None:
        sent["requests"] += 1
        sent["bytes"] += len(data)
        send(self, code, data, headers)

    iiif_server._Handler.send = counting
    os.environ["DGMP_CACHE"] = str(folder / "cache")
    with iiif_server.serving() as server:
        address = server.add_book("book", len(files))
        for number, file in enumerate(files):
            server.pictures[f"book-{number}"] = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        describe(address, folder / "web", engine=Here())
    return sent["requests"] / len(files), sent["bytes"] / len(files)


@contextmanager
def counting_store() -> Iterator[Counter[str]]:
    """An S3 server that counts what it is asked for."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    inner, counts = DomainDispatcherApplication(create_backend_app), Counter()

    def counted(environ: dict[str, Any], start: Any) -> Any:
        method = "LIST" if "list-type" in environ["QUERY_STRING"] else environ["REQUEST_METHOD"]
        counts[method] += 1
        counts["written"] += int(environ.get("CONTENT_LENGTH") or 0)

        def begin(status: str, headers: Any, *rest: Any) -> Any:
            if method == "GET":
                counts["read"] += int(dict(headers).get("Content-Length") or 0)
            return start(status, headers, *rest)

        return inner(environ, begin)

    class Quiet(WSGIRequestHandler):
        def log(self, *_: Any) -> None:
            pass

    server = make_server("127.0.0.1", 0, counted, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing-at-all",
        "AWS_REGION": "us-east-1",
    }
    import urllib.request

    bucket = f"http://127.0.0.1:{server.server_port}/scans"
    urllib.request.urlopen(urllib.request.Request(bucket, method="PUT")).close()
    yield counts
    server.shutdown()


def by_store(files: list[Path], counted: tuple[int, int]) -> Counter[str]:
    """What is asked of a store per page: the slope between two numbers of pages."""
    found = []
    describing.BATCH_SECONDS = 1e9  # whole batches, however busy the machine is
    with counting_store() as counts:
        for pages in counted:
            folder = ObjectPath.of(f"s3://scans/{pages}")
            for number in range(pages):
                content = files[number % len(files)].read_bytes() + bytes([number])
                (folder / "in" / f"{number:03}.jpg").write_bytes(content)
            counts.clear()
            describe(str(folder / "in"), str(folder / "table"), engine=Here())
            found.append(counts.copy())
    few, many = found
    return Counter({key: (many[key] - few[key]) / (counted[1] - counted[0]) for key in many})


def measure(pages: int, counted: tuple[int, int]) -> PerPage:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make_scans(folder, pages)
        seconds, table = here(folder, pages)
        requests, sent = by_iiif(folder, files)
        store = by_store(files, counted)
        return PerPage(
            seconds,
            size_of(folder / "scans") / pages,
            requests,
            sent,
            table,
            store["GET"] + store["HEAD"],
            store["PUT"] + store["POST"] + store["DELETE"] + store["LIST"],
            store["read"],
            store["written"],
        )


def amount(value: float, unit: str = "") -> str:
    for size, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {name}{unit}"
    return f"{value:.3g} {unit}".strip()


def table(page: PerPage) -> str:
    rate = 1 / POLITENESS.interval
    rows = {
        "processor": [page.core_seconds, lambda n: f"{n * page.core_seconds / DAY:,.0f} core-days"],
        "IIIF: requests": [page.iiif_requests, lambda n: amount(n * page.iiif_requests)],
        "IIIF: received": [page.iiif_bytes, lambda n: amount(n * page.iiif_bytes, "B")],
        f"IIIF: one host, {rate:g} requests a second": [
            page.iiif_requests / rate,
            lambda n: f"{n * page.iiif_requests / rate / DAY:,.0f} days",
        ],
        "store: GET and HEAD": [page.store_reads, lambda n: amount(n * page.store_reads)],
        "store: PUT and LIST": [page.store_writes, lambda n: amount(n * page.store_writes)],
        "store: read": [page.store_bytes_read, lambda n: amount(n * page.store_bytes_read, "B")],
        "store: written": [
            page.store_bytes_written,
            lambda n: amount(n * page.store_bytes_written, "B"),
        ],
        "table": [page.table_bytes, lambda n: amount(n * page.table_bytes, "B")],
    }
    units = {"processor": "s", f"IIIF: one host, {rate:g} requests a second": "s"}
    bytes_in = ("IIIF: received", "store: read", "store: written", "table")
    lines = [
        "| | per page |" + "".join(f" {n:,} pages |" for n in JOBS),
        "|---|" + "---:|" * (1 + len(JOBS)),
    ]
    for name, (one, many) in rows.items():
        unit = "B" if name in bytes_in else units.get(name, "")
        lines.append(f"| {name} | {amount(one, unit)} |" + "".join(f" {many(n)} |" for n in JOBS))
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=6)
    options.add_argument("--counted", type=int, nargs=2, default=(16, 48))
    asked = options.parse_args()
    page = measure(asked.pages, tuple(asked.counted))
    text = (
        "# What millions of pages cost\n\n"
        f"By `python benchmarks/costs.py`, from {asked.pages} scans of {LARGE[0]}×{LARGE[1]} "
        f"pixels (colour JPEG, {amount(page.scan_bytes, 'B')} each), described by `default`. The "
        "processor's time is of one core of a busy machine, all stages included. A scan in a store "
        "is read once per stage (the writing is looked for, measured, described); one of IIIF is "
        "fetched once, at up to 3200 pixels. Requests to the store are without what every run does "
        "once, and without the parts of the table that are rewritten when small files are joined.\n"
        f"\n{table(page)}\n"
    )
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
