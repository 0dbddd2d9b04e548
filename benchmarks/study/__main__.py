"""Which pooling for which task: four small tasks, every pooling, the same budget and tuning.

    python benchmarks/study WORK           runs what WORK has not yet, then the table
    python benchmarks/study WORK --table   the table of what is there

WORK is a folder for the data of the tasks and for ``rows.jsonl``, one line per run; a run that is
there is not repeated. Every pooling is trained with each of three learning rates and the first
seed; the rate with the best validation score is kept for the other seeds. All else is the same:
trunk, head, steps, batches, AdamW with a one-cycle schedule, no weight decay on poolings. Test
inputs decide nothing. One thread.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import bags
import rare
import textures
import torch
import writers
from rows import ROWS
from table import best_rate, table
from task import Network, Split, Task, judge, take
from torch import nn
from torch.nn import functional as F

from dgmp.pooling import parameter_groups

TASKS = [part.TASK for part in (rare, bags, textures, writers)]
RATES = (3e-3, 1e-2, 3e-2)
SEEDS = (0, 1, 2)
WEIGHT_DECAY, MOST_GRADIENT = 1e-2, 5.0
RESULTS = Path(__file__).parents[1] / "results" / "study_table.md"


def load(task: Task, split: str, seed: int, work: Path) -> Split:
    """The inputs of a split, made once."""
    if task.retrieval or split != "train":
        seed = 0
    path = work / f"{task.name.replace(' ', '-')}-{split}-{seed}.pt"
    if not path.exists():
        torch.save(tuple(task.data(split, seed)), path)
    return Split(*torch.load(path))


def train(task: Task, name: str, rate: float, seed: int, work: Path) -> dict[str, Any]:
    """One network from random weights, judged on both splits that it has not seen."""
    lesson = load(task, "train", seed, work)
    torch.manual_seed(seed)
    network = Network(task, ROWS[name](task.channels), int(lesson.classes.max()) + 1)
    optimizer = torch.optim.AdamW(parameter_groups(network, weight_decay=WEIGHT_DECAY), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=task.steps)
    order = torch.Generator().manual_seed(seed)
    rows = torch.empty(0, dtype=torch.long)
    started = time.process_time()
    network.train()
    for _ in range(task.steps):
        if len(rows) < task.batch:
            rows = torch.randperm(len(lesson.classes), generator=order)
        part, rows = take(lesson, rows[: task.batch]), rows[task.batch :]
        loss = F.cross_entropy(network(part), part.classes)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), MOST_GRADIENT)
        optimizer.step()
        schedule.step()
    seconds = time.process_time() - started
    val, test = (judge(network, load(task, split, 0, work)) for split in ("val", "test"))
    return {
        "task": task.name,
        "pooling": name,
        "rate": rate,
        "seed": seed,
        "seconds": round(seconds, 2),
        "val": float(val.mean()),
        "test": [round(value, 5) for value in test.tolist()],
    }


def read(work: Path) -> list[dict[str, Any]]:
    path = work / "rows.jsonl"
    return [json.loads(line) for line in path.open()] if path.exists() else []


def run_all(work: Path) -> None:
    """All runs, the rows of the table in their order."""
    for name, task in product(ROWS, TASKS):
        for seed, rate in product(SEEDS, RATES):
            found = {
                (row["rate"], row["seed"]): row
                for row in read(work)
                if (row["pooling"], row["task"]) == (name, task.name)
            }
            needed = seed == SEEDS[0] or rate == best_rate(found.values(), SEEDS[0])
            if needed and (rate, seed) not in found:
                row = train(task, name, rate, seed, work)
                with (work / "rows.jsonl").open("a") as lines:
                    lines.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--table", action="store_true", help="only show what is there")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.work.mkdir(parents=True, exist_ok=True)
    if not arguments.table:
        run_all(arguments.work)
    text = "\n".join(table(read(arguments.work), TASKS, list(ROWS), SEEDS)) + "\n"
    print(text)
    RESULTS.write_text(text)


if __name__ == "__main__":
    main()
