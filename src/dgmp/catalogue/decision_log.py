"""What people decided about hands: decisions.jsonl, beside the table of a catalogue.

A line per decision, behind a line with format and version. Lines are only ever added, under a lock
of their own that is waited for (``dgmp describe`` may hold that of the table for hours), and are on
the disk before the call returns. A kill can leave the beginning of a line at the end of the file:
it has no line end, is never read, and the next writer takes it away. An undo is a line like any
other. A log with a table's commits would be slower and could not compare and add in one step.

The order of decisions is that of their ids, which begin with the time, also where logs of several
catalogues were brought together.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import msgspec

from ..errors import CatalogueError, DgmpError
from ..files import Format, write_text
from ..records import Decision
from .lock import locked

FORMAT = Format("dgmp-decisions", 1, "list of decisions")
FILE = "decisions.jsonl"
LOCK = ".decisions.lock"
_HEAD = msgspec.json.encode(FORMAT.stamp({})) + b"\n"
_TIME = "%Y%m%dT%H%M%S%f"
_AHEAD = timedelta(days=1)  # clocks of other computers may be wrong by so much

# What to store, made from the log as it is before; raises if nothing is to be stored.
Make = Callable[[tuple[Decision, ...]], Sequence[Decision]]


def read_decisions(folder: Path) -> tuple[Decision, ...]:
    """All that was ever decided, undos included, oldest first; nothing where there is no log."""
    return read_decision_file(folder / FILE) if (folder / FILE).exists() else ()


def in_force(log: Sequence[Decision]) -> tuple[Decision, ...]:
    """Those of a log that have not been taken back, oldest first."""
    gone = taken_back(log)
    return tuple(d for d in log if d.id not in gone and d.verdict != "undo")


def taken_back(log: Sequence[Decision]) -> dict[str, Decision]:
    """The undo that took back each decision, by the id of the latter; an undo may be one, too."""
    found: dict[str, Decision] = {}
    for decision in reversed(log):  # an undo is later than what it takes back
        if decision.verdict == "undo" and decision.id not in found:
            found[decision.replaces] = decision
    return found


def add_decisions(folder: Path, make: Make) -> tuple[Decision, ...]:
    """Store decisions with ids and times, in one step; ``make`` sees the log undisturbed."""
    with locked(folder, LOCK, wait=True), _opened(folder / FILE) as file:
        log = _cut_to_whole_lines(file, folder / FILE)
        decisions = make(log)
        now = datetime.now(UTC)
        if log and (last := _time_of(log[-1])) >= now:  # clocks are set back now and then
            now = last + timedelta(microseconds=1)
        times = [now + timedelta(microseconds=n) for n in range(len(decisions))]
        ids = [f"{time.strftime(_TIME)}-{secrets.token_hex(4)}" for time in times]
        action = ids[0] if len(ids) > 1 else ""
        stored = tuple(
            replace(decision, id=id, time=time.isoformat(timespec="microseconds"), action=action)
            for decision, id, time in zip(decisions, ids, times, strict=True)
        )
        _append(file, stored)
    return stored


def add_stored_decisions(folder: Path, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Store decisions of another log as they are; those whose id is known are left out."""
    latest = datetime.now(UTC) + _AHEAD
    if future := [decision.id for decision in decisions if _time_of(decision) > latest]:
        raise CatalogueError(
            f"{folder / FILE}: does not take the decision {future[0]!r}, which is of the future: "
            "every later one would sort after it; set the clock of its computer right, or take "
            "the line with this id out"
        )
    with locked(folder, LOCK, wait=True), _opened(folder / FILE) as file:
        known = {decision.id for decision in _cut_to_whole_lines(file, folder / FILE)}
        new = [decision for decision in decisions if decision.id not in known]
        if new:
            _append(file, new)
    return tuple(new)


def read_decision_file(path: Path) -> tuple[Decision, ...]:
    """The decisions of a file of this format, oldest first, each once."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read: {error.strerror}") from error
    return _decoded(data[: data.rfind(b"\n") + 1], path)


def write_decision_file(decisions: Sequence[Decision], path: Path) -> None:
    """Write decisions with their ids and times, whole or not at all."""
    write_text(path, (_HEAD + _encoded(decisions)).decode())


def _encoded(decisions: Sequence[Decision]) -> bytes:
    return b"".join(msgspec.json.encode(decision) + b"\n" for decision in decisions)


def _decoded(data: bytes, path: Path) -> tuple[Decision, ...]:
    head, _, rest = data.partition(b"\n")
    if not head and not rest:
        return ()
    try:
        FORMAT.check(msgspec.json.decode(head), path)
    except msgspec.DecodeError as error:
        raise CatalogueError(f"{path}: does not begin with the head of a {FORMAT.what}") from error
    except DgmpError as error:
        raise CatalogueError(str(error)) from error
    decoder = msgspec.json.Decoder(Decision)
    found: dict[str, Decision] = {}
    for number, line in enumerate(rest.splitlines(), 2):
        try:
            decision = decoder.decode(line)
            _time_of(decision)
        except (msgspec.MsgspecError, ValueError) as error:
            raise CatalogueError(f"{path}: line {number} is no decision: {error}") from error
        found[decision.id] = decision
    return tuple(found[id] for id in sorted(found))


def _time_of(decision: Decision) -> datetime:
    return datetime.strptime(decision.id.partition("-")[0], _TIME).replace(tzinfo=UTC)


def _cut_to_whole_lines(file: BinaryIO, path: Path) -> tuple[Decision, ...]:
    """The decisions of an open log, after what a kill left at its end was taken away."""
    data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    file.truncate(len(whole))
    file.seek(len(whole))
    return _decoded(whole, path)


def _append(file: BinaryIO, decisions: Sequence[Decision]) -> None:
    file.write((b"" if file.tell() else _HEAD) + _encoded(decisions))
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        path.touch()
        with path.open("r+b") as file:
            yield file
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be written to: {error.strerror}") from error
