"""Everything that can go wrong, tried: mutated files, wrong commands, kills, full disks.

    python benchmarks/attack [--mutants 10000] [--lines 2000] [--kills 100] [--out FILE]

The results are written as Markdown, and in portions as lines of JSON beside it: begun again, it
goes on with what is not there yet. It ends with 1 if anything went wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
# As the commands have it that are attacked: the last bit of a vector depends on it.
os.environ["OMP_NUM_THREADS"] = "1"

import disks
import kills
import lines
import mutants
from forking import Nursery
from ground import Outcome, make_ground

RESULTS = Path(__file__).parents[1] / "results" / "attack.md"
ROUNDS = 4  # each has its share of everything, so that an attack that is ended early tried all


def portions(folder: Path, arguments: argparse.Namespace) -> Iterator[Callable[[], Outcome]]:
    """All the work; what two portions have in common is the name of their outcome."""
    ground = make_ground(folder / "ground")
    copy = make_ground(folder / "copy")  # which the commands may change
    nurseries = Nursery(), Nursery()
    mutated, typed, killed = (
        -(-number // ROUNDS)
        for number in (arguments.mutants / len(mutants.KINDS), arguments.lines, arguments.kills)
    )
    for turn in range(ROUNDS):
        yield partial(lines.attack, copy, folder, int(typed), turn)
        for kind in mutants.KINDS:
            yield partial(mutants.attack, kind, ground, int(mutated), turn)
        for verb in kills.verbs(ground, folder).values():
            yield partial(kills.attack, verb, nurseries[0], int(killed), turn)
        if not turn:
            yield partial(disks.attack_twice, ground, folder, nurseries, 10)
            for name in disks.STEPS:
                yield partial(disks.attack_disk, name, ground, folder, nurseries[0])
    for nursery in nurseries:
        nursery.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=100, help="of each verb")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    journal = arguments.out.with_suffix(".jsonl")
    done = journal.read_text().splitlines() if journal.exists() else []
    found: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, portion in enumerate(portions(Path(folder), arguments)):
            began = time.monotonic()
            if number < len(done):
                outcome = Outcome(**json.loads(done[number]))
            else:
                outcome = portion()
                with journal.open("a") as file:
                    file.write(json.dumps(asdict(outcome)) + "\n")
                print(
                    time.strftime("%H:%M:%S"),
                    f"{time.monotonic() - began:.0f} s",
                    outcome,
                    flush=True,
                )
            known = found.get(outcome.name)
            found[outcome.name] = outcome if known is None else known + outcome
            arguments.out.write_text(report(found.values()))
    return int(any(outcome.wrong for outcome in found.values()))


def report(outcomes: Collection[Outcome]) -> str:
    """A table, and below it what went wrong."""
    text = [
        "# Attacks",
        "",
        "| attack | tried | went wrong | let end, and right | peak, MB | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for one in outcomes:
        wrong, right = len(one.wrong), one.right or ""
        text.append(f"| {one.name} | {one.tried} | {wrong} | {right} | {one.peak} | {one.said} |")
    text.append("")
    for one in outcomes:
        text += [f"- {one.name}: `{wrong}`" for wrong in sorted(set(one.wrong))[:40]]
    return "\n".join(text).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
