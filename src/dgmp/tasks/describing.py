"""Pages into a catalogue: only those that are new or changed, in batches that survive a kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ..catalogue import Catalogue, Changes, Entry, in_force, is_catalogue, read_decisions
from ..corpora import PARTS, Corpus, Remark, page_of_side, whole_and_part
from ..describers import describe_pages, load_describer, reader, save_descriptors, stored_name
from ..engines import Engine, map_pages
from ..errors import CatalogueError, CorpusError, ImageError, Unreachable
from ..files import check_place
from ..names import check_name
from ..pixels import pictures_in
from ..records import Decision, Page, Stage
from ..sources import AnswerCache, is_address, open_source
from ..storage import CHANGED, AnyPath
from .entry_parts import EntryParts
from .opening import head_for, opened, reopened, with_known_ids
from .readying import (
    KnownScale,
    divide,
    find_pages,
    given_distance,
    scale_for_catalogue,
    scale_pages,
)

BATCH_PAGES = 32  # a commit takes some 10 ms, so 0.3 ms per page
BATCH_SECONDS = 10.0  # what a kill may cost where describing is slow
LOST = "taken out: what is stored of it is damaged, and there is no scan to describe it from"


@dataclass(frozen=True)
class Catalogued:
    """What was done to a catalogue."""

    catalogue: Catalogue
    described: int
    changes: Changes
    left_out: tuple[Remark, ...]  # pages and files that could not be used
    replaced: tuple[str, ...] = ()  # ids that were taken out: their pictures show other pages now
    without_effect: tuple[Decision, ...] = ()  # decisions in force on pages that were taken out

    def __str__(self) -> str:
        changed = len(self.changes.changed)
        vanished = len(self.changes.vanished) + len(self.replaced)
        return (
            f"{self.catalogue.folder}: {len(self.catalogue)} {self.catalogue.head.by}s, "
            f"{self.described} described now ({changed} of them changed), {vanished} vanished"
        )


@dataclass(frozen=True)
class DescriptorFile:
    """A file of descriptors that was written."""

    path: Path
    pages: int
    entries: int
    left_out: tuple[Remark, ...]

    def __str__(self) -> str:
        return f"{self.path}: {self.pages} pages, {self.entries} entries each"


def describe(
    corpus: Corpus | AnyPath | str,
    catalogue: AnyPath | str,
    *,
    describer: str | Path = "default",
    by: str | None = None,
    split: str | None = None,
    forget: bool = False,
    dpi: float | None = None,
    line_distance: float | None = None,
    engine: Engine | None = None,
    stage: Stage | None = None,
    on_failure: Callable[[ImageError], None] | None = None,
) -> Catalogued:
    """Describe the new and changed pages of a corpus into a catalogue, new or to go on with.

    On pictures without a layout file the writing is looked for first: photographs are set upright,
    openings parted, what is beside the page left out, and pictures without writing named.
    A page that can no longer be described is taken out; ``forget`` also takes out those whose file
    is gone. ``by`` is what is described: each ``page``, each text ``region`` of a layout file, or
    each ``band`` of a few lines; None goes on as the catalogue was begun, a new one by page.
    ``split`` takes the pages of one split only. ``dpi`` is the resolution of all scans,
    ``line_distance`` the pixels between their lines, where these are known. ``engine`` is where
    pages are described, as ``Processes(4)``; by default this process. ``on_failure`` is called as
    soon as a page cannot be described. Pages whose file changes meanwhile are described once more.

    Pages are looked at, measured and described one stage after another. More pages of the web than
    the cache holds go through all stages in rounds, so that each picture is fetched once.
    """
    once = partial(
        _describe,
        catalogue=catalogue,
        describer=describer,
        by=by,
        split=split,
        forget=forget,
        known=KnownScale(dpi, line_distance),
        engine=engine,
        stage=stage,
        on_failure=on_failure,
    )
    found = opened(corpus)
    done = once(found)
    changed = {page_of_side(remark.file) for remark in done.left_out if remark.reason == CHANGED}
    if changed:
        known = with_known_ids(found, done.catalogue.paths())
        places = {page.source.address for page in known if page_of_side(page.id) in changed}
        pages = [reopened(page) if page.source.address in places else page for page in found]
        again = once(replace(found, pages=tuple(pages)))
        both = _joined([done, again])
        changes = replace(both.changes, vanished=done.changes.vanished)
        done = replace(both, changes=changes, left_out=again.left_out)
    if not len(done.catalogue):
        why = ": " + ": ".join(done.left_out[0]) if done.left_out else ""
        number = len(_chosen(found, split))
        raise CorpusError(f"{found.root}: none of {number} pages could be described{why}")
    return done


def _chosen(
    found: Corpus, split: str | None, only: Collection[str] | None = None
) -> tuple[Page, ...]:
    pages = found.pages if split is None else found.in_split(split)
    return pages if only is None else tuple(page for page in pages if page.id in only)


def _describe(
    found: Corpus,
    catalogue: AnyPath | str,
    *,
    describer: str | Path,
    by: str | None,
    split: str | None,
    forget: bool,
    known: KnownScale,
    engine: Engine | None,
    stage: Stage | None,
    on_failure: Callable[[ImageError], None] | None,
    only: Collection[str] | None = None,
) -> Catalogued:
    """One time through the pages; ``only`` has the ids of those of a round."""
    there = is_catalogue(catalogue)
    if there:
        found = with_known_ids(found, Catalogue.open(catalogue).paths())
    pages = _chosen(found, split, only)
    if only is None and len(rounds := _rounds(pages)) > 1:
        return _joined(
            [
                _describe(
                    found,
                    catalogue,
                    describer=describer,
                    by=by,
                    split=None,
                    forget=forget and ids is rounds[-1],
                    known=known,
                    engine=engine,
                    stage=stage,
                    on_failure=on_failure,
                    only=ids,
                )
                for ids in rounds
            ]
        )
    stamps = {page.source.address: page.source.stamp() for page in pages}
    chosen = load_describer(describer)
    by = by or (Catalogue.open(catalogue).head.by if there else "page")
    check_name(by, PARTS, "part of a page")
    _check_known(known, by)
    head = replace(head_for(stored_name(describer), chosen), by=by)
    into = Catalogue.open(catalogue) if there else Catalogue.create(catalogue, head)
    into.check_describer(head)
    if into.head.by != by:
        raise CatalogueError(
            f"{into.folder}: was described by {into.head.by}, not by {by}; go on with "
            f"--by {into.head.by}, or describe by {by} into a catalogue of its own"
        )
    failures: list[Remark] = []
    batch: list[Entry] = []
    described = 0
    with into.writing():
        into.take_describer(head)
        written = find_pages(
            found,
            pages,
            folder=into.folder,
            engine=engine,
            stage=stage,
            on_failure=on_failure,
        )
        failures += written.failures
        replaced = written.stale(into.paths())
        into.drop(replaced)
        parts = divide(
            written.corpus,
            written.pages,
            by,
            line_distance=given_distance(into, known),
            folder=into.folder,
            engine=engine,
            stage=stage,
            on_failure=on_failure,
        )
        failures += parts.failures
        if by != "page":
            into.drop(stale := parts.stale(into.paths()))
            replaced += stale
        changes = into.compare(parts.pages, parts.others)
        unreachable: set[str] = set()

        def leave_out(id: str, error: ImageError) -> None:
            failures.append(Remark(id, error.reason))
            if isinstance(error, Unreachable):
                unreachable.add(id)
            if on_failure is not None:
                on_failure(error)

        into.drop(changes.damaged)
        for id in changes.lost:
            leave_out(id, ImageError(id, LOST))
        into.relabel(_as_measured(changes.relabelled, into))
        suspects = {remark.file for remark in found.left_out}  # or merely not listed in a table
        paths = {id: path for id, path in into.paths().items() if _files_of(id) & suspects}
        into.drop([id for id, path in paths.items() if not _is_readable(path)])
        if forget:
            into.drop(changes.vanished)
        todo = changes.to_describe
        # What the collection says of its resolutions is read from the catalogue and stored there.
        scaled = scale_for_catalogue(
            into,
            todo,
            chosen,
            known,
            alone=written.cut_out,
            engine=engine,
            stage=stage,
        )
        for page, error in scaled.failures:
            leave_out(page.id, error)
        todo = scaled.pages
        progress = None if stage is None else stage(f"describing {by}s", len(todo))
        work = EntryParts(chosen, reader(chosen, distances=scaled.distances))
        last = time.monotonic()
        try:
            for page, result in map_pages(todo, work, engine):
                if isinstance(result, ImageError):
                    leave_out(page.id, result)
                elif result.pop("source") != stamps.get(page.source.address):
                    leave_out(page.id, Unreachable(page.id, CHANGED))  # since it was looked at
                else:
                    read = replace(page, size=result.pop("size"))
                    batch.append(Entry(read, **result))
                    described += 1
                if len(batch) >= BATCH_PAGES or time.monotonic() - last > BATCH_SECONDS:
                    into.add(batch)
                    batch, last = [], time.monotonic()
                if progress is not None:
                    progress(1)
        finally:  # an interrupt costs no page that is done
            into.add(batch)
        broken = {remark.file for remark in failures} - unreachable
        into.drop([page.id for page in changes.changed if page.id in broken])
        into.settle()
    left_out = (*failures, *found.left_out)
    gone = {*replaced, *changes.lost, *(changes.vanished if forget else ())} - into.paths().keys()
    log = read_decisions(into.folder) if gone else ()
    idle = tuple(decision for decision in in_force(log) if decision.pages & gone)
    return Catalogued(into, described, changes, left_out, tuple(sorted(replaced)), idle)


def describe_to_file(
    corpus: Corpus | AnyPath | str,
    out: Path | str,
    *,
    describer: str | Path = "default",
    by: str = "page",
    split: str | None = None,
    dpi: float | None = None,
    line_distance: float | None = None,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> DescriptorFile:
    """Describe the pages of a corpus, or parts of them, into a file, .npz; options as above."""
    known = KnownScale(dpi, line_distance)
    check_name(by, PARTS, "part of a page")
    _check_known(known, by)
    check_place(Path(out))
    found = opened(corpus)
    pages = found.pages if split is None else found.in_split(split)
    chosen = load_describer(describer)
    written = find_pages(found, pages, engine=engine, stage=stage)
    parts = divide(
        written.corpus,
        written.pages,
        by,
        line_distance=known.line_distance,
        engine=engine,
        stage=stage,
    )
    scaled = scale_pages(
        parts.pages,
        chosen.preparation,
        known,
        describer=chosen,
        alone=written.cut_out,
        engine=engine,
        stage=stage,
    )
    progress = None if stage is None else stage(f"describing {by}s", len(scaled.pages))
    made = describe_pages(
        scaled.pages,
        chosen,
        distances=scaled.distances,
        halves=True,
        engine=engine,
        progress=progress,
    )
    path = save_descriptors(made.descriptors, out)
    failed = (*scaled.left_out, *made.failures)
    left_out = (
        *written.failures,
        *parts.failures,
        *(Remark(*failure) for failure in failed),
        *found.left_out,
    )
    return DescriptorFile(path, len(made.pages), made.descriptors.vectors.shape[1], left_out)


def _rounds(pages: Sequence[Page]) -> list[frozenset[str]]:
    """The ids of pages that go through all stages together: no more of the web than are kept."""
    if not any(is_address(page.source.address) for page in pages):
        return [frozenset(page.id for page in pages)]
    size = AnswerCache.of_user().pages
    parts = [pages[start : start + size] for start in range(0, len(pages), size)]
    return [frozenset(page.id for page in part) for part in parts]


def _joined(rounds: Sequence[Catalogued]) -> Catalogued:
    """What all rounds did; pages that vanished are those of the last."""
    into = rounds[-1].catalogue
    changes = Changes(
        new=_once_each(each.changes.new for each in rounds),
        changed=_once_each(each.changes.changed for each in rounds),
        relabelled=_once_each(each.changes.relabelled for each in rounds),
        vanished=rounds[-1].changes.vanished,
        damaged=tuple(id for each in rounds for id in each.changes.damaged),
    )
    described = sum(each.described for each in rounds)
    left_out = tuple(dict.fromkeys(remark for each in rounds for remark in each.left_out))
    there = into.paths().keys()  # what one took out another may have brought back
    replaced = {id for each in rounds for id in each.replaced} - there
    decisions = dict.fromkeys(d for each in rounds for d in each.without_effect)
    idle = tuple(decision for decision in decisions if decision.pages - there)
    return Catalogued(into, described, changes, left_out, tuple(sorted(replaced)), idle)


def _once_each(rounds: Iterable[Sequence[Page]]) -> tuple[Page, ...]:
    return tuple({page.id: page for pages in rounds for page in pages}.values())


def _check_known(known: KnownScale, by: str) -> None:
    if by == "band" and known.dpi is not None:
        raise CorpusError(
            "bands are found by the lines of each page, not by dpi: give line_distance"
        )


def _is_readable(address: str) -> bool:
    try:
        pictures_in(open_source(address))
    except Unreachable:  # perhaps later
        return True
    except ImageError:
        return False
    return True


def _files_of(page_id: str) -> set[str]:
    """What a remark on the file of a page may be about."""
    return {page_id, whole_and_part(page_id)[0], page_id.partition("#")[0]}


def _as_measured(pages: Sequence[Page], catalogue: Catalogue) -> list[Page]:
    """Pages that are described already, with the sizes of the pictures that were read then."""
    stored = catalogue.pages([page.id for page in pages])
    return [
        replace(page, size=known.size or page.size)
        for page, known in zip(pages, stored, strict=True)
    ]
