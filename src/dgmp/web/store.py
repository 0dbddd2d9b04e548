"""The catalogue behind the page: the only file here, besides ``words.py``, that calls tasks.

What is asked for often is kept until a file of the catalogue changes, whoever changes it: another
person here, or ``dgmp describe`` and ``dgmp hands`` beside it.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .. import tasks
from ..catalogue import Catalogue, taken_back
from ..errors import CatalogueError, DgmpError
from ..files import as_named
from ..records import (
    Contradiction,
    Decision,
    Hand,
    Hit,
    Page,
    Question,
    Stage,
    StoredHands,
    file_and_part,
)
from ..storage import AnyPath, as_path, folder_stamp, stamp
from .asking import NotHere, Refused
from .jobs import Jobs, Reader
from .mapping import PageMap, make_map, stored_map
from .scans import Scans
from .uploads import Uploads
from .words import Words

T = TypeVar("T")
AT_ONCE = 1500  # pages: so many are grouped anew while a person waits, some two seconds
MAP_AT_ONCE = 500  # pages: so many are laid out while a person waits, some two seconds
EVIDENCE_AT_ONCE = 20  # pages: so many are compared while a person waits, some 15 seconds
QUESTIONS = 20  # of the review at a time
_KEPT = 256  # comparisons, letterforms, neighbours
_THUMBNAILS = 4096  # some 40 MB


@dataclass(frozen=True)
class Labels:
    """What is known of a page besides its writing."""

    folder: str
    manuscript: str
    writer: str


class Store:
    """A catalogue, open for all requests."""

    def __init__(
        self,
        folder: AnyPath | str,
        *,
        read_only: bool = False,
        model: Path | str | None = None,
    ) -> None:
        self.folder, self.read_only = as_path(folder), read_only
        self._lock, self._grouping = threading.RLock(), threading.Lock()
        self._opened: tuple[str, Catalogue] | None = None
        self._kept: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()
        self._thumbnails: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self.uploads, self.jobs, self.scans = Uploads(), Jobs(), Scans()
        self.reader, self._exporting = Reader(), threading.Lock()
        _ = self.catalogue  # what is none is refused at once
        self.words = Words(self, model)

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue, opened anew where another program wrote its head."""
        with self._lock:
            written = stamp(self.folder / "catalogue.json")
            if self._opened is None or self._opened[0] != written:
                self._opened = written, Catalogue.open(self.folder)
            return self._opened[1]

    def close(self) -> None:
        """Stop what is under way and forget what was uploaded."""
        self.jobs.close()
        self.reader.close()
        self.scans.close()
        self.uploads.clear()

    # Pages

    def size(self) -> int:
        """The number of pages."""
        return self.keep("size", lambda: len(self.catalogue))

    def labels(self) -> Mapping[str, Labels]:
        """Of every page, by its id, in the order of the ids."""

        def read() -> dict[str, Labels]:
            manuscripts = self.catalogue.column("manuscript")
            writers = self.catalogue.column("writer")
            return {
                id: Labels(_folder(id), manuscripts[id] or "", writers.get(id) or "")
                for id in sorted(manuscripts)
            }

        return self.keep("labels", read)

    def page(self, page_id: str) -> Page:
        """One page, to be read."""
        if page_id not in self.labels():
            raise NotHere(f"{self.folder.name}: holds no page {page_id!r}")
        return self.keep(("page", page_id), lambda: self.catalogue.pages([page_id])[0])

    def pages(self, page_ids: Sequence[str]) -> Mapping[str, Page]:
        """Several pages that are here, by their ids."""
        return self.keep(
            ("pages", tuple(page_ids)),
            lambda: {page.id: page for page in self.catalogue.pages(page_ids)},
        )

    def title(self, page_id: str) -> str:
        """The name of the file, with its folder where another folder has one of that name."""
        name = _file_name(page_id)
        return page_id if name in self.keep("names", lambda: repeated(self.labels())) else name

    def meant(self, text: str) -> str:
        """The id that is meant by one: itself, or the only one that ends so."""
        labels = self.labels()
        ends = [] if text in labels else [id for id in labels if id.endswith(text)]
        if text in labels or len(ends) != 1:
            return text
        return ends[0]

    def roots(self) -> tuple[str, ...]:
        """The folders that the pages were described from."""

        def find() -> tuple[str, ...]:
            found = set()
            for id, path in self.catalogue.paths().items():
                file = id  # perhaps of a part of the file, as #band=2; that of a PDF is in both
                while "#" in file and not path.endswith(file):
                    file = file.rpartition("#")[0]
                if path.endswith(file):
                    found.add(as_named(path[: -len(file)]).rstrip("/") or "/")
            return tuple(sorted(found))

        return self.keep("roots", find)

    def describe(self, stage: Stage) -> None:
        """Describe what is new or has changed in the folders of the pages."""
        head = self.catalogue.head
        if not self.roots():
            raise Refused(
                "no page is from a folder that can be looked through again; dgmp describe takes "
                "folders and addresses"
            )
        for root in self.roots():
            tasks.describe(root, self.folder, describer=head.describer, stage=stage)

    def thumbnails(self, page_ids: Sequence[str]) -> dict[str, bytes]:
        """The small pictures of some pages; those of no page are left out."""
        version = self.version()
        known = {id: self._thumbnails.get((version, id)) for id in page_ids}
        found = {id: picture for id, picture in known.items() if picture is not None}
        if missing := [id for id in known if id not in found]:
            read = self.catalogue.thumbnails(missing)
            with self._lock:
                self._thumbnails |= {(version, id): picture for id, picture in read.items()}
                while len(self._thumbnails) > _THUMBNAILS:
                    self._thumbnails.popitem(last=False)
            found |= read
        return found

    def version(self) -> str:
        """Another one whenever pages were described, for the addresses of what browsers keep."""
        tables = [each for each in folder_stamp(self.folder) if "_versions" in each[0]]
        return hashlib.sha256(repr(tables).encode()).hexdigest()[:16]

    def search(self, query: Page | str, n: int) -> tuple[Hit, ...]:
        """The pages most like one."""
        if isinstance(query, Page):
            return self.reader.run(lambda: tasks.search(self.catalogue, query, n))
        return self.keep(("search", query, n), lambda: tasks.search(self.catalogue, query, n))

    def compare(self, first: Page | str, second: str) -> tasks.Comparison:
        """Two pages, with evidence; a page from elsewhere is forgotten at once."""
        self.page(second)
        if isinstance(first, Page):
            return self.reader.run(lambda: tasks.compare(self.catalogue, first, second))
        self.page(first)
        found = self.keep(
            ("compare", first, second),
            lambda: self.reader.run(lambda: tasks.compare(self.catalogue, first, second)),
            self.version(),  # decisions change what the evidence is worth, not the evidence
        )
        return found.judged_as(self.figures(first, second))

    def figures(self, first: Page | str, second: str) -> tasks.Comparison:
        """Two pages by what is stored of them, without evidence."""
        if isinstance(first, Page):
            return self.reader.run(lambda: tasks.compare(self.catalogue, first, second, pieces=0))
        return self.keep(
            ("figures", first, second),
            lambda: tasks.compare(self.catalogue, first, second, pieces=0),
        )

    def prepare(self, first: str, second: str) -> None:
        """Compare two pages ahead, so that nobody waits when they are asked for."""
        threading.Thread(target=self._try_to_compare, args=(first, second), daemon=True).start()

    def _try_to_compare(self, first: str, second: str) -> None:
        with suppress(DgmpError):  # who asks for them gets the reason
            self.compare(first, second)

    def map(self) -> PageMap | None:
        """All pages in two dimensions; None where that would take long and was not done."""

        def find() -> PageMap | None:
            stored = stored_map(self.catalogue)
            if self.size() <= MAP_AT_ONCE and (stored is None or not stored.current):
                return make_map(self.catalogue, keep=not self.read_only)
            return stored

        return self.keep("map", find)

    def make_map(self, stage: Stage) -> None:
        """Lay the pages out anew."""
        make_map(self.catalogue, stage)

    # Hands

    def grouped(self) -> StoredHands | None:
        """The hands as they were last grouped; None if never, or if they cannot be read."""

        def read() -> StoredHands | None:
            try:
                return tasks.stored_hands(self.catalogue)
            except CatalogueError as error:  # grouping anew must stay possible
                warnings.warn(str(error), stacklevel=2)
                return None

        return self.keep("grouped", read)

    def hands(self) -> tuple[Hand, ...]:
        """The hands; none where the pages have not been grouped."""
        grouped = self.grouped()
        return () if grouped is None else grouped.hands

    def hand(self, number: int) -> Hand:
        """The hand of that number."""
        hands = self.keep("by number", lambda: {hand.number: hand for hand in self.hands()})
        if number not in hands:
            raise NotHere(f"there is no hand {number}; there are {len(hands)}")
        return hands[number]

    def number_of(self, page_id: str) -> int | None:
        """The number of the hand that a page was grouped to."""
        return self.numbers().get(page_id)

    def numbers(self) -> Mapping[str, int]:
        """The number of the hand of every page."""
        return self.keep(
            "numbers", lambda: {id: hand.number for hand in self.hands() for id in hand.page_ids}
        )

    def letterforms(self, hand: Hand) -> tasks.Letterforms:
        """The typical and the distinctive pieces of a hand."""
        return self.keep(
            ("letterforms", hand.number),
            lambda: self.reader.run(lambda: tasks.letterforms(self.catalogue, hand.page_ids)),
        )

    def regroup(self, stage: Stage | None = None) -> None:
        """Group the pages anew, obeying the decisions; one after the other, so the newest stays."""
        with self._grouping:
            grouped = self.grouped()
            prefer = "balanced" if grouped is None else grouped.prefer
            tasks.group(self.catalogue, prefer=prefer, stage=stage)

    def export(self, name: str, folder: Path) -> Path:
        """Write the hands to a file, or a folder, of that name."""
        if not self.hands():
            raise Refused("the pages have not been grouped: there are no hands to export")
        out = folder / name
        with self._exporting:
            tasks.export_hands(
                self.catalogue,
                self.hands(),
                out,
                most_evidence=EVIDENCE_AT_ONCE,
                engine=self.reader,
            )
        return out

    # Decisions

    def newest(self) -> str:
        """The id of the newest decision: what a person who looks now has seen."""
        history = self.history()
        return history[-1].id if history else ""

    def history(self) -> tuple[Decision, ...]:
        """All decisions, taken back or not, oldest first."""
        return self.keep("history", lambda: tasks.history(self.catalogue))

    def taken_back(self) -> Mapping[str, Decision]:
        """The undo of each decision that was taken back."""
        return self.keep("taken back", lambda: taken_back(self.history()))

    def in_force(self) -> frozenset[str]:
        """The ids of the decisions that count."""
        return self.keep(
            "in force", lambda: frozenset(d.id for d in tasks.decisions(self.catalogue))
        )

    def contradictions(self) -> tuple[Contradiction, ...]:
        """Decisions that cannot all be right."""
        return self.keep("contradictions", lambda: tasks.contradictions(self.catalogue))

    def questions(self) -> tuple[Question, ...]:
        """The review queue as it is now."""
        return (
            self.keep("questions", lambda: tasks.review(self.catalogue, QUESTIONS))
            if self.hands()
            else ()
        )

    def decide(self, decisions: Sequence[Decision], seen: str | None) -> Decision:
        """Store decisions that belong together; group a small catalogue anew."""
        stored = tasks.decide_all(self.catalogue, decisions, seen=seen)
        self._after_deciding()
        return stored[-1]

    def undo(self, decision_id: str, person: str) -> Decision:
        """Take a decision back, or an undo."""
        if decision_id not in {decision.id for decision in self.history()}:
            raise NotHere(f"there is no decision {decision_id!r}")
        undone = tasks.undo(self.catalogue, decision_id, person=person)
        self._after_deciding()
        return undone

    def _after_deciding(self) -> None:
        if self.hands() and self.size() <= AT_ONCE:
            self.regroup()

    def decisions_file(self) -> bytes:
        """All decisions as a file."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "decisions.jsonl"
            tasks.export_decisions(self.catalogue, file)
            return file.read_bytes()

    def take_decisions(self, content: bytes) -> None:
        """Take over the decisions of a file."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "decisions.jsonl"
            file.write_bytes(content)
            tasks.import_decisions(self.catalogue, file)
        self._after_deciding()

    # What is kept

    def keep(self, what: Any, make: Callable[[], T], stamp: Any = None) -> T:
        """What was made before, as long as the stamp is the same: that of the catalogue's files.

        The index of words is not asked: while pages are looked at it changes every few seconds.
        """
        stamp = stamp or [each for each in folder_stamp(self.folder) if each[0] != "words"]
        with self._lock:
            if what in self._kept and self._kept[what][0] == stamp:
                self._kept.move_to_end(what)
                return self._kept[what][1]
        made = make()
        with self._lock:
            self._kept[what] = (stamp, made)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def repeated(page_ids: Iterable[str]) -> frozenset[str]:
    """The names of files that several folders have."""
    counted = Counter(map(_file_name, page_ids))
    return frozenset(name for name, number in counted.items() if number > 1)


def _file_name(page_id: str) -> str:
    return page_id.rpartition("/")[2]


def _folder(page_id: str) -> str:
    return file_and_part(page_id)[0].rpartition("/")[0]
