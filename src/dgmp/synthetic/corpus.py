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
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from ..engines import Engine, Here
from ..errors import CorpusError
from ..files import replacing, write_text
from ..records import Grey, PageProgress
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


def synthesize(
    folder: Path | str,
    *,
    writers: int = 100,
    pages: int = 5,
    seed: int = 1,
    scripts: bool = False,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Path:
    """Write ``pages`` pages by each of ``writers`` writers into a folder; returns its pages.csv.

    Pages that are there already are kept. With ``scripts`` the twelve scripts come in turn and are
    labelled.
    """
    plan = CorpusPlan(writers, pages, seed, scripts)
    folder = Path(folder)
    same = {"format": FORMAT, "version": VERSION, "seed": plan.seed, "scripts": plan.scripts}
    claim_folder(folder, same, same | asdict(plan))
    numbers = range(plan.writers)
    for _, done in (engine or Here()).map(partial(_write_writer, folder, plan), numbers):
        if progress is not None:
            progress(done)
    table = folder / "pages.csv"
    with replacing(table) as beside, beside.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        labels = ["script", "manuscript"] if plan.scripts else []
        rows.writerow(["file", "writer", "page", *labels])
        rows.writerows(_rows(plan))
    return table


def claim_folder(folder: Path, same: Mapping[str, object], values: Mapping[str, object]) -> None:
    """Make a folder ours with a note of ``values``, or refuse one that is somebody else's.

    A folder of ours goes on if its note has the values of ``same``.
    """
    note = folder / "synthetic.json"
    if folder.exists() and not folder.is_dir():
        raise CorpusError(f"{folder} is a file; a synthetic corpus needs a folder")
    if note.exists():
        try:
            found = json.loads(note.read_text())
            found = {"format": found["format"]} | {key: found.get(key) for key in same}
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
    write_text(note, json.dumps(dict(values), indent=1) + "\n")


def _words(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


def _rows(plan: CorpusPlan) -> Iterator[list[str | int]]:
    for number in range(plan.writers):
        for page in range(plan.pages):
            labels = [_script(plan, number), _name(number)] if plan.scripts else []
            yield [_file(number, page), _name(number), page, *(label or "" for label in labels)]


def _write_writer(folder: Path, plan: CorpusPlan, number: int) -> int:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one process a core is the faster way
    try:
        for page in range(plan.pages):
            _write_page(folder / _file(number, page), plan, number, page)
    finally:
        cv2.setNumThreads(threads)
    return plan.pages


def _write_page(file: Path, plan: CorpusPlan, number: int, page: int) -> None:
    if file.exists():
        return
    page_seed = seed_of(plan.seed, number, page)
    picture = draw_page(seed_of(plan.seed, number), page_seed, _script(plan, number))
    write_jpeg(file, picture, page_conditions(page_seed).quality)


def write_jpeg(file: Path, picture: Grey, quality: int) -> None:
    """Write a page, whole or not at all."""
    done, encoded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done, "OpenCV writes JPEG"
    with replacing(file) as beside:
        beside.write_bytes(encoded.tobytes())


def seed_of(*numbers: int) -> int:
    """One seed out of several numbers."""
    return int(np.random.SeedSequence((VERSION, *numbers)).generate_state(1, np.uint64)[0])


def _script(plan: CorpusPlan, number: int) -> str | None:
    return list(SCRIPTS)[number % len(SCRIPTS)] if plan.scripts else None


def _name(number: int) -> str:
    return f"w{number:04d}"


def _file(number: int, page: int) -> str:
    return f"{_name(number)}/{_name(number)}_p{page}.jpg"
