"""What people decide about the hands of a catalogue: stored, taken back, carried elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..catalogue import (
    Catalogue,
    add_decisions,
    add_stored_decisions,
    in_force,
    read_decision_file,
    read_decisions,
    read_hands,
    taken_back,
    write_decision_file,
)
from ..errors import CatalogueError, DecisionConflict
from ..files import check_place
from ..hands import Constraints, open_questions
from ..records import Contradiction, Decision, Question
from ..storage import AnyPath
from .grouping import group
from .opening import opened_catalogue


def decide(
    catalogue: Catalogue | AnyPath | str, decision: Decision, *, seen: str | None = None
) -> Decision:
    """Store a decision; what comes back has its id and time.

    ``seen`` is the id of the newest decision that the person had on the screen, empty for none: a
    newer one about the same pages is a DecisionConflict.
    """
    return decide_all(catalogue, [decision], seen=seen)[0]


def decide_all(
    catalogue: Catalogue | AnyPath | str, decisions: Sequence[Decision], *, seen: str | None = None
) -> tuple[Decision, ...]:
    """Store decisions that belong together, all or none; :func:`undo` takes all of them back."""
    opened = opened_catalogue(catalogue)
    if any(decision.verdict == "undo" for decision in decisions):
        raise ValueError("a decision is taken back by undo()")
    pages = frozenset[str]().union(*(decision.pages for decision in decisions))
    if missing := sorted(pages - opened.paths().keys()):
        raise CatalogueError(f"{opened.folder}: holds no page {missing[0]!r}")

    def make(log: tuple[Decision, ...]) -> Sequence[Decision]:
        by_id = {other.id: other for other in log}
        for other in reversed(log):
            if seen is None or other.id <= seen:
                break
            about = other
            while about.replaces in by_id:
                about = by_id[about.replaces]
            if shared := sorted(pages & about.pages):
                raise DecisionConflict(
                    f"{opened.folder}: meanwhile {_told(other)} about {shared[0]!r}; look again "
                    "before deciding",
                    other,
                )
        return decisions

    return add_decisions(opened.folder, make)


def undo(catalogue: Catalogue | AnyPath | str, decision_id: str, *, person: str = "") -> Decision:
    """Take back a decision, or bring one back by taking back its undo.

    Those that were stored together with it go, or come, with it.
    """
    opened = opened_catalogue(catalogue)

    def make(log: tuple[Decision, ...]) -> Sequence[Decision]:
        meant = next((other for other in log if other.id == decision_id), None)
        if meant is None:
            raise CatalogueError(f"{opened.folder}: holds no decision {decision_id!r}")
        gone = taken_back(log)
        if (other := gone.get(decision_id)) is not None:
            raise DecisionConflict(
                f"{opened.folder}: {_told(other)}: it took back {decision_id!r} already", other
            )
        rest = [d for d in log if meant.action and d.action == meant.action and d != meant]
        ids = [decision_id, *(d.id for d in rest if d.id not in gone)]
        return [Decision("undo", (), person=person, replaces=id) for id in ids]

    return add_decisions(opened.folder, make)[0]


def decisions(catalogue: Catalogue | AnyPath | str) -> tuple[Decision, ...]:
    """The decisions in force, oldest first."""
    return in_force(history(catalogue))


def history(catalogue: Catalogue | AnyPath | str) -> tuple[Decision, ...]:
    """All that was ever decided, undos included, oldest first."""
    return read_decisions(opened_catalogue(catalogue).folder)


def contradictions(catalogue: Catalogue | AnyPath | str) -> tuple[Contradiction, ...]:
    """Decisions in force that cannot all be true, as long as nobody takes one back."""
    return Constraints.of(decisions(catalogue)).contradictions


def review(catalogue: Catalogue | AnyPath | str, n: int = 20) -> tuple[Question, ...]:
    """The n pairs of pages whose decision is worth most, of the hands as they were last grouped.

    What was decided since, or follows from it, is not asked; grouping anew asks in the light of it.
    A catalogue that was never grouped is grouped first.
    """
    opened = opened_catalogue(catalogue)
    stored = read_hands(opened.folder)
    if stored is None:
        group(opened)
        stored = read_hands(opened.folder)
    here = opened.paths()
    asked = () if stored is None else open_questions(stored.questions, decisions(opened))
    return tuple(q for q in asked if q.first in here and q.second in here)[:n]


def export_decisions(
    catalogue: Catalogue | AnyPath | str, file: Path | str
) -> tuple[Decision, ...]:
    """Write all that was ever decided to a file of JSON lines, and give it."""
    check_place(Path(file))
    found = history(catalogue)
    write_decision_file(found, Path(file))
    return found


def import_decisions(
    catalogue: Catalogue | AnyPath | str, file: Path | str
) -> tuple[Decision, ...]:
    """Take over the decisions of a file that export_decisions wrote, and give those that are new.

    Pages that the catalogue does not hold may be among them.
    """
    return add_stored_decisions(opened_catalogue(catalogue).folder, read_decision_file(Path(file)))


def exchange_decisions(
    catalogue: Catalogue | AnyPath | str, file: Path | str
) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
    """Take over the decisions of a file if it is there, then write all of the catalogue to it.

    Gives those that were new, and all. Two catalogues with one file share their decisions.
    """
    new = import_decisions(catalogue, file) if Path(file).exists() else ()
    return new, export_decisions(catalogue, file)


def _told(decision: Decision) -> str:
    """Who decided what and when, in words."""
    who = decision.person or "somebody"
    return f"{who} decided {decision.verdict!r} at {decision.time[:19]} ({decision.id})"
