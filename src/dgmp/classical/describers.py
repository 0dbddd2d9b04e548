"""One shape for all classical describers: features of a page, then what was learned of many pages.

    page → features (VLAD of RootSIFT, SRS-LBP, oBIF, Hinge …) → sketch → whitening → unit vector

Features are small frozen objects that are called with pixels; the later steps are called with
vectors. Everything can be pickled for worker processes and saved by :mod:`.files`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..corpora import PageImage, Preparation
from ..errors import CorpusError, ImageError
from .files import config_of, fingerprint
from .sift import Sift
from .vlad import Vlad, VladConfig, fit_pages_vlad
from .whitening import Matrix, Sketch, unit_rows

Progress = Callable[[int], None]  # called with the number of pages done since the last call


class PageFeatures(Protocol):
    """Pixels in, one vector of unit length out; zeros where there is nothing to describe."""

    @property
    def dim(self) -> int:
        """The width of its vectors."""

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink and 255 for paper."""


class VectorStep(Protocol):
    """Vectors in, vectors of unit length out: a whitening, an exemplar SVM."""

    @property
    def dim(self) -> int:
        """The width of its vectors."""

    def __call__(self, vectors: Matrix) -> Matrix:  # (..., dim before) -> (..., dim)
        """The same pages, described better."""


@dataclass(frozen=True)
class RootSiftVlad:
    """Page vectors of RootSIFT descriptors, encoded by VLAD."""

    sift: Sift
    vlad: Vlad

    @property
    def dim(self) -> int:
        """The width of a page vector."""
        return self.vlad.dim

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink; zeros where there is no keypoint."""
        return self.vlad.encode(self.sift(pixels))


@dataclass(frozen=True, eq=False)
class ClassicalDescriber:
    """A describer without learning by gradient; see :class:`dgmp.describe.Describer`."""

    kind: str
    features: PageFeatures
    sketch: Sketch | None = None
    finish: VectorStep | None = None
    preparation: Preparation = field(default_factory=Preparation)

    @property
    def dim(self) -> int:
        """The width of its vectors."""
        last = self.finish or self.sketch or self.features
        return last.dim

    @property
    def spec(self) -> dict[str, Any]:
        """Kind, every setting, and a SHA-256 of all that was learned from pages."""
        return {"kind": self.kind, "config": config_of(self), "arrays": fingerprint(self)}

    def describe_page(self, image: PageImage) -> Matrix:  # (dim,)
        """The vector of a page; an ImageError where it has nothing to describe."""
        return self.describe_features(page_features(self.features, image))

    def describe_features(self, vectors: Matrix) -> Matrix:  # (..., features.dim) -> (..., dim)
        """The steps after the features, which work on many pages at once."""
        if self.sketch is not None:
            vectors = unit_rows(self.sketch(vectors))
        return vectors if self.finish is None else self.finish(vectors)


def page_features(features: PageFeatures, image: PageImage) -> Matrix:
    """The features of a page, or an ImageError where it has none."""
    vector = features(image.pixels)
    if not vector.any():
        raise ImageError(image.page.id, "too little ink: nothing on it can be described")
    return vector


def fit_features(
    features: PageFeatures, images: Iterable[PageImage], progress: Progress | None = None
) -> Matrix:  # (pages, dim)
    """The features of those pages that have any, to fit the later steps on."""
    vectors = []
    for image in images:
        vector = features(image.pixels)
        if vector.any():
            vectors.append(vector)
        if progress is not None:
            progress(1)
    if len(vectors) < 2:
        raise CorpusError(f"fitting needs at least two pages with writing, got {len(vectors)}")
    return np.stack(vectors)


def fit_rootsift_vlad(
    images: Iterable[PageImage],
    sift: Sift | None = None,
    config: VladConfig | None = None,
    *,
    seed: int = 0,
    bands: int = 0,
    progress: Progress | None = None,
) -> tuple[RootSiftVlad, Matrix]:  # (pages and their bands, dim)
    """Learn vocabularies from pages; also gives the encodings of these pages and their bands.

    Pages are read once. Their local descriptors are kept in half precision until the end, two
    megabytes for a full page.
    """
    sift, config = sift or Sift(), config or VladConfig()
    local = []
    for image in images:
        found = sift(image.pixels)
        if len(found):
            local.append(found.astype(np.float16))
        if progress is not None:
            progress(1)
    if len(local) < 2:
        raise CorpusError(f"fitting needs at least two pages with writing, got {len(local)}")
    vlad, vectors = fit_pages_vlad(local, config, seed=seed, bands=bands)
    return RootSiftVlad(sift, vlad), vectors
