"""Kill -9 of workers and of the driver at random moments: the same command finishes what it began.

    python benchmarks/cluster_kills.py [--times 5] [--pages 100] [--engine ray] [--catalogues PLACE]

`dgmp describe` runs over synthetic pages with two workers. At a random moment of the time that it
takes undisturbed, one process is killed: a worker, whose page another takes over, or the driver,
after which the same command runs again. Then every page must be in the catalogue once, with the
vector that it has in a catalogue that was described undisturbed. ``--catalogues`` is the folder or
address, as `s3://bucket/prefix`, under which catalogues are made; by default a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL

from dgmp import synthesize
from dgmp.catalogue import Catalogue
from dgmp.records import Descriptors

RESULTS = Path(__file__).parent / "results" / "cluster_kills.md"
DESCRIBER = "cohinge"  # the least work per page
WORKER = {"ray": "ray::_Calling", "processes": "multiprocessing.spawn"}  # in its command line
PATIENCE = 1800.0  # seconds


def start(scans: Path, catalogue: str, engine: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", "from dgmp.cli import main; main()"]
    command += ["describe", str(scans), "--catalogue", catalogue, "--describer", DESCRIBER]
    command += ["--engine", engine, "--workers", "2"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(command: subprocess.Popen[str]) -> str:
    """What a command prints; it must succeed, and leave no page out."""
    told, errors = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0, errors
    assert "left out" not in told, told
    return told.strip().splitlines()[-1].partition(": ")[2]


def processes_of(pid: int, words: str) -> list[int]:
    """The processes that one has begun, and those have begun, with these words in their command."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has just ended
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return [child for child in sorted(found - {pid}) if words in command_line(child)]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def kill_worker(command: subprocess.Popen[str], engine: str, again: Callable[[], str]) -> str:
    """A worker that is there at this moment, or is next to be there."""
    while command.poll() is None:
        if workers := processes_of(command.pid, WORKER[engine.partition(":")[0]]):
            os.kill(random.choice(workers), SIGKILL)
            return finish(command)
        time.sleep(0.01)
    return f"no worker was there any more; {finish(command)}"


def kill_driver(command: subprocess.Popen[str], engine: str, again: Callable[[], str]) -> str:
    """The command itself; it is given again."""
    command.kill()
    command.communicate()
    return again()


VICTIMS = {"a worker": kill_worker, "the driver": kill_driver}


def same(one: Descriptors, other: Descriptors) -> bool:
    return one.page_ids == other.page_ids and one.vectors.tobytes() == other.vectors.tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--engine", default="ray")
    parser.add_argument("--catalogues", help="a folder or an address; a temporary folder")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    lines = [
        f"# Kill -9 of a worker and of the driver, `dgmp describe --engine {args.engine}`",
        "",
        f"{args.pages} synthetic pages, `{DESCRIBER}`, two workers; the moment is counted from the "
        "start of the command. Every row: all pages once, vectors as undisturbed to the bit.",
        "",
        "| killed | after s | the command, or the second one, said |",
        "|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        scans, place = Path(folder) / "scans", args.catalogues or folder
        synthesize(scans, writers=args.pages // 5, pages=5)
        began = time.monotonic()
        finish(start(scans, f"{place}/undisturbed", args.engine))
        seconds = time.monotonic() - began
        whole = Catalogue.open(f"{place}/undisturbed").descriptors()
        assert len(whole.page_ids) == args.pages
        for victim, kill in VICTIMS.items():
            for number in range(args.times):
                catalogue = f"{place}/{victim.split()[-1]}{number}"
                moment = random.uniform(0, 0.8 * seconds)  # at the end workers are gone
                command = start(scans, catalogue, args.engine)
                time.sleep(moment)
                said = kill(
                    command,
                    args.engine,
                    lambda at=catalogue: finish(start(scans, at, args.engine)),
                )
                assert same(Catalogue.open(catalogue).descriptors(), whole), (victim, moment)
                lines.append(f"| {victim} | {moment:.1f} | {said} |")
                print(lines[-1], flush=True)
        lines += ["", f"Undisturbed the command took {seconds:.1f} s."]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
