"""The writing on photographs: pictures set upright, openings parted, tables and rulers left out.

A folder of scans is looked through once. What was found on a picture is kept with the catalogue, so
that only new and changed ones are looked at again. A page with a layout file is not looked at: its
text regions are where the writing is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ...catalogue import PageAreas, read_areas, write_areas
from ...corpora import Corpus, Remark, page_of_side, side_pages, whole_and_part
from ...engines import Engine, map_pages
from ...errors import ImageError, NoWriting, Unreachable
from ...pixels import find_writing, needs_looking
from ...records import Page, PageProgress, Region, Stage
from ...storage import AnyPath

WAY = "writing 1"  # how writing is looked for; another word, and all pictures are looked at again
_SAVE_EVERY = 500  # pages: what a kill may cost

R = TypeVar("R")


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
    stored = {} if folder is None else read_areas(folder)
    wanted = [page for page in pages if needs_looking(page)]
    known = {
        page.id: stored[page.id]
        for page in wanted
        if page.id in stored and stored[page.id].stamp == _stamp(page)
    }
    todo = [page for page in wanted if page.id not in known]
    progress = None if stage is None or not todo else stage("looking for the writing", len(todo))

    def save() -> None:
        if folder is not None:
            write_areas(stored | known, folder)

    failures, unreachable = find_each(todo, _areas, known, save, engine, progress, on_failure)
    for page in wanted:
        if page.id in known and known[page.id].reason:
            failures.append(Remark(page.id, known[page.id].reason))
            if on_failure is not None:
                on_failure(ImageError(page.id, known[page.id].reason))
    found = tuple(part for page in pages for part in _as_found(page, known))
    chosen = frozenset(page.id for page in pages) - unreachable  # these keep what they had
    rest = [page for page in corpus if page.id not in chosen]  # left alone this time
    others = [p for page in rest for p in _as_found(page, stored, unseen=(page,))]
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


def find_each(
    pages: Sequence[Page],
    function: Callable[[Page], R],
    into: dict[str, R],
    save: Callable[[], None],
    engine: Engine | None,
    progress: PageProgress | None,
    on_failure: Callable[[ImageError], None] | None,
) -> tuple[list[Remark], frozenset[str]]:
    """Put what a function finds on every page into a dictionary.

    Gives the pages that failed, and the ids of those that only cannot be reached now. ``save`` is
    called now and then, and at the end: an interrupt costs no page that is done.
    """
    failures: list[Remark] = []
    unreachable: set[str] = set()
    try:
        for done, (page, result) in enumerate(map_pages(pages, function, engine), 1):
            if isinstance(result, ImageError):
                failures.append(Remark(page.id, result.reason))
                if isinstance(result, Unreachable):
                    unreachable.add(page.id)
                if on_failure is not None:
                    on_failure(result)
            else:
                into[page.id] = result
            if done % _SAVE_EVERY == 0:
                save()
            if progress is not None:
                progress(1)
    finally:
        if pages:
            save()
    return failures, frozenset(unreachable)


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
