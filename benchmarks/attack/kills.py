"""Commands that are ended by force at any moment, and what they leave.

``kill -9`` after a random time, again and again, until the work is done; then anew. After each kill
nothing may be lost or doubled and no worker may live on; what is made in the end must be what an
undisturbed run makes, bit by bit.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ground import LEARNED, TRAINED, Outcome, emptied, ended_well, started

from dgmp.catalogue import Catalogue, is_catalogue, read_hands


@dataclass(frozen=True)
class Verb:
    """A command, what it makes, and a word that says whether that is right."""

    name: str
    arguments: tuple[object, ...]
    made: Path
    begin: Callable[[], object]  # what has to be there before
    word: Callable[[], object]  # the same for every run that went well


def verbs(ground: Path, folder: Path) -> tuple[Verb, ...]:
    scans, catalogue, run, learned = (
        ground / "scans",
        folder / "catalogue",
        folder / "run",
        folder / "learned",
    )
    with_hands = folder / "grouped"

    def copied() -> None:
        shutil.copytree(ground / "catalogue", emptied(with_hands))
        (with_hands / "hands.json").unlink(missing_ok=True)

    return (
        Verb(
            "describe",
            ("describe", scans, "--catalogue", catalogue, "--workers", "1"),
            catalogue,
            lambda: emptied(catalogue),
            lambda: rows(catalogue),
        ),
        Verb(
            "hands",
            ("hands", with_hands, "--out", folder / "hands.csv", "--sheet", folder / "hands.png"),
            with_hands,
            copied,
            lambda: (read_hands(with_hands).hands, digest(folder / "hands.csv")),  # type: ignore[union-attr]
        ),
        Verb(
            "train",
            ("train", "writer-small", "--data", scans, "--out", run, *TRAINED),
            run,
            lambda: emptied(run),
            lambda: digest(run / "model.safetensors"),
        ),
        Verb(
            "learn",
            ("learn", scans, "--out", learned, *LEARNED),
            learned,
            lambda: emptied(learned),
            lambda: (digest(learned / "model.safetensors"), digest(learned / "arrays.npz")),
        ),
    )


def rows(folder: Path) -> dict[str, bytes]:
    """The vector of every page; a page that is there twice is an error."""
    found = Catalogue.open(folder).descriptors()
    return {id: row.tobytes() for id, row in zip(found.page_ids, found.vectors, strict=True)}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def living(group: int) -> list[int]:
    """The processes of a group that are not ended yet."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, process_group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(process_group) == group and state != "Z":
            found.append(int(status.parent.name))
    return found


def attack(ground: Path, folder: Path, kills: int, seed: int = 0) -> Iterator[Outcome]:
    """So many kills of each verb."""
    for verb in verbs(ground, folder):
        outcome = Outcome(f"kills of {verb.name}")
        generator = np.random.default_rng(seed)
        verb.begin()
        began = time.monotonic()
        process = started(*verb.arguments)
        _, errors = process.communicate()
        if process.returncode:
            outcome.note(False, f"does not run undisturbed: {errors[-300:]}")
            yield outcome
            continue
        seconds, right, finished = time.monotonic() - began, verb.word(), 0
        verb.begin()
        while outcome.tried < kills:
            process = started(*verb.arguments)
            try:
                _, errors = process.communicate(timeout=generator.uniform(0.2, 1.1) * seconds)
            except Exception:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
                outcome.note(*_after_a_kill(verb, process.pid, right))
                continue
            wrong = ended_well(process.returncode, errors)
            if wrong or process.returncode or verb.word() != right:
                outcome.wrong.append(f"after kills: {wrong or errors[-200:] or 'other results'}")
            finished += 1
            verb.begin()
        outcome.said = f"{finished} times the work was done in between, each time bit by bit"
        yield outcome


def _after_a_kill(verb: Verb, group: int, right: object) -> tuple[bool, str]:
    for _ in range(100):
        if not living(group):
            break
        time.sleep(0.1)
    else:
        os.killpg(group, signal.SIGKILL)
        return False, "workers lived on for ten seconds"
    if verb.name == "describe" and is_catalogue(verb.made):
        assert isinstance(right, dict)
        found = rows(verb.made)
        if not found.items() <= right.items():
            return False, "rows that an undisturbed run does not make"
    return True, ""
