"""The writing on photographs: pictures set upright, openings parted, tables and rulers left out.

A folder of scans is looked through once. What was found on a picture is kept with the catalogue, so
that only new and changed ones are looked at again. A page with a layout file is not looked at: its
text regions are where the writing is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from ...catalogue import PageAreas, read_areas, write_areas
from ...corpora import Corpus, Remark, page_of_side, side_pages, whole_and_part
from ...engines import Engine, map_pages
from ...errors import ImageError, NoWriting, Unreachable
from ...pixels import find_writing, needs_looking
from ...records import Page, Region, Stage
from ...storage import AnyPath

WAY = "writing 1"  # how writing is looked for; another word, and all pictures are looked at again
_SAVE_EVERY = 500  # pages: what a kill may cost


@dataclass(frozen=True)
class WrittenPages:
    """A corpus whose pages are those that were found on its pictures."""

    corpus: Corpus
    pages: tuple[Page, ...]  # those that were asked for
    pictures: frozenset[str]  # the ids of their pictures
    cut_out: frozenset[str]  # the ids of pages that are only a part of their picture
    failures: tuple[Remark, ...] = ()

    def stale(self, page_ids: Iterable[str]) -> list[str]:
        """Which of these ids are pages that their pictures have no longer."""
        now = {page.id for page in self.pages}
        return [
            id
            for id in page_ids
            if whole_and_part(id)[0] not in now and page_of_side(id) in self.pictures
        ]


def find_pages(
    corpus: Corpus,
    pages: Sequence[Page],
    *,
    folder: AnyPath | None = None,
    engine: Engine | None = None,
    stage: Stage | None = None,
    on_failure: Callable[[ImageError], None] | None = None,
) -> WrittenPages:
    """The pages that are written on the pictures of some pages of a corpus.

    What is found is kept in ``folder``, that of a catalogue. Pictures without writing are in
    ``failures`` with their reasons.
    """
    wanted = [page for page in pages if needs_looking(page)]
    looked = find_each(wanted, _WRITING, folder, engine, stage, on_failure)
    known, failures = looked.known, list(looked.failures)
    for page in wanted:
        if page.id in known and known[page.id].reason:
            failures.append(Remark(page.id, known[page.id].reason))
            if on_failure is not None:
                on_failure(ImageError(page.id, known[page.id].reason))
    found = tuple(part for page in pages for part in _as_found(page, known))
    chosen = frozenset(page.id for page in pages) - looked.unreachable  # these keep what they had
    rest = [page for page in corpus if page.id not in chosen]  # left alone this time
    others = [p for page in rest for p in _as_found(page, looked.stored, unseen=(page,))]
    everything = tuple(sorted((*found, *others), key=lambda page: page.id))
    given = {page.id for page in pages if page.regions is not None}
    cut_out = frozenset(p.id for p in found if p.regions is not None and p.id not in given)
    looked_at = replace(corpus, pages=everything)
    return WrittenPages(looked_at, found, chosen, cut_out, tuple(failures))


def find_on(page: Page, side: int | None = None) -> tuple[Page, bool]:
    """One page as it was found on its picture, and whether it is only a part of it.

    Of an opening ``side`` says which: 0 is the left one. An ImageError asks where it does not.
    """
    if not needs_looking(page):
        return page, False
    found = find_writing(page)
    if len(found.sides) > 1 and side is None:
        raise ImageError(
            page.id,
            "shows two pages: draw around one of them, or add #side=0 (the left one) or #side=1 "
            "(the right one) to its name",
        )
    parts = side_pages(page, found.turn, found.sides)
    if side is not None and side >= len(parts):
        raise ImageError(page.id, f"shows {len(parts)} page, it has no #side={side}")
    return parts[side or 0], bool(found.sides)


class Stamped(Protocol):
    """What was found on a page, and the stamp that the page had then."""

    @property
    def stamp(self) -> str:
        """Of the page, and of how it was looked at."""


S = TypeVar("S", bound=Stamped)


@dataclass(frozen=True)
class Looking(Generic[S]):
    """A way to look at pages, and where what was found is kept in the folder of a catalogue."""

    name: str  # for those who wait
    find: Callable[[Page], S]
    stamp: Callable[[Page], str]
    read: Callable[[AnyPath], dict[str, S]]
    write: Callable[[Mapping[str, S], AnyPath], None]


@dataclass(frozen=True)
class Looked(Generic[S]):
    """What was found, by page id."""

    known: Mapping[str, S]  # of the pages as they are now
    stored: Mapping[str, S]  # before, also of other pages
    failures: tuple[Remark, ...]
    unreachable: frozenset[str]  # ids of those that only cannot be reached now


def find_each(
    pages: Sequence[Page],
    way: Looking[S],
    folder: AnyPath | None,
    engine: Engine | None,
    stage: Stage | None,
    on_failure: Callable[[ImageError], None] | None,
) -> Looked[S]:
    """Look at every page, but for those that are as they were; ``folder`` is where that is kept.

    What is found is stored now and then, and at the end: an interrupt costs no page that is done.
    """
    stored = {} if folder is None else way.read(folder)
    known = {
        page.id: stored[page.id]
        for page in pages
        if page.id in stored and stored[page.id].stamp == way.stamp(page)
    }
    todo = [page for page in pages if page.id not in known]
    progress = None if stage is None or not todo else stage(way.name, len(todo))
    failures: list[Remark] = []
    unreachable: set[str] = set()

    def save() -> None:
        if folder is not None and todo:
            way.write(stored | known, folder)

    try:
        for done, (page, result) in enumerate(map_pages(todo, way.find, engine), 1):
            if isinstance(result, ImageError):
                failures.append(Remark(page.id, result.reason))
                if isinstance(result, Unreachable):
                    unreachable.add(page.id)
                if on_failure is not None:
                    on_failure(result)
            else:
                known[page.id] = result
            if done % _SAVE_EVERY == 0:
                save()
            if progress is not None:
                progress(1)
    finally:
        save()
    return Looked(known, stored, tuple(failures), frozenset(unreachable))


def _stamp(page: Page) -> str:
    return f"{page.stamp()} {WAY}"


def _areas(page: Page) -> PageAreas:
    """Called where a picture is read."""
    stamp = _stamp(page)
    try:
        found = find_writing(page)
    except NoWriting as error:
        return PageAreas(stamp, reason=error.reason)
    return PageAreas(stamp, found.turn, tuple(side.corners for side in found.sides))


_WRITING = Looking("looking for the writing", _areas, _stamp, read_areas, write_areas)


def _as_found(
    page: Page, known: Mapping[str, PageAreas], unseen: tuple[Page, ...] = ()
) -> tuple[Page, ...]:
    """The pages of a picture; ``unseen`` if it has not been looked at."""
    if not needs_looking(page):
        return (page,)
    areas = known.get(page.id)
    if areas is None:
        return unseen
    if areas.reason:
        return ()
    return side_pages(page, areas.turn, [Region(corners) for corners in areas.sides])
