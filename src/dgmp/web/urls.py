"""Every address of the page in the browser.

``VIEWS`` are what can be looked at: the function NAME of ``views/NAME.py`` fetches, the template
NAME.html lays out, and the address with ``.json`` behind it gives what was fetched. ``ACTIONS``
change something and are reached by POST: a function of a view's file, which returns where to go.
The functions build addresses; nothing else does.
"""

from __future__ import annotations

from urllib.parse import urlencode

from .keys import page_key

VIEWS = {
    "hands": "/hands",
    "hand": "/hands/{number:int}",
    "nearest": "/hands/{number:int}/nearest",
    "letterforms": "/hands/{number:int}/letterforms",
    "page": "/pages/{key}",
    "compare": "/compare",
    "review": "/review",
    "search": "/search",
    "words": "/words",
    "map": "/map",
    "decisions": "/decisions",
    "jobs": "/jobs",
}

ACTIONS = {
    "/hands/{number:int}/name": "hand.name",
    "/hands/{number:int}/confirm": "hand.confirm",
    "/hands/{number:int}/merge": "hand.merge",
    "/hands/{number:int}/pages": "hand.pages",
    "/compare": "compare.decide",
    "/search": "search.upload",
    "/map": "map.select",
    "/decisions/{id}/undo": "decisions.undo",
    "/decisions/import": "decisions.take",
    "/jobs": "jobs.start",
    "/jobs/{id}/stop": "jobs.stop",
    "/person": "person.call",
}

FILES = {
    "/thumbnails/{key}.jpg": "files.thumbnail",
    "/uploads/{id}.jpg": "files.uploaded",
    "/uploads/{id}/{box}.jpg": "files.cut_out",
    "/heat-maps/{side:int}.png": "files.heat_map",
    "/decisions/decisions.jsonl": "files.decisions",
    "/export/{kind}": "files.hands",
}

START, HAND_OF = "/", "/pages/{key}/hand"
HANDS, REVIEW, MAP, SEARCH, WORDS = "/hands", "/review", "/map", "/search", "/words"
DECISIONS, JOBS, PERSON = "/decisions", "/jobs", "/person"
IMPORT, DECISIONS_FILE = "/decisions/import", "/decisions/decisions.jsonl"
# For templates.
FIXED = {
    "start": START,
    "hands": HANDS,
    "review": REVIEW,
    "map": MAP,
    "search": SEARCH,
    "words": WORDS,
    "compare": "/compare",
    "jobs": JOBS,
    "buttons": "/static/vendor/openseadragon/images/",
}


def hands(**chosen: object) -> str:
    """The list of hands, filtered; what is None or empty is left out."""
    return _asked(HANDS, chosen)


def hand(number: int, part: str = "", **chosen: object) -> str:
    """A hand, or a part of what is known of it: ``nearest``, ``letterforms``, an action."""
    return _asked(f"{HANDS}/{number}{'/' if part else ''}{part}", chosen)


def page(page_id: str, box: tuple[int, int, int, int] | None = None) -> str:
    """One page; a rectangle (left, top, width, height) of its scan is framed."""
    return _asked(page_of(page_key(page_id)), {"box": _joined(box)})


def page_of(key: str) -> str:
    """The page with that key."""
    return f"/pages/{key}"


def hand_of(page_id: str) -> str:
    """Leads to the hand that a page is in now."""
    return f"{page(page_id)}/hand"


def thumbnail(page_id: str, version: str) -> str:
    """Its small picture; browsers keep it as long as the version is the same."""
    return thumbnail_of(page_key(page_id), version)


def thumbnail_of(key: str, version: str) -> str:
    """The small picture of the page with that key."""
    return f"/thumbnails/{key}.jpg?v={version}"


def image(page_id: str) -> str:
    """Its scan as IIIF Image API 3: the address of the service."""
    return f"/iiif/{page_key(page_id)}"


def cut_out(page_id: str, box: tuple[int, int, int, int], height: int) -> str:
    """A rectangle (left, top, width, height) of its scan, drawn at most that high."""
    return f"{image(page_id)}/{_joined(box)}/,{min(height, box[3])}/0/default.jpg"


def compare(first: str | None, second: str, **chosen: object) -> str:
    """Two pages side by side; ``upload`` may stand for the first, ``region`` is a part of it."""
    return _asked("/compare", {"first": first, "second": second} | chosen)


def heat_map(side: int, first: str | None, second: str, **chosen: object) -> str:
    """Where the first (0) or the second (1) of two pages is like the other."""
    return _asked(f"/heat-maps/{side}.png", {"first": first, "second": second} | chosen)


def review(answered: int = 0, skip: int = 0) -> str:
    """The next question of the queue, after some that were answered, passing over some."""
    return _asked(REVIEW, {"answered": answered or None, "skip": skip or None})


def search(**chosen: object) -> str:
    """Pages like a page of the catalogue or an upload, or like a region of it."""
    return _asked(SEARCH, chosen)


def words(word: str = "", leaf: int | None = None) -> str:
    """The places that look like a word."""
    return _asked(WORDS, {"word": word, "leaf": leaf})


def words_like(page_id: str, box: tuple[int, int, int, int], leaf: int | None = None) -> str:
    """The places that look like a rectangle (left, top, width, height) of a page."""
    return _asked(WORDS, {"page": page_id, "region": _joined(box), "leaf": leaf})


def upload(id: str) -> str:
    """The picture of an upload."""
    return f"/uploads/{id}.jpg"


def upload_part(id: str, box: tuple[int, int, int, int], height: int, turn: int = 0) -> str:
    """A rectangle (left, top, width, height) of an upload, turned, drawn at most that high."""
    chosen: dict[str, object] = {"height": min(height, box[3]), "turn": turn or None}
    return _asked(f"/uploads/{id}/{_joined(box)}.jpg", chosen)


def decisions(**chosen: object) -> str:
    """What was decided."""
    return _asked(DECISIONS, chosen)


def undo(decision_id: str) -> str:
    """Takes a decision back."""
    return f"{DECISIONS}/{decision_id}/undo"


def stop(job_id: str) -> str:
    """Stops a job."""
    return f"{JOBS}/{job_id}/stop"


def export(kind: str) -> str:
    """The hands as a file, as ``hands.csv``."""
    return f"/export/{kind}"


def twin(address: str) -> str:
    """The same as JSON."""
    path, mark, query = address.partition("?")
    return f"{path}.json{mark}{query}"


def static(name: str, version: str) -> str:
    """A file that comes with the package; its address changes with the release."""
    return _asked(f"/static/{name}", {"v": version})


def with_done(address: str, decision_id: str) -> str:
    """An address that says what was just decided, and offers to undo it."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode({'done': decision_id})}"


def _joined(box: tuple[int, int, int, int] | None) -> str:
    return ",".join(map(str, box or ()))


def _asked(path: str, chosen: dict[str, object]) -> str:
    query = urlencode({k: v for k, v in chosen.items() if v not in (None, "", ())}, doseq=True)
    return f"{path}?{query}" if query else path
