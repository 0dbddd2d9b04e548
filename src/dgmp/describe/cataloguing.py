"""Pages into a catalogue: only those that are new or changed, in batches that survive a kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..catalogue import Catalogue, Changes, Entry, Head, file_stamp, is_catalogue
from ..corpora import PageImage, open_corpus, thumbnail
from ..errors import ImageError
from ..records import Page
from .describer import Describer, full_spec, iterate_described

BATCH_PAGES = 32  # a commit takes some 10 ms, so 0.3 ms per page
BATCH_SECONDS = 10.0  # what a kill may cost where describing is slow


@dataclass(frozen=True)
class Catalogued:
    """What was done to a catalogue."""

    described: int
    changes: Changes
    failures: tuple[tuple[str, str], ...]  # page id, reason


def open_or_create(folder: Path | str, name: str, describer: Describer) -> Catalogue:
    """The catalogue in a folder, or a new one, for a describer that was loaded by its name.

    A catalogue of another describer is refused.
    """
    if Path(name).exists():  # a run; the catalogue is to find it from anywhere
        name = str(Path(name).resolve())
    head = _head(name, describer)
    if not is_catalogue(folder):
        return Catalogue.create(folder, head)
    catalogue = Catalogue.open(folder)
    catalogue.take_describer(head)
    return catalogue


def catalogue_pages(
    pages: Sequence[Page],
    describer: Describer,
    catalogue: Catalogue,
    *,
    workers: int = 0,
    forget: bool = False,
    begin: Callable[[Changes], None] | None = None,
    progress: Callable[[Page, ImageError | None], None] | None = None,
) -> Catalogued:
    """Describe what is new or changed; a page that can no longer be described is taken out.

    ``forget`` also takes out pages whose file is gone. ``begin`` is told what there is to do, and
    ``progress`` each page that is done, with the error of one that could not be.
    """
    failures: list[tuple[str, str]] = []
    batch: list[Entry] = []
    described = 0
    with catalogue.writing():
        changes = catalogue.missing(pages)
        if begin is not None:
            begin(changes)
        catalogue.relabel(changes.relabelled)
        if forget:
            catalogue.drop(changes.vanished)
        to_describe = changes.to_describe
        last = time.monotonic()
        for page, result in iterate_described(
            to_describe,
            describer,
            then=_entry_parts,
            workers=min(workers, len(to_describe)) if len(to_describe) > 1 else 0,
        ):
            error = result if isinstance(result, ImageError) else None
            if error is not None:
                failures.append((page.id, error.reason))
            else:
                batch.append(Entry(page, *result))
                described += 1
            if len(batch) >= BATCH_PAGES or time.monotonic() - last > BATCH_SECONDS:
                catalogue.add(batch)
                batch, last = [], time.monotonic()
            if progress is not None:
                progress(page, error)
        catalogue.add(batch)
        broken = {id for id, _ in failures}
        catalogue.drop([page.id for page in changes.changed if page.id in broken])
        catalogue.settle()
    return Catalogued(described, changes, tuple(failures))


def describe_query(
    path: Path | str, describer: Describer, catalogue: Catalogue
) -> NDArray[np.float32]:  # (dim,)
    """The vector of a picture that is not in a catalogue, to be searched for there.

    Of a file with several pictures the first is taken.
    """
    catalogue.check_describer(_head(catalogue.head.describer, describer))
    corpus = open_corpus(path)
    if not corpus.pages:
        file, reason = corpus.left_out[0]
        raise ImageError(file, reason)
    ((_, vector),) = iterate_described(corpus.pages[:1], describer)
    if isinstance(vector, ImageError):
        raise vector
    return np.asarray(vector, np.float32)


def _head(name: str, describer: Describer) -> Head:
    calibration = getattr(describer, "calibration", None)
    return Head(full_spec(describer), describer.dim, name, calibration)


def _entry_parts(
    image: PageImage, vector: NDArray[np.float32]
) -> tuple[NDArray[np.float32], str, bytes, tuple[int, int]]:
    """Done where the page is described: all of its entry but the page."""
    stamp = file_stamp(image.page.path)
    try:
        return vector, image.page.content_hash, thumbnail(image), stamp
    except OSError as error:
        raise ImageError(image.page.id, f"went away while it was read: {error}") from error
