"""A folder of synthetic pages, which opens like any other corpus.

    DIR/synthetic.json      version of the generator, seed, whether scripts are labelled
    DIR/pages.csv           file, writer, page; with scripts also script and manuscript
    DIR/w0007/w0007_p2.jpg  the pages

Every page depends on (version, seed, writer number, page number) and nothing else: a corpus can be
interrupted, taken up again and enlarged, by any number of processes, and is always the same.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from ...errors import CorpusError
from .pages import VERSION, draw_page, page_conditions
from .scripts import SCRIPTS

FORMAT = 1  # of synthetic.json


@dataclass(frozen=True)
class CorpusPlan:
    """What a synthetic corpus holds."""

    writers: int = 100
    pages: int = 5  # of each writer
    seed: int = 1
    scripts: bool = False  # the twelve scripts in turn, and labelled

    def __post_init__(self) -> None:
        for name, least in (("writers", 1), ("pages", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")


def write_corpus(
    folder: Path | str,
    plan: CorpusPlan | None = None,
    *,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Write the pages of ``plan`` into ``folder`` and return its pages.csv.

    Pages that are there already are kept. ``progress`` is called with the number of pages done
    since its last call.
    """
    plan = plan or CorpusPlan()
    folder = Path(folder)
    _claim(folder, plan)
    tasks = [(folder, plan, number) for number in range(plan.writers)]
    several = workers > 1 and plan.writers > 1
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn")) if several else None
    with pool or nullcontext():
        for done in pool.map(_write_writer, tasks) if pool else map(_write_writer, tasks):
            if progress is not None:
                progress(done)
    table = folder / "pages.csv"
    with _replacing(table).open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        labels = ["script", "manuscript"] if plan.scripts else []
        rows.writerow(["file", "writer", "page", *labels])
        rows.writerows(_rows(plan))
    _replacing(table).replace(table)
    return table


def _claim(folder: Path, plan: CorpusPlan) -> None:
    """Make the folder ours, or refuse one that is somebody else's."""
    same = {"format": FORMAT, "version": VERSION, "seed": plan.seed, "scripts": plan.scripts}
    note = folder / "synthetic.json"
    if folder.exists() and not folder.is_dir():
        raise CorpusError(f"{folder} is a file; a synthetic corpus needs a folder")
    if note.exists():
        try:
            found = json.loads(note.read_text())
            found = {key: found[key] for key in same}
        except (ValueError, KeyError, TypeError) as error:
            raise CorpusError(f"{note} cannot be read; choose another folder") from error
        if found != same:
            raise CorpusError(
                f"{folder} holds another synthetic corpus ({_words(found)}); asked for is "
                f"{_words(same)}: choose another folder"
            )
    elif folder.exists() and any(folder.iterdir()):
        raise CorpusError(f"{folder} is not empty and no synthetic corpus; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    _replacing(note).write_text(json.dumps(same | asdict(plan), indent=1) + "\n")
    _replacing(note).replace(note)


def _words(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


def _rows(plan: CorpusPlan) -> Iterator[list[str | int]]:
    for number in range(plan.writers):
        for page in range(plan.pages):
            labels = [_script(plan, number), _name(number)] if plan.scripts else []
            yield [_file(number, page), _name(number), page, *(label or "" for label in labels)]


def _write_writer(task: tuple[Path, CorpusPlan, int]) -> int:
    folder, plan, number = task
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one process a core is the faster way
    try:
        for page in range(plan.pages):
            _write_page(folder / _file(number, page), plan, number, page)
    finally:
        cv2.setNumThreads(threads)
    return plan.pages


def _write_page(file: Path, plan: CorpusPlan, number: int, page: int) -> None:
    # Files appear under their name only when they are complete.
    if file.exists():
        return
    file.parent.mkdir(exist_ok=True)
    page_seed = _seed(plan.seed, number, page)
    picture = draw_page(_seed(plan.seed, number), page_seed, _script(plan, number))
    options = [cv2.IMWRITE_JPEG_QUALITY, page_conditions(page_seed).quality]
    done, encoded = cv2.imencode(".jpg", picture, options)
    assert done, "OpenCV writes JPEG"
    _replacing(file).write_bytes(encoded.tobytes())
    _replacing(file).replace(file)


def _replacing(file: Path) -> Path:
    """The name a file has while it is written."""
    return file.with_name(f".{file.name}.{os.getpid()}")


def _seed(*numbers: int) -> int:
    return int(np.random.SeedSequence((VERSION, *numbers)).generate_state(1, np.uint64)[0])


def _script(plan: CorpusPlan, number: int) -> str | None:
    return list(SCRIPTS)[number % len(SCRIPTS)] if plan.scripts else None


def _name(number: int) -> str:
    return f"w{number:04d}"


def _file(number: int, page: int) -> str:
    return f"{_name(number)}/{_name(number)}_p{page}.jpg"
