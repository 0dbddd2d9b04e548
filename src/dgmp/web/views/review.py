"""The review queue: one question at a time, those that matter most first."""

from __future__ import annotations

from typing import Any

from .. import urls
from ..asking import Ask
from ..store import QUESTIONS, Store
from .compare import compared


def review(store: Store, ask: Ask) -> dict[str, Any]:
    """The question that matters most now; ``answered`` and ``skip`` say how far a person is."""
    answered, skip = ask.number("answered", 0, least=0), ask.number("skip", 0, least=0)
    questions, grouped = store.questions(), store.grouped()
    if skip >= len(questions):
        return {
            "question": None,
            "answered": answered,
            "skipped": skip,
            "again": urls.review(),
            "hands": urls.HANDS,
            "grouped": grouped is not None,
            "current": grouped is not None and grouped.current,
        }
    asked = questions[skip]
    if skip + 1 < len(questions):
        store.prepare(questions[skip + 1].first, questions[skip + 1].second)
    return compared(store, asked.first, asked.second) | {
        "question": {
            "k": answered + skip + 1,
            "open": len(questions) - skip,
            "counted": _counted(answered, len(questions), skip),
            "answered": answered,
            "skip": skip,
            "worth": round(float(asked.worth), 3),
            "next": urls.review(answered, skip + 1),
            "previous": urls.review(answered, skip - 1) if skip else None,
        }
    }


def _counted(answered: int, questions: int, skip: int) -> str:
    """How far a person is: an answer may settle other questions, and raise new ones."""
    left = f"{questions - skip}{' or more' if questions >= QUESTIONS else ''}"
    asked = f"{left} questions are" if left != "1" else "1 question is"
    return f"{answered} answered, {asked} open; answers may settle some and raise others."
