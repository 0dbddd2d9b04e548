"""What people decided: who, when, why; what contradicts each other; undo; files out and in."""

from __future__ import annotations

from typing import Any

from ...records import Decision
from .. import urls, wording
from ..asking import Ask, Refused
from ..store import Store
from .parts.cards import leaves

ON_A_LEAF = 100
EXPORTS = {
    "hands.csv": "table, a row per page",
    "hands.xlsx": "spreadsheet with pictures",
    "hands.json": "for programs",
    "hands.tei.xml": "TEI, a handNote per hand",
    "iiif.zip": "IIIF manifests with annotations",
}


def decisions(store: Store, ask: Ask) -> dict[str, Any]:
    """The history, newest first, contradictions before it."""
    history, in_force = store.history(), store.in_force()
    leaf = leaves(ask.number("leaf", 1), ON_A_LEAF, len(history), lambda n: urls.decisions(leaf=n))
    newest_first = history[::-1]
    shown = newest_first[leaf["first_shown"] - 1 : leaf["last_shown"]] if history else ()
    known = {decision.id: decision for decision in history}
    return {
        "total": len(history),
        "in_force": len(in_force),
        "contradictions": [
            {
                "pages": list(found.pages),
                "passed_over": found.passed_over.id,
                "decisions": [_card(store, decision, known) for decision in found.decisions],
            }
            for found in store.contradictions()
        ],
        "decisions": [_card(store, decision, known) for decision in shown],
        "leaf": leaf,
        "file": urls.DECISIONS_FILE,
        "import_address": urls.IMPORT,
        "exports": [
            {"name": name, "what": what, "address": urls.export(name)}
            for name, what in EXPORTS.items()
        ],
        "grouped": bool(store.hands()),
    }


def undo(store: Store, ask: Ask) -> dict[str, Any]:
    """Take a decision back, or bring it back."""
    undone = store.undo(ask.path["id"], ask.person)
    return {"decision": undone.id, "next": ask.back(urls.DECISIONS)}


def take(store: Store, ask: Ask) -> dict[str, Any]:
    """Take over decisions from a file."""
    file = ask.form.get("decisions")
    if file is None or isinstance(file, str):
        raise Refused("choose a file of decisions first: none came with the form")
    store.take_decisions(file.file.read())
    return {"next": urls.DECISIONS}


def _card(store: Store, decision: Decision, known: dict[str, Decision]) -> dict[str, Any]:
    about, undos = decision, 0
    while about.replaces in known:
        about, undos = known[about.replaces], undos + 1
    sentence = wording.decided(about)
    if undos:
        sentence = f"{'taken' if undos % 2 else 'brought'} back: {sentence}"
    in_force, taken = decision.id in store.in_force(), store.taken_back().get(decision.id)
    pair = len(decision.first) == len(decision.second) == 1
    return {
        "id": decision.id,
        "verdict": decision.verdict,
        "sentence": sentence,
        "first": list(decision.first[:3]),
        "second": list(decision.second[:3]),
        "size": len(decision.first) + len(decision.second),
        "person": decision.person,
        "time": decision.time,
        "when": decision.time[:16].replace("T", " "),
        "note": decision.note,
        "in_force": in_force,
        "undo": urls.undo(decision.id) if in_force else None,
        "bring_back": urls.undo(taken.id) if taken and decision.verdict != "undo" else None,
        "compare": urls.compare(decision.first[0], decision.second[0])
        if pair and {*decision.first, *decision.second} <= store.labels().keys()
        else None,
    }
