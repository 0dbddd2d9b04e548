"""Everything that can go wrong, tried: mutated files, wrong commands, kills, full disks.

    python benchmarks/attack [--mutants 10000] [--lines 2000] [--kills 100] [--out FILE]

It ends with 1 if anything went wrong; the results are written as Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import disks
import kills
import lines
import mutants
from ground import Outcome, make_ground

RESULTS = Path(__file__).parents[1] / "results" / "attack.md"


def outcomes(arguments: argparse.Namespace) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ground = make_ground(folder / "ground")
        yield from mutants.attack(ground, arguments.mutants)
        (folder / "lines").mkdir()
        copy = make_ground(folder / "copy")  # which the commands may change
        yield lines.attack(copy, folder / "lines", arguments.lines)
        yield disks.attack_twice(ground, folder, max(arguments.kills // 10, 1))
        yield from disks.attack_disks(ground, folder)
        yield from kills.attack(ground, folder, arguments.kills)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=100, help="of each verb")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    text = ["# Attacks", "", "| attack | tried | went wrong | |", "|---|---:|---:|---|"]
    details: list[str] = []
    failed = False
    for outcome in outcomes(arguments):
        failed |= bool(outcome.wrong)
        row = f"| {outcome.name} | {outcome.tried} | {len(outcome.wrong)} | {outcome.said} |"
        print(time.strftime("%H:%M:%S"), row, flush=True)
        text.append(row)
        for wrong in sorted(set(outcome.wrong))[:40]:
            details.append(f"- {outcome.name}: `{wrong}`")
            print("   ", wrong, flush=True)
        arguments.out.write_text("\n".join([*text, "", *details]).rstrip() + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
