"""Page pixels to a vector, or to the probabilities of classes: the same calls for every kind.

A describer is anything with the few names of :class:`Describer`, a classifier anything with those
of :class:`Classifier`. Pages that cannot be described are left out with their reason, and the rest
goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from ..engines import Engine, map_pages, one_thread
from ..errors import CorpusError, ImageError
from ..hands import Calibration
from ..pixels import OnPixels, PageImage, Preparation, ink_middle, page_reader
from ..records import Descriptors, Floats, Matrix, Page, PageProgress

R = TypeVar("R")
Read = Callable[[Page], PageImage]


class Describer(Protocol):
    """Prepared page in, one vector of unit length out."""

    @property
    def preparation(self) -> Preparation:
        """How a page is brought to pixels before it comes here."""

    @property
    def dim(self) -> int:
        """The width of its vectors."""

    @property
    def spec(self) -> Mapping[str, Any]:
        """All that makes its vectors, as JSON has it: same spec and pages, same vectors.

        Its entry ``kind`` names the kind of describer.
        """

    @property
    def calibration(self) -> Calibration | None:
        """What its cosines say about hands; None: not known."""

    def describe_page(self, image: PageImage) -> Matrix:  # (dim,)
        """The vector of a page; an ImageError where there is nothing to describe."""


class Classifier(Protocol):
    """Prepared page in, the probability of every class out.

    One whose probabilities are calibrated may have a number ``least``: below it, it cannot say.
    """

    @property
    def preparation(self) -> Preparation:
        """How a page is brought to pixels before it comes here."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, in the order of the probabilities."""

    def classify_page(self, image: PageImage) -> Floats:  # (classes,)
        """The probabilities of the classes; an ImageError where there is nothing to look at."""


@one_thread()
def page_and_halves(describer: Describer, image: PageImage) -> tuple[Matrix, float]:  # (dim,)
    """The vector of a page, and the cosine of the vectors of its upper and its lower half.

    Each half has half of the ink. NaN where a half has nothing to describe. A describer that can do
    this faster than by describing three pages has a method ``describe_halves``, which gives all
    three vectors.
    """
    own = getattr(describer, "describe_halves", None)
    if own is not None:
        page, upper, lower = own(image)
        return page, float(upper @ lower) if upper.any() and lower.any() else math.nan
    vector = describer.describe_page(image)
    try:
        upper, lower = (
            describer.describe_page(replace(image, pixels=np.ascontiguousarray(half)))
            for half in np.split(image.pixels, [ink_middle(image.pixels)])
        )
    except ImageError:
        return vector, math.nan
    return vector, float(upper @ lower)


@dataclass(frozen=True)
class Described:
    """The pages that could be described, and why the others could not."""

    descriptors: Descriptors
    pages: tuple[Page, ...]  # in the order of the descriptors
    failures: tuple[tuple[str, str], ...]  # page id, reason


@dataclass(frozen=True, eq=False)
class Classified:
    """The pages that could be classified, and why the others could not."""

    pages: tuple[Page, ...]
    probabilities: Floats  # (pages, classes)
    classes: tuple[str, ...]
    failures: tuple[tuple[str, str], ...]  # page id, reason
    least: float = 0.0  # the probability below which nothing is said

    @property
    def named(self) -> tuple[str | None, ...]:
        """The most probable class of each page; None: cannot say."""
        best = zip(self.probabilities.argmax(axis=1), self.probabilities.max(axis=1), strict=True)
        return tuple(self.classes[n] if share >= self.least else None for n, share in best)


def describe_pages(
    pages: Sequence[Page],
    describer: Describer,
    *,
    crop: int | None = None,
    binarization: str | None = None,
    read: Read | None = None,
    distances: Mapping[str, float] | None = None,
    halves: bool = False,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Described:
    """Describe pages in order.

    ``crop`` describes only the patch of that many pixels in the middle of each prepared page;
    ``binarization`` takes the place of the describer's own. ``read`` gives the pixels of pages that
    are prepared already; ``distances`` are those between the lines of scans, by page id, where they
    are not to be estimated page by page. With ``halves`` those of pages are described and compared
    as well. Labels of the Descriptors are the writers, where all are known.
    """
    prepare = read or reader(describer, binarization, distances)
    found: Callable[[PageImage], tuple[Matrix, float]] = (
        partial(page_and_halves, describer) if halves else _Alone(describer)
    )
    kept, results, failures = gather(
        pages, OnPixels(found, prepare, crop), engine, progress, "described"
    )
    writers = tuple(page.writer for page in kept if page.writer is not None)
    descriptors = Descriptors(
        tuple(page.id for page in kept),
        np.stack([vector for vector, _ in results]),
        full_spec(describer, crop=crop, binarization=binarization),
        writers if len(writers) == len(kept) else None,
        np.array([cosine for _, cosine in results], np.float32) if halves else None,
    )
    return Described(descriptors, tuple(kept), failures)


@dataclass(frozen=True)
class _Alone:
    """The vector of a page without a look at its halves."""

    describer: Describer

    @one_thread()
    def __call__(self, image: PageImage) -> tuple[Matrix, float]:
        return self.describer.describe_page(image), math.nan


def classify_pages(
    pages: Sequence[Page],
    classifier: Classifier,
    *,
    crop: int | None = None,
    binarization: str | None = None,
    read: Read | None = None,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Classified:
    """Classify pages in order; arguments as in :func:`describe_pages`."""
    prepare = read or reader(classifier, binarization)
    work = OnPixels(classifier.classify_page, prepare, crop)
    kept, found, failures = gather(pages, work, engine, progress, "classified")
    least = getattr(classifier, "least", 0.0)
    return Classified(tuple(kept), np.stack(found), classifier.classes, failures, least)


def gather(
    pages: Sequence[Page],
    work: Callable[[Page], R],
    engine: Engine | None,
    progress: PageProgress | None,
    done: str,
) -> tuple[list[Page], list[R], tuple[tuple[str, str], ...]]:
    """Do the work on all pages: those it was possible on, its results, and why not on the others.

    A CorpusError says, if there is none, that none could be ``done``.
    """
    kept: list[Page] = []
    results: list[R] = []
    failures: list[tuple[str, str]] = []
    for page, result in map_pages(pages, work, engine):
        if isinstance(result, ImageError):
            failures.append((page.id, result.reason))
        else:
            kept.append(page)
            results.append(result)
        if progress is not None:
            progress(1)
    if not kept:
        first = f", the first, {failures[0][0]}, because: {failures[0][1]}" if failures else ""
        raise CorpusError(f"none of {len(pages)} pages could be {done}{first}")
    return kept, results, tuple(failures)


def reader(
    prepared: Describer | Classifier,
    binarization: str | None = None,
    distances: Mapping[str, float] | None = None,
) -> Read:
    """How pages are brought to pixels for a describer or classifier; it can be pickled."""
    return page_reader(_preparation(prepared, binarization), distances)


def full_spec(
    describer: Describer, *, crop: int | None = None, binarization: str | None = None
) -> dict[str, Any]:
    """The describer's spec with how its pages are prepared: same spec and pages, same vectors."""
    return {
        **describer.spec,
        "preparation": asdict(_preparation(describer, binarization)),
        **({} if crop is None else {"crop": crop}),
    }


def _preparation(prepared: Describer | Classifier, binarization: str | None) -> Preparation:
    if binarization is None:
        return prepared.preparation
    return replace(prepared.preparation, binarization=binarization)
