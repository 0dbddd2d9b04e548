"""Does describing survive the death of the S3 server? Kill it at random moments and count pages.

    python benchmarks/store_kills.py [--pages 24] [--kills 5] [--seconds 10]

Scans and catalogue are on an S3 server of the loopback (moto, behind a gate that is killed with -9:
requests under way are cut off, new ones refused, what was stored stays). `dgmp describe` runs as a
process of its own with two workers. It runs undisturbed once, then once per kill, each into a new
catalogue; the server is gone for ten seconds from a moment drawn at random. At the end the
catalogue must hold every page once with the vectors of the undisturbed run. Last, the server is
gone for longer than is waited: the command must end with one line, and go on when it is run again.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import contextlib

from s3_server import S3Server, serving

from dgmp import synthesize
from dgmp.catalogue import Catalogue, is_catalogue
from dgmp.storage import ObjectPath
from dgmp.storage.stores import PATIENCE

RESULTS = Path(__file__).parent / "results" / "store_kills.md"


def start(catalogue: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from dgmp.cli import app; app()", "describe", "s3://scans/in"]
    return subprocess.Popen(
        [*command, "--catalogue", catalogue, "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def fault_of(catalogue: str, right: Catalogue) -> str:
    """What is wrong with a catalogue; nothing if it is as the undisturbed one."""
    found, wanted = Catalogue.open(catalogue), right.descriptors()
    if len(found) != len(right):
        return f"{len(found)} rows of {len(right)}"
    vectors = found.descriptors()  # refuses a page that is there twice
    if vectors.page_ids != wanted.page_ids:
        return "other pages"
    return "" if np.array_equal(vectors.vectors, wanted.vectors) else "other vectors"


def started(catalogue: str, after: float) -> subprocess.Popen[str] | None:
    """A command that has run for so long; None where it ended before."""
    process = start(catalogue)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        return process
    return None


def killed(
    server: S3Server, catalogue: str, after: float, seconds: float
) -> tuple[int, float] | None:
    """A command whose server is gone for a while: its end, and the seconds it took."""
    began = time.monotonic()
    process = started(catalogue, after)
    if process is None:
        return None
    server.die()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    server.rise()
    process.wait()
    return process.returncode, time.monotonic() - began


def outlasted(server: S3Server, catalogue: str) -> tuple[int, str, int]:
    """A server that stays away: how the command ends, its last line, how the second one ends."""
    process = start(catalogue)
    while not is_catalogue(catalogue):  # pages are looked at and described from now on
        time.sleep(0.2)
    server.die()
    _, said = process.communicate(timeout=10 * PATIENCE)
    server.rise()
    again = start(catalogue)
    again.communicate()
    return process.returncode, said.strip().splitlines()[-1], again.returncode


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=24)
    options.add_argument("--kills", type=int, default=5)
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--seed", type=int, default=15)
    asked = options.parse_args()
    drawn = random.Random(asked.seed)
    lines = ["| server gone | command ends with | seconds | catalogue |", "|---|---:|---:|---|"]
    with tempfile.TemporaryDirectory() as folder, serving() as server:
        os.environ.update(server.environment)
        scans = Path(folder) / "scans"
        synthesize(scans, writers=asked.pages // 4, pages=4, seed=asked.seed)
        for file in (path for path in scans.rglob("*") if path.is_file()):
            name = file.relative_to(scans).as_posix()
            (ObjectPath.of("s3://scans/in") / name).write_bytes(file.read_bytes())
        began = time.monotonic()
        if start("s3://scans/right").wait():
            raise SystemExit("the undisturbed run failed")
        whole = time.monotonic() - began
        right = Catalogue.open("s3://scans/right")
        lines.append(f"| never | 0 | {whole:.0f} | {len(right)} pages |")
        for number in range(asked.kills):
            found = None
            while found is None:  # the machine may be quicker now, and the command at its end
                after = drawn.uniform(0.1, 0.9) * whole
                catalogue = f"s3://scans/kill{number}-{after:.2f}"
                found = killed(server, catalogue, after, asked.seconds)
                whole = whole if found else after
            code, seconds = found
            ends = str(code)
            if code:
                ends += f", again {start(catalogue).wait()}"
            fault = fault_of(catalogue, right) or "as undisturbed"
            when = f"after {after:.1f} s for {asked.seconds:g} s"
            lines.append(f"| {when} | {ends} | {seconds:.0f} | {fault} |")
            print(lines[-1], flush=True)
        code, said, again = outlasted(server, "s3://scans/long")
        fault = fault_of("s3://scans/long", right) or "as undisturbed"
        lines.append(f"| when pages are begun, for good | {code}, again {again} | – | {fault} |")
        print(lines[-1], said, flush=True)
    wrong = [line for line in lines[2:] if "pages" not in line and "as undisturbed" not in line]
    head = (
        f"# Describing while the S3 server dies\n\n{asked.pages} synthetic pages, two workers, "
        "scans and catalogue on one S3 server of the loopback (moto). Wall-clock seconds on a busy "
        "machine.\n\n"
    )
    ends = said.replace(f"127.0.0.1:{server.port}", "127.0.0.1")
    RESULTS.write_text(
        head + "\n".join(lines) + f"\n\nThe last one ends with: `{ends}`\n", encoding="utf-8"
    )
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
