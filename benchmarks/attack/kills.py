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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from forking import Nursery
from ground import LEARNED, TRAINED, Outcome, emptied, ended_well

from dgmp.catalogue import Catalogue, is_catalogue, read_hands


@dataclass(frozen=True)
class Verb:
    """A command, what it makes, and a word that says whether that is right."""

    name: str
    arguments: tuple[object, ...]
    made: Path
    begin: Callable[[], object]  # what has to be there before
    word: Callable[[], object]  # the same for every run that went well


def verbs(ground: Path, folder: Path) -> dict[str, Verb]:
    """The verbs that work for long, with a place in a folder."""
    scans = ground / "scans"
    catalogue, run, learned = folder / "catalogue", folder / "run", folder / "learned"
    grouped, drawn, crew = folder / "grouped", folder / "drawn", folder / "crew"

    def copied() -> None:
        shutil.copytree(ground / "catalogue", emptied(grouped))
        (grouped / "hands.json").unlink(missing_ok=True)

    found = (
        Verb(
            "describe",
            ("describe", ground / "few", "--catalogue", catalogue, "--workers", "0"),
            catalogue,
            lambda: emptied(catalogue),
            lambda: rows(catalogue),
        ),
        Verb(
            "describe with a worker",
            ("describe", ground / "few", "--catalogue", crew, "--workers", "1"),
            crew,
            lambda: emptied(crew),
            lambda: rows(crew),
        ),
        Verb(
            "hands",
            ("hands", grouped, "--out", folder / "hands.csv", "--sheet", folder / "hands.png"),
            grouped,
            copied,
            lambda: (read_hands(grouped).hands, digest(folder / "hands.csv")),  # type: ignore[union-attr]
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
            ("learn", ground / "few", "--out", learned, *LEARNED),
            learned,
            lambda: emptied(learned),
            lambda: (digest(learned / "model.safetensors"), digest(learned / "arrays.npz")),
        ),
        Verb(
            "synth",
            ("synth", drawn, "--writers", "4", "--pages", "2"),
            drawn,
            lambda: emptied(drawn),
            lambda: {path.name: digest(path) for path in drawn.rglob("*") if path.is_file()},
        ),
    )
    return {verb.name: verb for verb in found}


def rows(folder: Path) -> dict[str, bytes]:
    """The vector of every page; a page that is there twice is an error."""
    found = Catalogue.open(folder).descriptors()
    ids = found.page_ids
    assert len(set(ids)) == len(ids), f"{folder}: a page is there twice"
    return {id: row.tobytes() for id, row in zip(ids, found.vectors, strict=True)}


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


def attack(verb: Verb, nursery: Nursery, kills: int, seed: int = 0) -> Outcome:
    """So many kills of a verb, at times within that of an undisturbed run."""
    outcome = Outcome(f"kills of {verb.name}")
    generator = np.random.default_rng(seed)
    verb.begin()
    began = time.monotonic()
    ended = nursery.run(*verb.arguments)
    if ended.code:
        outcome.note(False, f"does not run undisturbed: {ended.errors[-300:]}")
        return outcome
    seconds, right = time.monotonic() - began, verb.word()
    verb.begin()
    anew = True
    while outcome.tried < kills:
        began = time.monotonic()
        ended = nursery.run(*verb.arguments, kill_after=generator.uniform(0.05, 1) * seconds)
        outcome.peak = max(outcome.peak, ended.peak)
        if ended.code == -signal.SIGKILL:
            outcome.note(*_after_a_kill(verb, ended.group, right))
            anew = False
            continue
        if anew:  # the machine may have been busy before
            seconds = min(seconds, time.monotonic() - began)
        wrong = ended_well(ended.code, ended.errors)
        if wrong or ended.code or verb.word() != right:
            outcome.wrong.append(f"after kills: {wrong or ended.errors[-200:] or 'other results'}")
        else:
            outcome.right += 1
        verb.begin()
        anew = True
    return outcome


def _after_a_kill(verb: Verb, group: int, right: object) -> tuple[bool, str]:
    for _ in range(100):
        if not living(group):
            break
        time.sleep(0.1)
    else:
        os.killpg(group, signal.SIGKILL)
        return False, "workers lived on for ten seconds"
    if verb.name.startswith("describe") and is_catalogue(verb.made):
        assert isinstance(right, dict)
        found = rows(verb.made)
        if not found.items() <= right.items():
            return False, "rows that an undisturbed run does not make"
    return True, ""
