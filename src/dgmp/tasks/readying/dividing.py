"""Pages divided into parts that are described one by one: text regions, or bands of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...catalogue import PageBands, read_bands, write_bands
from ...corpora import Corpus, Remark, band_pages, region_pages, whole_and_part
from ...engines import Engine
from ...errors import ImageError
from ...pixels import BAND_LINES, find_bands
from ...records import Page, Region, Stage
from ...storage import AnyPath
from .finding import Looking, find_each


@dataclass(frozen=True)
class Parts:
    """The parts of some pages of a corpus."""

    wholes: frozenset[str]  # ids of the pages that were divided
    pages: tuple[Page, ...]  # a part each
    others: tuple[Page, ...] = ()  # of the rest of the corpus, as far as is known without reading
    failures: tuple[Remark, ...] = ()

    def stale(self, page_ids: Iterable[str]) -> list[str]:
        """Which of these ids are parts that their pages have no longer."""
        now = {page.id for page in self.pages}
        return [id for id in page_ids if id not in now and whole_and_part(id)[0] in self.wholes]


def divide(
    corpus: Corpus,
    pages: Sequence[Page],
    by: str,
    *,
    line_distance: float | None = None,
    folder: AnyPath | None = None,
    engine: Engine | None = None,
    stage: Stage | None = None,
    on_failure: Callable[[ImageError], None] | None = None,
) -> Parts:
    """The parts of pages of a corpus; ``by`` is one of ``PARTS``.

    ``line_distance`` is that of all scans without a layout file that gives it; None: bands are
    found by what each page says. Where bands lie is kept in ``folder``, that of a catalogue: pages
    that are unchanged are not read again.
    """
    wholes = frozenset(page.id for page in pages)
    rest = [page for page in corpus if page.id not in wholes]
    if by == "page":
        return Parts(wholes, tuple(pages), tuple(rest))
    if by == "region":
        return Parts(wholes, _all(map(region_pages, pages)), _all(map(region_pages, rest)))
    pages = [_at(page, line_distance) for page in pages]
    rest = [_at(page, line_distance) for page in rest]
    looked = find_each(pages, _BANDS, folder, engine, stage, on_failure)
    wholes -= looked.unreachable  # the parts that they had before are not stale
    known, stored = looked.known, looked.stored
    cut = _all(_cut(page, known[page.id]) for page in pages if page.id in known)
    # Of pages that are left alone this time the old bands will do.
    others = _all(_cut(page, stored[page.id]) for page in rest if page.id in stored)
    return Parts(wholes, cut, others, looked.failures)


def _at(page: Page, line_distance: float | None) -> Page:
    if line_distance is None or page.line_distance is not None:
        return page
    return replace(page, line_distance=float(line_distance))  # 50 and 50.0 are one stamp


def _find(page: Page) -> PageBands:
    """Called where a page is read."""
    stamp = _stamp(page)
    distance, bands = find_bands(page)
    return PageBands(stamp, distance, tuple(band.bounds for band in bands))


def _stamp(page: Page) -> str:
    return f"{page.stamp()} {BAND_LINES} lines"


_BANDS = Looking("finding bands", _find, _stamp, read_bands, write_bands)


def _cut(page: Page, bands: PageBands) -> tuple[Page, ...]:
    regions = [Region.rectangle(*bounds) for bounds in bands.bounds]
    return band_pages(page, bands.line_distance, regions)


def _all(parts: Iterable[tuple[Page, ...]]) -> tuple[Page, ...]:
    return tuple(part for some in parts for part in some)
