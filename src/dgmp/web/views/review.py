"""The review queue: one question at a time, those that matter most first."""

from __future__ import annotations

from typing import Any

from .. import urls
from ..asking import Ask
from ..store import Store
from .compare import compared


def review(store: Store, ask: Ask) -> dict[str, Any]:
    """Question ``k`` of the queue; the first one begins a new queue."""
    k = ask.number("k", 1)
    questions = store.questions(anew=k == 1) if store.hands() else ()
    if k > len(questions):
        return {
            "question": None,
            "answered": len(questions),
            "again": urls.review(),
            "hands": urls.HANDS,
            "grouped": bool(store.hands()),
        }
    asked = questions[k - 1]
    if k < len(questions):
        store.prepare(questions[k].first, questions[k].second)
    return compared(store, asked.first, asked.second) | {
        "question": {
            "k": k,
            "n": len(questions),
            "worth": round(float(asked.worth), 3),
            "next": urls.review(k + 1),
            "previous": urls.review(k - 1) if k > 1 else None,
            "pages": [urls.compare(asked.first, asked.second)],
        }
    }
