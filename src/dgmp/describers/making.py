"""How the default describer is made from pages by known writers.

Two parts see different things of a hand: RootSIFT with VLAD the shapes of strokes, SRS-LBP the
texture of ink. Both keep all entries and are softly whitened, by how pages, bands of pages and the
same in mirrors differ. Texture counts the less the more of a hand the strokes show.

Pages that a describer was fitted on lie further apart than any others, and must not calibrate it.
So the pages come in folds, the describer is fitted anew without each, and that fold is described;
the describer itself is then fitted on all pages. A fold is best a source of its own, another kind
of writing: what is learned there holds on the pages of others. Whole pages and patches of them
calibrate alike, so that also the amount of writing varies.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import (
    MIRRORS,
    ClassicalDescriber,
    Look,
    RootSiftVlad,
    SoftWhitening,
    SrsLbp,
    fit_looks,
    fit_soft_whitening,
    look_at,
    mirrored_descriptors,
    mirrored_texture,
    three_looks,
)
from ..errors import CorpusError, ImageError
from ..hands import fit_calibration
from ..pixels import PageImage, Preparation, centre_patch
from ..records import Descriptors, Matrix, Page
from .fused import FusedDescriber

Local = tuple[NDArray[np.float16], ...]  # (positions, 128), by each look


@dataclass(frozen=True)
class FusedRecipe:
    """Sizes and weights, chosen on training writers: benchmarks/results/default.md."""

    looks: tuple[Look, ...] = three_looks()
    mirrors: tuple[str, ...] = MIRRORS
    rank: int = 256  # directions that are quietened, of each part
    weight: float = 0.8  # of the first part's cosine where it sees little of a hand
    halved_at: float = 0.15  # cosine of halves in the first part: see fused.py
    bands: int = 6  # parts of a page that the first part is fitted on as well
    patch: int = 256  # pixels: the patches that calibrate
    collections: int = 2000  # drawn to calibrate: of 200 the threshold depends on the drawing
    seed: int = 0


@dataclass(frozen=True, eq=False)
class View:
    """What is kept of a page, or of the patch in its middle."""

    local: Local
    texture: Matrix  # (3, dim): of all of it, of its upper and its lower half


@dataclass(frozen=True, eq=False)
class Seen:
    """What is kept of a page while a describer is made."""

    page: Page
    views: tuple[View, View]  # the page, the patch


@dataclass(frozen=True)
class See:
    """Called with a prepared page, in a worker process if need be, it gives what is kept of it."""

    recipe: FusedRecipe

    def __call__(self, image: PageImage) -> Seen:
        """Local descriptors and texture; an ImageError where there is no writing."""
        whole, patch = (
            View(look_at(part.pixels, self.recipe.looks), SrsLbp().with_halves(part.pixels))
            for part in (image, centre_patch(image, self.recipe.patch))
        )
        if not any(map(len, whole.local)):
            raise ImageError(image.page.id, "too little ink: nothing on it can be described")
        return Seen(image.page, (whole, patch))


def make_fused(
    seen: Sequence[Seen],
    recipe: FusedRecipe | None = None,
    *,
    preparation: Preparation | None = None,
) -> FusedDescriber:
    """Fit both parts on pages, whose writers it does not ask for; not calibrated."""
    recipe, preparation = recipe or FusedRecipe(), preparation or Preparation()
    local = [page.views[0].local for page in seen]
    features, vectors = fit_looks(local, recipe.looks, seed=recipe.seed, bands=recipe.bands)
    mirrored = [
        features.encode_pages(
            [tuple(mirrored_descriptors(part, mirror) for part in page) for page in local], 2
        )
        for mirror in recipe.mirrors
    ]
    texture = np.concatenate([page.views[0].texture for page in seen])
    texture = texture[texture.any(axis=1)]
    patterns = [texture, *(mirrored_texture(texture, mirror) for mirror in recipe.mirrors)]
    strokes = _whitening(np.concatenate([vectors, *mirrored]), recipe.rank)
    ink = _whitening(np.concatenate(patterns), recipe.rank)
    return FusedDescriber(
        (
            ClassicalDescriber("strokes", features, None, strokes, preparation),
            ClassicalDescriber("texture", SrsLbp(), None, ink, preparation),
        ),
        (recipe.weight, 1 - recipe.weight),
        halved_at=recipe.halved_at,
    )


def _whitening(vectors: Matrix, rank: int) -> SoftWhitening:
    """Its directions in half precision, which packs into half the space."""
    found = fit_soft_whitening(vectors, rank=rank)
    return replace(found, directions=found.directions.astype(np.float16))


def describe_views(
    describer: FusedDescriber, views: Sequence[View]
) -> tuple[Matrix, NDArray[np.float32]]:  # (views, dim), (views,)
    """The vectors of what was looked at already, and the cosines of halves."""
    strokes, texture = describer.parts
    features = strokes.features
    assert isinstance(features, RootSiftVlad)
    vectors, halves = [], []
    for view in views:
        encoded = features.encode_halves(view.local)  # (3, …)
        parts = [
            np.where(found.any(axis=1, keepdims=True), part.describe_features(found), np.float32(0))
            for part, found in ((strokes, encoded), (texture, view.texture))
        ]
        page, upper, lower = describer.fuse(parts, describer.weigh(parts[0]))
        some = encoded[1:].any(axis=1).all() and view.texture[1:].any(axis=1).all()
        vectors.append(page)
        halves.append(upper @ lower if some else np.nan)
    return np.stack(vectors), np.array(halves, np.float32)


def make_default(
    seen: Sequence[Seen],
    recipe: FusedRecipe | None = None,
    *,
    folds: Sequence[Hashable],
    preparation: Preparation | None = None,
) -> FusedDescriber:
    """The describer fitted on all pages, calibrated by describers that have not seen some of them.

    ``folds`` has that of each page, such as its source.
    """
    recipe = recipe or FusedRecipe()
    if len(folds) != len(seen):
        raise ValueError(f"{len(seen)} pages, but {len(folds)} folds")
    unknown = [page.page.id for page in seen if page.page.writer is None]
    if unknown:
        raise CorpusError(f"calibration needs the writer of every page, {unknown[0]!r} has none")
    found = make_fused(seen, recipe, preparation=preparation)
    described = []
    for fold in dict.fromkeys(folds):
        inside = [page for page, name in zip(seen, folds, strict=True) if name == fold]
        outside = [page for page, name in zip(seen, folds, strict=True) if name != fold]
        without = make_fused(outside, recipe, preparation=preparation)
        described.append(_Fold(fold, inside, without))
    return replace(found, calibration=_calibrated(described, recipe.collections))


@dataclass(frozen=True, eq=False)
class _Fold:
    name: Hashable
    pages: Sequence[Seen]
    describer: FusedDescriber


def _calibrated(described: Sequence[_Fold], collections: int) -> Any:
    ids: list[str] = []
    vectors, halves = [], []
    writers: list[Hashable] = []
    scans: list[Hashable] = []
    folds: list[Hashable] = []
    for fold in described:
        for number in range(2):  # the pages, then the patches
            written = [page for page in fold.pages if _is_written(page.views[number])]
            if not written:
                continue
            found, cosines = describe_views(
                fold.describer, [page.views[number] for page in written]
            )
            vectors.append(found)
            halves.append(cosines)
            for page in written:
                ids.append(f"{fold.name} {number} {page.page.id}")
                writers.append((number, page.page.writer))
                scans.append(page.page.scan)
                folds.append((fold.name, number))
    descriptors = Descriptors(tuple(ids), np.concatenate(vectors), {}, None, np.concatenate(halves))
    return fit_calibration(descriptors, writers, scans, folds=folds, collections=collections)


def _is_written(view: View) -> bool:
    """Whether there is anything to describe; a patch in the middle of a page may be blank."""
    return any(map(len, view.local)) and bool(view.texture[0].any())
