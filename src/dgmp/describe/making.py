"""How the default describer is made from pages by known writers.

Two parts see different things of a hand: RootSIFT with VLAD the shapes of strokes, SRS-LBP the
texture of ink. Both are whitened softly, fitted on pages and bands of pages, and shortened: the
first by a sketch of what the whitening leaves alone, the second by a projection.

Pages that a describer was fitted on lie further apart than any others, and must not calibrate it.
So the writers are dealt into folds, the describer is fitted anew without each, and that fold is
described; the describer itself is then fitted on all pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import (
    ClassicalDescriber,
    RootSiftVlad,
    RoundedMatrix,
    RoundedProjection,
    Sift,
    SketchedWhitening,
    SrsLbp,
    VladConfig,
    fit_pages_vlad,
    fit_soft_projection,
    fit_soft_whitening,
)
from ..classical.whitening import Matrix
from ..corpora import PageImage, Preparation
from ..errors import CorpusError, ImageError
from ..records import Descriptors, Page
from .calibrating import calibrate
from .fused import FusedDescriber


@dataclass(frozen=True)
class FusedRecipe:
    """Sizes and weights, chosen by cross-validation over training writers: docs/default.md."""

    vlad: VladConfig = field(default_factory=lambda: VladConfig(vocabularies=3, sample=50_000))
    rank: int = 256  # directions that the encodings are whitened along
    strokes: int = 1728  # entries of the first part
    texture: int = 320  # entries of the second part
    weight: float = 0.8  # of the first part's cosine
    levels: int = 31  # of the entries of rounded matrices
    bands: int = 6  # parts of a page that both are fitted on as well
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Seen:
    """What is kept of a page while a describer is made."""

    page: Page
    local: NDArray[np.float16]  # (positions, 128)
    texture: Matrix  # (1 + bands, dim): of the page, then of its bands


@dataclass(frozen=True)
class Look:
    """Called with a prepared page, in a worker process if need be, it gives what is kept of it."""

    bands: int

    def __call__(self, image: PageImage) -> Seen:
        """Local descriptors and texture; an ImageError where there is no writing."""
        local = Sift()(image.pixels)
        if not len(local):
            raise ImageError(image.page.id, "too little ink: nothing on it can be described")
        parts = [image.pixels, *np.array_split(image.pixels, self.bands)]
        texture = [SrsLbp()(np.ascontiguousarray(part)) for part in parts]
        return Seen(image.page, local.astype(np.float16), np.stack(texture))


def make_fused(
    seen: Sequence[Seen],
    recipe: FusedRecipe | None = None,
    *,
    preparation: Preparation | None = None,
) -> FusedDescriber:
    """Fit both parts on pages, whose writers it does not ask for; not calibrated."""
    recipe, preparation = recipe or FusedRecipe(), preparation or Preparation()
    if len(seen) < 2:
        raise CorpusError(f"fitting needs at least two pages with writing, got {len(seen)}")
    local = [page.local for page in seen]
    vlad, vectors = fit_pages_vlad(local, recipe.vlad, seed=recipe.seed, bands=recipe.bands)
    soft = fit_soft_whitening(vectors, rank=recipe.rank)
    strokes = SketchedWhitening.of(soft, recipe.strokes, seed=recipe.seed, levels=recipe.levels)
    texture = np.concatenate([page.texture for page in seen])
    texture = texture[texture.any(axis=1)]  # a band may be empty
    short = fit_soft_projection(texture, recipe.texture)
    patterns = RoundedProjection(short.mean, RoundedMatrix.of(short.projection, recipe.levels))
    features = RootSiftVlad(Sift(), vlad)
    return FusedDescriber(
        (
            ClassicalDescriber("strokes", features, None, strokes, preparation),
            ClassicalDescriber("texture", SrsLbp(), None, patterns, preparation),
        ),
        (recipe.weight, 1 - recipe.weight),
    )


def describe_seen(describer: FusedDescriber, seen: Sequence[Seen]) -> Matrix:  # (pages, dim)
    """The vectors of pages that were looked at already: the same as those of ``describe_page``."""
    strokes, texture = describer.parts
    features: Any = strokes.features
    encoded = np.stack([features.vlad.encode(page.local.astype(np.float32)) for page in seen])
    patterns = np.stack([page.texture[0] for page in seen])
    return describer.fuse([strokes.describe_features(encoded), texture.describe_features(patterns)])


def make_default(
    seen: Sequence[Seen],
    recipe: FusedRecipe | None = None,
    *,
    preparation: Preparation | None = None,
    folds: int = 2,
) -> FusedDescriber:
    """The describer fitted on all pages, calibrated by pages it was not fitted on."""
    recipe = recipe or FusedRecipe()
    unknown = [page.page.id for page in seen if page.page.writer is None]
    if unknown:
        raise CorpusError(f"calibration needs the writer of every page, {unknown[0]!r} has none")
    writers = sorted({str(page.page.writer) for page in seen})
    np.random.default_rng(recipe.seed).shuffle(writers)
    fold_of = {writer: number % folds for number, writer in enumerate(writers)}
    ordered: list[Seen] = []
    vectors = []
    for fold in range(folds):
        inside = [page for page in seen if fold_of[str(page.page.writer)] == fold]
        outside = [page for page in seen if fold_of[str(page.page.writer)] != fold]
        ordered += inside
        vectors.append(describe_seen(make_fused(outside, recipe, preparation=preparation), inside))
    found = make_fused(seen, recipe, preparation=preparation)
    calibration = calibrate(
        Descriptors(tuple(page.page.id for page in ordered), np.concatenate(vectors), {}),
        [page.page for page in ordered],
        [fold_of[str(page.page.writer)] for page in ordered],
    )
    return replace(found, calibration=calibration.to_json())
