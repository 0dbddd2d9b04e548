"""Pages to Descriptors, the same call for learned and classical describers.

A describer is anything with the few names of :class:`Describer`. Pages that cannot be described are
left out with their reason, and the rest goes on.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage, Preparation, centre_square, prepare_page
from ..corpora.extras import opencv
from ..errors import CorpusError, DgmpError, ImageError
from ..records import Descriptors, Page

_AHEAD = 4  # pages under way per process: none waits for work, none holds many results

Then = Callable[[PageImage, NDArray[np.float32]], Any]


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
        """All that makes its vectors, as JSON has it: same spec and pages, same vectors."""

    def describe_page(self, image: PageImage) -> NDArray[np.float32]:  # (dim,)
        """The vector of a page; an ImageError where there is nothing to describe."""


@dataclass(frozen=True)
class Described:
    """The pages that could be described, and why the others could not."""

    descriptors: Descriptors
    pages: tuple[Page, ...]  # in the order of the descriptors
    failures: tuple[tuple[str, str], ...]  # page id, reason


def describe_pages(
    pages: Sequence[Page],
    describer: Describer,
    *,
    label: str | None = "writer",
    crop: int | None = None,
    binarization: str | None = None,
    workers: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Described:
    """Describe pages in order, in this process or in ``workers`` others.

    ``label`` says what the labels of the Descriptors are; they are left out unless all pages have
    one. ``crop`` describes only the square of that many pixels in the middle of each prepared page;
    ``binarization`` takes the place of the describer's own. ``progress`` is called with the number
    of pages done since its last call.
    """
    kept: list[Page] = []
    vectors: list[NDArray[np.float32]] = []
    failures: list[tuple[str, str]] = []
    described = iterate_described(
        pages,
        describer,
        crop=crop,
        binarization=binarization,
        workers=workers if len(pages) > 1 else 0,
    )
    for page, result in described:
        if isinstance(result, ImageError):
            failures.append((page.id, result.reason))
        else:
            kept.append(page)
            vectors.append(result)
        if progress is not None:
            progress(1)
    if not kept:
        first = f", the first, {failures[0][0]}, because: {failures[0][1]}" if failures else ""
        raise CorpusError(f"none of {len(pages)} pages could be described{first}")
    found = [getattr(page, label) for page in kept] if label else []
    labels = tuple(str(name) for name in found if name is not None)
    descriptors = Descriptors(
        tuple(page.id for page in kept),
        np.stack(vectors),
        full_spec(describer, crop=crop, binarization=binarization),
        labels if len(labels) == len(kept) else None,
    )
    return Described(descriptors, tuple(kept), tuple(failures))


def iterate_described(
    pages: Iterable[Page],
    describer: Describer,
    *,
    then: Then | None = None,
    crop: int | None = None,
    binarization: str | None = None,
    workers: int = 0,
) -> Iterator[tuple[Page, Any]]:
    """Each page, in order, with its vector or the ImageError that says why it has none.

    A few pages are under way at a time, so a collection of any size can be gone through. With
    ``then``, a function that can be pickled, ``then(image, vector)`` takes the place of the vector;
    it is called where the page is described, in this process or one of ``workers`` others.
    """
    job = _Job(describer, _preparation(describer, binarization), crop, then)
    if not workers:
        yield from ((page, job(page)) for page in pages)
        return
    # Fresh processes: a fork of one that runs torch or OpenCV threads may hang.
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_take_job, initargs=(job,)
    )
    ahead: deque[tuple[Page, Future[Any]]] = deque()
    try:
        for page in pages:
            ahead.append((page, pool.submit(_do_job, page)))
            if len(ahead) > _AHEAD * workers:
                first, future = ahead.popleft()
                yield first, future.result()
        while ahead:
            first, future = ahead.popleft()
            yield first, future.result()
    except BrokenProcessPool as error:
        raise DgmpError(
            "a process that describes pages was ended from outside, probably because memory ran "
            "out; try fewer workers"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def full_spec(
    describer: Describer, *, crop: int | None = None, binarization: str | None = None
) -> dict[str, Any]:
    """The describer's spec with how its pages are prepared: same spec and pages, same vectors."""
    return {
        **describer.spec,
        "preparation": vars(_preparation(describer, binarization)),
        **({} if crop is None else {"crop": crop}),
    }


def _preparation(describer: Describer, binarization: str | None) -> Preparation:
    if binarization is None:
        return describer.preparation
    return replace(describer.preparation, binarization=binarization)


@dataclass(frozen=True)
class _Job:
    describer: Describer
    preparation: Preparation
    crop: int | None
    then: Then | None

    def __call__(self, page: Page) -> Any:
        try:
            image = prepare_page(page, self.preparation)
            if self.crop is not None:
                image = centre_square(image, self.crop)
            vector = self.describer.describe_page(image)
            return vector if self.then is None else self.then(image, vector)
        except ImageError as error:
            return ImageError(page.id, error.reason)


_job: _Job | None = None  # of this worker process: sent once, not with every page


def _take_job(job: _Job) -> None:
    global _job
    _job = job
    # The processes share the cores already.
    opencv().setNumThreads(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def _do_job(page: Page) -> Any:
    assert _job is not None
    return _job(page)
