"""What people decided about hands: decisions.jsonl, beside the table of a catalogue.

A line per decision, behind a line with format and version. Lines are only ever added, under a lock
of their own that is waited for (``dgmp describe`` may hold that of the table for hours), and are on
the disk before the call returns. A kill can leave the beginning of a line at the end of the file:
it has no line end, is never read, and the next writer takes it away. An undo is a line like any
other. A log with a table's commits would be slower and could not compare and add in one step.

In object storage the log is one object with the same lines, read and written whole on the condition
that nobody wrote it meanwhile (If-Match); else it is read again and the decision made anew, so that
of two writers none is lost and each sees what the other decided. An object per decision would spare
the rewriting (0.3 kB per decision) and could not compare and add in one step.

The order of decisions is that of their ids, which begin with the time, also where logs of several
catalogues were brought together.
"""

from __future__ import annotations

import os
import secrets
import time
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
from ..storage import AnyPath, ObjectPath
from .lock import locked

FORMAT = Format("dgmp-decisions", 1, "list of decisions")
FILE = "decisions.jsonl"
LOCK = ".decisions.lock"
_HEAD = msgspec.json.encode(FORMAT.stamp({})) + b"\n"
_TIME = "%Y%m%dT%H%M%S%f"
_TRIES = 100  # to write to an object that others write to
_AHEAD = timedelta(days=1)  # clocks of other computers may be wrong by so much

# What to store, made from the log as it is before; raises if nothing is to be stored.
Make = Callable[[tuple[Decision, ...]], Sequence[Decision]]


def read_decisions(folder: AnyPath) -> tuple[Decision, ...]:
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


def add_decisions(folder: AnyPath, make: Make) -> tuple[Decision, ...]:
    """Store decisions with ids and times, in one step; ``make`` sees the log undisturbed."""

    def with_ids(log: tuple[Decision, ...]) -> tuple[Decision, ...]:
        decisions = make(log)
        now = datetime.now(UTC)
        if log and (last := _time_of(log[-1])) >= now:  # clocks are set back now and then
            now = last + timedelta(microseconds=1)
        times = [now + timedelta(microseconds=n) for n in range(len(decisions))]
        ids = [f"{moment.strftime(_TIME)}-{secrets.token_hex(4)}" for moment in times]
        action = ids[0] if len(ids) > 1 else ""
        return tuple(
            replace(decision, id=id, time=moment.isoformat(timespec="microseconds"), action=action)
            for decision, id, moment in zip(decisions, ids, times, strict=True)
        )

    return _add(folder, with_ids)


def add_stored_decisions(folder: AnyPath, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Store decisions of another log as they are; those whose id is known are left out."""
    latest = datetime.now(UTC) + _AHEAD
    if future := [decision.id for decision in decisions if _time_of(decision) > latest]:
        raise CatalogueError(
            f"{folder / FILE}: does not take the decision {future[0]!r}, which is of the future: "
            "every later one would sort after it; set the clock of its computer right, or take "
            "the line with this id out"
        )

    def new(log: tuple[Decision, ...]) -> tuple[Decision, ...]:
        known = {decision.id for decision in log}
        return tuple(decision for decision in decisions if decision.id not in known)

    return _add(folder, new)


def read_decision_file(path: AnyPath) -> tuple[Decision, ...]:
    """The decisions of a file of this format, oldest first, each once."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read: {error.strerror}") from error
    return _decoded(data[: data.rfind(b"\n") + 1], path)


def write_decision_file(decisions: Sequence[Decision], path: Path) -> None:
    """Write decisions with their ids and times, whole or not at all."""
    write_text(path, (_HEAD + _encoded(decisions)).decode())


def _add(
    folder: AnyPath, make: Callable[[tuple[Decision, ...]], tuple[Decision, ...]]
) -> tuple[Decision, ...]:
    """Add what is made from the log as it is now, in one step."""
    if isinstance(folder, ObjectPath):
        return _put(folder / FILE, make)
    with locked(folder, LOCK, wait=True), _opened(folder / FILE) as file:
        added = make(_cut_to_whole_lines(file, folder / FILE))
        if added:
            _append(file, added)
    return added


def _put(
    path: ObjectPath, make: Callable[[tuple[Decision, ...]], tuple[Decision, ...]]
) -> tuple[Decision, ...]:
    """The same for an object: written anew on the condition that it is as it was read."""
    added: tuple[Decision, ...] = ()
    for _ in range(_TRIES):
        data, tag = path.read_tagged()
        log = _decoded(data, path)
        if added and {decision.id for decision in added} <= {decision.id for decision in log}:
            return added  # written, and the answer was lost
        added = make(log)
        if not added or path.write_if((data or _HEAD) + _encoded(added), tag) is not None:
            return added
        time.sleep(secrets.randbelow(100) / 1000)  # another writer came before
    raise CatalogueError(f"{path}: is written to by too many at once; try again")


def _encoded(decisions: Sequence[Decision]) -> bytes:
    return b"".join(msgspec.json.encode(decision) + b"\n" for decision in decisions)


def _decoded(data: bytes, path: AnyPath) -> tuple[Decision, ...]:
    head, _, rest = data.partition(b"\n")
    if not head and not rest:
        return ()
    try:
        FORMAT.check(msgspec.json.decode(head), path)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
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
