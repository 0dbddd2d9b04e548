"""Who decides: a name that goes into the decisions of this browser."""

from __future__ import annotations

from typing import Any

from .. import urls
from ..asking import Ask
from ..store import Store

_LONGEST = 80


def call(store: Store, ask: Ask) -> dict[str, Any]:
    """Remember a name in a cookie."""
    return {"person": ask.text("person")[:_LONGEST], "next": ask.back(urls.HANDS)}
