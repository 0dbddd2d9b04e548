"""The line distance of every page, by what its collection says: measured first, then described.

Where a layout file or a describer gives the distance, or none is wanted, nothing is measured. The
other pages are read once for their estimates, and again when they are described. A sample of pages
that seem to share a resolution is described twice, to see whether they do (``own_scales.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...catalogue import Catalogue
from ...describers import Describer
from ...engines import Engine, map_pages
from ...errors import CorpusError, ImageError
from ...files import from_plain, to_plain
from ...pixels import (
    CollectionScale,
    Measured,
    Modes,
    Preparation,
    learn_scale,
    measure_page,
    needs_measuring,
)
from ...records import Page, Stage
from .own_scales import own_scales_are_better


@dataclass(frozen=True)
class KnownScale:
    """What a person knows about all scans; both are stronger than any estimate."""

    dpi: float | None = None
    line_distance: float | None = None  # pixels

    def __post_init__(self) -> None:
        if self.dpi is not None and self.line_distance is not None:
            raise ValueError("give dpi or line_distance: the second says all")
        for name in ("dpi", "line_distance"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be positive, got {value}")


@dataclass(frozen=True)
class Scaled:
    """Line distances by page id, the pages to describe, and why others could not be measured."""

    pages: tuple[Page, ...]
    distances: Mapping[str, float] = field(default_factory=dict)
    failures: tuple[tuple[Page, ImageError], ...] = ()

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """Ids of the pages that could not be measured, and the reasons."""
        return tuple((page.id, error.reason) for page, error in self.failures)


def scale_pages(
    pages: Sequence[Page],
    preparation: Preparation,
    known: KnownScale,
    *,
    describer: Describer | None = None,
    alone: Collection[str] = (),
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Scaled:
    """The distances of the pages of a corpus that is judged, by each other.

    Folders are not looked at: they may be the writers. Pages whose ids are in ``alone`` keep their
    own estimates: a camera in the hand has another resolution for every photograph. With a
    ``describer`` all do if it finds them more alike so.
    """
    if known.line_distance is not None:
        return _all_at(known.line_distance, pages, preparation)
    measured, failures = _measure(pages, preparation, engine, stage)
    if failures and len(failures) == len(pages):
        first = f"the first, {failures[0][0].id}, because: {failures[0][1].reason}"
        raise CorpusError(f"none of {len(pages)} pages could be described, {first}")
    measured = {id: replace(page, folder=None) for id, page in measured.items()}
    shared, own = _apart(measured, known, alone)
    scale = _learned(shared, known)
    if describer is not None:
        scale = _compared(scale, pages, shared, describer, engine, stage)
    return _scaled(pages, shared, scale, known, failures, own)


def scale_for_catalogue(
    catalogue: Catalogue,
    pages: Sequence[Page],
    describer: Describer,
    known: KnownScale,
    *,
    alone: Collection[str] = (),
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Scaled:
    """The distances of pages that come into a catalogue; what is learned is stored in it at once.

    The first pages say what resolutions there are, and stay right about it: neither pages that come
    later nor a run that was killed change the scale of those that are there. ``alone`` as above.
    """
    stored = collection_scale(catalogue)
    if stored is None and len(catalogue):  # from a time when every page had a scale of its own
        stored = CollectionScale()
        if known == KnownScale():
            return Scaled(tuple(pages))
    given = given_distance(catalogue, known)
    if given is not None:
        if stored is None:
            _store(catalogue, CollectionScale(line_distance=given))
        return _all_at(given, pages, describer.preparation)
    everything, failures = _measure(pages, describer.preparation, engine, stage)
    measured, own = _apart(everything, known, alone)
    if stored is None:
        scale = _learned(measured, known)
        scale = _compared(scale, pages, measured, describer, engine, stage)
    elif known.dpi is not None and stored.tagged is None:
        scale = replace(stored, tagged=_learned(measured, known).tagged)
    else:
        scale = stored.extended(list(measured.values()))
    if everything and scale != stored:
        _store(catalogue, scale)
    return _scaled(pages, measured, scale, known, failures, own)


def distance_beside(
    catalogue: Catalogue, page: Page, preparation: Preparation, *, alone: bool = False
) -> float | None:
    """The distance of a page from elsewhere, to compare it with those of a catalogue.

    None leaves it to the page, as for one that stands ``alone``: a photograph.
    """
    scale = collection_scale(catalogue)
    if scale is None or not needs_measuring(page, preparation):
        return None
    if alone and scale.line_distance is None:
        return None
    measured = replace(measure_page(page), folder=None)
    return scale.distance(scale.with_dpi(measured))


def given_distance(catalogue: Catalogue, known: KnownScale) -> float | None:
    """The distance of all scans, if a person gives it now or gave it for the first pages."""
    stored = collection_scale(catalogue)
    if known == KnownScale() and stored is not None:
        return stored.line_distance
    return known.line_distance


def collection_scale(catalogue: Catalogue) -> CollectionScale | None:
    """What the pages of a catalogue said of their resolutions; None: each has its own scale."""
    stored = (catalogue.head.collection or {}).get("scale")
    return None if stored is None else from_plain(stored, CollectionScale, catalogue.folder)


def _store(catalogue: Catalogue, scale: CollectionScale) -> None:
    catalogue.keep_collection({**(catalogue.head.collection or {}), "scale": to_plain(scale)})


def _learned(measured: Mapping[str, Measured], known: KnownScale) -> CollectionScale:
    if not measured:
        return CollectionScale()
    return learn_scale(list(measured.values()), dpi=known.dpi)


def _compared(
    scale: CollectionScale,
    pages: Sequence[Page],
    measured: Mapping[str, Measured],
    describer: Describer,
    engine: Engine | None,
    stage: Stage | None,
) -> CollectionScale:
    """The scale, or one that leaves every page without a resolution tag its own."""
    if scale.plain is None or not scale.plain.modes:
        return scale
    own = {id: page.distance for id, page in measured.items() if page.dpi is None}
    shared = {id: scale.distance(measured[id]) for id in own}
    if own_scales_are_better(pages, describer, shared, own, engine=engine, stage=stage):
        return replace(scale, plain=Modes(range=scale.plain.range))
    return scale


def _measure(
    pages: Sequence[Page],
    preparation: Preparation,
    engine: Engine | None,
    stage: Stage | None,
) -> tuple[dict[str, Measured], list[tuple[Page, ImageError]]]:
    wanted = [page for page in pages if needs_measuring(page, preparation)]
    progress = stage("measuring the writing", len(wanted)) if wanted and stage else None
    measured, failures = {}, []
    for page, result in map_pages(wanted, measure_page, engine):
        if isinstance(result, ImageError):
            failures.append((page, result))
        else:
            measured[page.id] = result
        if progress is not None:
            progress(1)
    return measured, failures


def _apart(
    measured: Mapping[str, Measured], known: KnownScale, alone: Collection[str]
) -> tuple[dict[str, Measured], dict[str, float]]:
    """The pages that may share a resolution, and the distances of the others."""
    single = set(alone) if known == KnownScale() else set()
    shared = {id: page for id, page in measured.items() if id not in single}
    return shared, {id: page.distance for id, page in measured.items() if id in single}


def _all_at(distance: float, pages: Sequence[Page], preparation: Preparation) -> Scaled:
    wanted = [page.id for page in pages if needs_measuring(page, preparation)]
    return Scaled(tuple(pages), dict.fromkeys(wanted, distance))


def _scaled(
    pages: Sequence[Page],
    measured: Mapping[str, Measured],
    scale: CollectionScale,
    known: KnownScale,
    failures: Sequence[tuple[Page, ImageError]],
    own: Mapping[str, float],
) -> Scaled:
    broken = {page.id for page, _ in failures}
    distances = {
        id: scale.distance(scale.with_dpi(page, known.dpi)) for id, page in measured.items()
    }
    usable = tuple(page for page in pages if page.id not in broken)
    return Scaled(usable, {**distances, **own}, tuple(failures))
