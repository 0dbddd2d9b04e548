"""Pages to Descriptors, the same call for learned and classical describers.

A describer is anything with the few names of :class:`Describer`. Pages that cannot be described are
left out with their reason, and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage, Preparation, centre_square, prepare_page
from ..errors import CorpusError, ImageError
from ..records import Descriptors, Page


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
    preparation = describer.preparation
    if binarization is not None:
        preparation = replace(preparation, binarization=binarization)
    job = _Job(describer, preparation, crop)
    kept: list[Page] = []
    vectors: list[NDArray[np.float32]] = []
    failures: list[tuple[str, str]] = []
    several = workers > 0 and len(pages) > 1
    # Fresh processes: a fork of one that runs torch or OpenCV threads may hang.
    pool = (
        ProcessPoolExecutor(
            workers, mp_context=get_context("spawn"), initializer=_take_job, initargs=(job,)
        )
        if several
        else None
    )
    with pool or nullcontext():
        results = pool.map(_do_job, pages) if pool else map(job, pages)
        for page, result in zip(pages, results, strict=True):
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
    spec = {
        **describer.spec,
        "preparation": vars(preparation),
        **({} if crop is None else {"crop": crop}),
    }
    descriptors = Descriptors(
        tuple(page.id for page in kept),
        np.stack(vectors),
        spec,
        labels if len(labels) == len(kept) else None,
    )
    return Described(descriptors, tuple(kept), tuple(failures))


@dataclass(frozen=True)
class _Job:
    describer: Describer
    preparation: Preparation
    crop: int | None

    def __call__(self, page: Page) -> NDArray[np.float32] | ImageError:
        try:
            image = prepare_page(page, self.preparation)
            if self.crop is not None:
                image = centre_square(image, self.crop)
            return self.describer.describe_page(image)
        except ImageError as error:
            return ImageError(page.id, error.reason)


_job: _Job | None = None  # of this worker process: sent once, not with every page


def _take_job(job: _Job) -> None:
    global _job
    _job = job


def _do_job(page: Page) -> NDArray[np.float32] | ImageError:
    assert _job is not None
    return _job(page)
