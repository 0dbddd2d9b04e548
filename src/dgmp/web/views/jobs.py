"""Long work: group anew, describe more pages; how far it is, and how it is stopped."""

from __future__ import annotations

from typing import Any

from .. import urls
from ..asking import Ask, NotHere, Refused
from ..store import Store

KINDS = {
    "regroup": "Group the pages anew",
    "describe": "Describe new and changed pages",
    "map": "Make the map",
    "words": "Look for words on new and changed pages",
}


def jobs(store: Store, ask: Ask) -> dict[str, Any]:
    """All jobs, the newest first."""
    found = store.jobs.all()
    return {
        "jobs": [job.plain() | {"stop": urls.stop(job.id)} for job in found],
        "running": any(not job.over for job in found),
        "kinds": KINDS,
        "folders": store.roots(),
        "pages": store.size(),
    }


def start(store: Store, ask: Ask) -> dict[str, Any]:
    """Begin a job."""
    kind = ask.needed("kind")
    if kind not in KINDS:
        raise Refused(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    works = {
        "regroup": store.regroup,
        "describe": store.describe,
        "map": store.make_map,
        "words": store.words.look,
    }
    work = works[kind]
    job = store.jobs.start(KINDS[kind], lambda stage, stopping: work(stage))
    return {"job": job.id, "next": urls.JOBS}


def stop(store: Store, ask: Ask) -> dict[str, Any]:
    """Stop a job; what it has done stays."""
    if store.jobs.stop(ask.path["id"]) is None:
        raise NotHere(f"there is no job {ask.path['id']!r}")
    return {"job": ask.path["id"], "next": urls.JOBS}
