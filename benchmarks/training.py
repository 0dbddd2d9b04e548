"""What a training costs: one step of each of the paper's recipes, and the wait for data.

    python benchmarks/training.py

One optimiser step of the paper's recipes on synthetic pages: 56 patches of 400×400 in chunks of 14,
and 28 pages of 384×384, ResNet-50; time and peak memory of the process. Then the share of its wall
time that `writer-small` waits for data, without workers and with one. Saves
benchmarks/results/training.md.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from dgmp.engines import Processes
from dgmp.synthetic import synthesize

RESULT = Path(__file__).parent / "results" / "training.md"
ONE_STEP = {"epochs": 1, "epoch_steps": 1, "validation": 0}


def main() -> None:
    lines = [
        "# Training",
        "",
        "| recipe | patches | seconds of the step | peak memory of the process, MiB |",
        "|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        hands, scripts = Path(folder) / "hands", Path(folder) / "scripts"
        synthesize(hands, writers=20, pages=2, engine=Processes(2))
        synthesize(scripts, writers=36, pages=1, scripts=True, engine=Processes(2))
        for recipe, data, patches in (
            ("writer-paper", hands, "56 of 400×400, chunks of 14"),
            ("script16-paper", scripts, "28 of 384×384, chunks of 14"),
            ("script17-paper", scripts, "28 of 384×384, chunks of 14"),
        ):
            epoch, memory = run(recipe, data, Path(folder) / recipe, ONE_STEP)
            lines.append(f"| `{recipe}` | {patches} | {epoch['seconds']:.0f} | {memory:.0f} |")
        lines += ["", "| `writer-small` | patches per second | waiting for data |", "|---|---|---|"]
        for workers in (0, 1):
            values = {"epochs": 2, "epoch_steps": 40, "validation": 0}  # the second one counts
            epoch, _ = run("writer-small", hands, Path(folder) / f"small{workers}", values, workers)
            lines.append(
                f"| {workers} workers | {epoch['patches_per_second']:.0f} "
                f"| {epoch['waiting_for_data']:.1%} |"
            )
    RESULT.write_text("\n".join(lines) + "\n")
    print(RESULT.read_text())


def run(recipe, data, out, values, workers=0):
    """In a process of its own: its peak memory is that of the training."""
    command = [sys.executable, __file__, recipe, str(data), str(out), str(workers)]
    done = subprocess.run(
        [*command, json.dumps(values)], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return found["epoch"], found["memory"]


def measure(recipe, data, out, workers, values):
    from dataclasses import replace

    from dgmp.corpora import open_corpus
    from dgmp.training import RECIPES, train

    done = train(replace(RECIPES[recipe], **values), open_corpus(data), out, workers=workers)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"epoch": done.metrics()[-1], "memory": memory}))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    recipe, data, out, workers, values = sys.argv[1:]
    measure(recipe, Path(data), Path(out), int(workers), json.loads(values))
