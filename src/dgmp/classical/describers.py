"""One shape for all classical describers: features of a page, then what was learned of many pages.

    page → features (VLAD of RootSIFT, SRS-LBP, oBIF, Hinge …) → sketch → whitening → unit vector

Features are small frozen objects that are called with pixels; the later steps are called with
vectors. Everything can be pickled for worker processes and saved by :mod:`.fitted_files`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import CorpusError, ImageError
from ..pixels import PageImage, Preparation, ink_middle
from ..records import Matrix, PageProgress
from .contributions import Contributions, finish_encoding, joined, vlad_contributions
from .fitted_files import config_of, fingerprint
from .sift import Sift
from .vlad import Vlad, VladConfig, encode_pages, fit_pages_vlad
from .whitening import Sketch, SoftWhitening, unit_rows

TOO_LITTLE = "too little ink: nothing on it can be described"


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
class Look:
    """One way to look at a page: where and how large it is described, and how that is encoded."""

    sift: Sift
    vlad: VladConfig


def three_looks(
    vlad: VladConfig | None = None, vocabularies: tuple[int, int, int] = (2, 2, 1)
) -> tuple[Look, ...]:
    """Small pieces of contours, extrema of three octaves, large pieces of contours.

    They err on different pages, and together find hands better than contours alone with as many
    vocabularies.
    """
    sifts = (
        Sift(most=5000),
        Sift(points="extrema", octaves=3, cell=4.0, most=3000),
        Sift(cell=10.0, smoothing=2.4, most=3000),
    )
    vlad = vlad or VladConfig()
    return tuple(
        Look(sift, replace(vlad, vocabularies=count))
        for sift, count in zip(sifts, vocabularies, strict=True)
    )


@dataclass(frozen=True, eq=False)
class RootSiftVlad:
    """Page vectors of RootSIFT descriptors by one look or several, each encoded by VLAD.

    The encodings stand one after the other, each as long as the square root of its share of
    entries, so that every vocabulary counts alike.
    """

    sifts: tuple[Sift, ...]
    vlads: tuple[Vlad, ...]

    @property
    def dim(self) -> int:
        """The width of a page vector."""
        return sum(vlad.dim for vlad in self.vlads)

    def look(self, pixels: NDArray[np.uint8]) -> tuple[Matrix, ...]:  # (keypoints, 128) each
        """The local descriptors of every look."""
        return tuple(sift(pixels) for sift in self.sifts)

    def encode(self, local: Sequence[Matrix]) -> Matrix:  # (keypoints, 128) each -> (dim,)
        """The vector of a page from its local descriptors."""
        return self.join([vlad.encode(part) for vlad, part in zip(self.vlads, local, strict=True)])

    def encode_pages(
        self, pages: Sequence[Sequence[NDArray[np.floating]]], bands: int = 0
    ) -> Matrix:  # (pages and their bands, dim)
        """The vectors of all pages, then those of ``bands`` parts of each.

        A part is an equal share of the keypoints of every look, from top to bottom, and so about
        the same strip of the page for each. Pages and parts without any are left out.
        """
        vectors = self.join(
            [
                encode_pages(vlad, [page[number] for page in pages], bands)
                for number, vlad in enumerate(self.vlads)
            ]
        )
        some = vectors.any(axis=1)
        return vectors if some.all() else vectors[some]

    def join(self, encodings: Sequence[Matrix]) -> Matrix:  # (..., vlad.dim) each -> (..., dim)
        """The encodings of every look as one vector."""
        scaled = [share * part for share, part in zip(self._shares, encodings, strict=True)]
        return unit_rows(np.concatenate(scaled, axis=-1))

    @property
    def _shares(self) -> tuple[float, ...]:
        return tuple(math.sqrt(vlad.dim / self.dim) for vlad in self.vlads)

    def __call__(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (dim,)
        """The vector of a page with 0 for ink; zeros where there is no keypoint."""
        return self.encode(self.look(pixels))

    def with_halves(self, pixels: NDArray[np.uint8]) -> Matrix:  # (height, width) -> (3, dim)
        """The vectors of a page, of its upper half and of its lower half; zeros for empty ones.

        A half is half of the keypoints of every look, from top to bottom. Local descriptors are
        made and assigned to words once, and only their residuals are pooled for each.
        """
        return self.encode_halves(self.look(pixels))

    def encode_halves(self, local: Sequence[NDArray[np.floating]]) -> Matrix:  # -> (3, dim)
        """The same from the local descriptors of every look."""
        looks = zip(self.vlads, local, strict=True)
        return self.join(
            [vlad.encode_bands(np.asarray(part, np.float32), 2) for vlad, part in looks]
        )

    def contributions(
        self, pixels: NDArray[np.uint8], whitening: SoftWhitening | None
    ) -> Contributions:
        """The shares of all keypoints in the vector of a page, whitened if there is a whitening."""
        found = [sift.detect(pixels) for sift in self.sifts]
        local = [s.describe(pixels, points) for s, points in zip(self.sifts, found, strict=True)]
        vector, scale = finish_encoding(self.encode(local), whitening)
        # Of a page on which one look finds nothing the others have more than their shares.
        some = [share for share, part in zip(self._shares, local, strict=True) if len(part)]
        scale /= math.hypot(*some) or 1
        parts, start = [], 0
        for vlad, sift, points, one, share in zip(
            self.vlads, self.sifts, found, local, self._shares, strict=True
        ):
            block = vector[start : start + vlad.dim]
            part = vlad_contributions(vlad, one, points.positions, sift.side, block, scale * share)
            parts.append(part.placed(start, 1.0))
            start += vlad.dim
        return joined(parts)


@dataclass(frozen=True, eq=False)
class ClassicalDescriber:
    """A describer without learning by gradient; see :class:`dgmp.describers.Describer`."""

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

    @property
    def calibration(self) -> None:
        """It has none of its own; several fused ones have one together."""

    def describe_page(self, image: PageImage) -> Matrix:  # (dim,)
        """The vector of a page; an ImageError where it has nothing to describe."""
        return self.describe_features(page_features(self.features, image))

    def describe_halves(self, image: PageImage) -> Matrix:  # (3, dim)
        """The vectors of a page, of its upper and of its lower half; zeros for an empty half.

        An ImageError where the page has nothing to describe.
        """
        with_halves = getattr(self.features, "with_halves", None)
        if with_halves is None:
            parts = (image.pixels, *np.split(image.pixels, [ink_middle(image.pixels)]))
            found = np.stack([self.features(np.ascontiguousarray(part)) for part in parts])
        else:
            found = with_halves(image.pixels)
        if not found[0].any():
            raise ImageError(image.page.id, TOO_LITTLE)
        return np.where(found.any(axis=1, keepdims=True), self.describe_features(found), 0)

    def contributions(self, image: PageImage) -> Contributions | None:
        """The shares of its keypoints in the vector of a page.

        None where vectors are no sum over keypoints: without VLAD, or with a last step that does
        not keep its entries. An ImageError where the page has nothing to describe.
        """
        finish = self.finish
        if not isinstance(self.features, RootSiftVlad) or self.sketch is not None:
            return None
        if not (finish is None or isinstance(finish, SoftWhitening)):
            return None
        found = self.features.contributions(image.pixels, finish)
        if not found.words:
            raise ImageError(image.page.id, TOO_LITTLE)
        return found

    def describe_features(self, vectors: Matrix) -> Matrix:  # (..., features.dim) -> (..., dim)
        """The steps after the features, which work on many pages at once."""
        if self.sketch is not None:
            vectors = unit_rows(self.sketch(vectors))
        return vectors if self.finish is None else self.finish(vectors)


def page_features(features: PageFeatures, image: PageImage) -> Matrix:
    """The features of a page, or an ImageError where it has none."""
    vector = features(image.pixels)
    if not vector.any():
        raise ImageError(image.page.id, TOO_LITTLE)
    return vector


def fit_features(
    features: PageFeatures, images: Iterable[PageImage], progress: PageProgress | None = None
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
    looks: Sequence[Look] | None = None,
    *,
    seed: int = 0,
    bands: int = 0,
    progress: PageProgress | None = None,
) -> tuple[RootSiftVlad, Matrix]:  # (pages and their bands, dim)
    """Learn vocabularies from pages; also gives the encodings of these pages and their bands.

    Pages are read once. Their local descriptors are kept in half precision until the end, up to
    four megabytes for a full page.
    """
    looks = three_looks() if looks is None else looks
    local = []
    for image in images:
        found = look_at(image.pixels, looks)
        if any(map(len, found)):
            local.append(found)
        if progress is not None:
            progress(1)
    return fit_looks(local, looks, seed=seed, bands=bands)


def look_at(
    pixels: NDArray[np.uint8], looks: Sequence[Look]
) -> tuple[NDArray[np.float16], ...]:  # (keypoints, 128) each
    """The local descriptors of a page by every look, as they are kept while something is fitted."""
    return tuple(look.sift(pixels).astype(np.float16) for look in looks)


def fit_looks(
    pages: Sequence[Sequence[NDArray[np.floating]]],  # of each page, by each look
    looks: Sequence[Look],
    *,
    seed: int = 0,
    bands: int = 0,
) -> tuple[RootSiftVlad, Matrix]:  # (pages and their bands, dim)
    """The same from local descriptors that exist; pages and bands without any are left out."""
    if len(pages) < 2:
        raise CorpusError(f"fitting needs at least two pages with writing, got {len(pages)}")
    for number, look in enumerate(looks):
        found = sum(len(page[number]) for page in pages)
        if found < look.vlad.words:
            raise CorpusError(
                f"the writing on {len(pages)} pages gives {found} keypoints ({look.sift.points}), "
                f"a vocabulary needs {look.vlad.words}: give more pages"
            )
    vlads = tuple(
        fit_pages_vlad([page[number] for page in pages], look.vlad, seed=seed)
        for number, look in enumerate(looks)
    )
    features = RootSiftVlad(tuple(look.sift for look in looks), vlads)
    return features, features.encode_pages(pages, bands)
