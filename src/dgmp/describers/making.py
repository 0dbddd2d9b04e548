"""How the default describer is made from pages by known writers.

Two parts see different things of a hand: RootSIFT with VLAD the shapes of strokes, SRS-LBP the
texture of ink. Both are projected to the directions in which pages and bands of pages differ, at
the scales of soft whitening. A few hundred pages show few of the directions in which strokes may
differ; the same pages slanted and stretched, as if by other hands, show more.

Pages that a describer was fitted on lie further apart than any others, and must not calibrate it.
So the writers are dealt into folds, the describer is fitted anew without each, and that fold is
described; the describer itself is then fitted on all pages. Two folds, so that the collections to
calibrate on are large: on small ones the best threshold leaves hands of a larger one in two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classical import (
    ClassicalDescriber,
    HardWhitening,
    Look,
    RoundedMatrix,
    RoundedProjection,
    Sketch,
    SrsLbp,
    VladConfig,
    fit_looks,
    fit_soft_projection,
    look_at,
    three_looks,
    unit_rows,
)
from ..errors import CorpusError, ImageError
from ..hands import fit_calibration
from ..pixels import PageImage, Preparation
from ..records import Descriptors, Matrix, Page
from .fused import FusedDescriber
from .virtual import VIRTUAL_HANDS, VirtualHand

Local = tuple[NDArray[np.float16], ...]  # (positions, 128), by each look


@dataclass(frozen=True)
class FusedRecipe:
    """Sizes and weights, chosen on training writers: benchmarks/results/default.md."""

    looks: tuple[Look, ...] = three_looks(VladConfig(words=64, sample=50_000), (1, 1, 1))
    sketch: int = 8192  # entries that encodings are sketched to before they are projected
    hands: tuple[VirtualHand, ...] = VIRTUAL_HANDS
    hand_weight: float = 0.1  # of a page by a virtual hand against a true one
    strokes: int = 1728  # entries of the first part, at most
    texture: int = 320  # entries of the second part, at most
    weight: float = 0.9  # of the first part's cosine
    levels: int = 31  # of the entries of rounded matrices
    bands: int = 6  # parts of a page that both are fitted on as well
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Seen:
    """What is kept of a page while a describer is made."""

    page: Page
    local: Local
    virtual: tuple[Local, ...]  # of the page as each virtual hand would have written it
    texture: Matrix  # (1 + bands, dim): of the page, then of its bands


@dataclass(frozen=True)
class See:
    """Called with a prepared page, in a worker process if need be, it gives what is kept of it."""

    recipe: FusedRecipe

    def __call__(self, image: PageImage) -> Seen:
        """Local descriptors and texture; an ImageError where there is no writing."""
        local = look_at(image.pixels, self.recipe.looks)
        if not any(map(len, local)):
            raise ImageError(image.page.id, "too little ink: nothing on it can be described")
        parts = [image.pixels, *np.array_split(image.pixels, self.recipe.bands)]
        texture = [SrsLbp()(np.ascontiguousarray(part)) for part in parts]
        virtual = [look_at(hand(image.pixels), self.recipe.looks) for hand in self.recipe.hands]
        return Seen(image.page, local, tuple(virtual), np.stack(texture))


def make_fused(
    seen: Sequence[Seen],
    recipe: FusedRecipe | None = None,
    *,
    preparation: Preparation | None = None,
) -> FusedDescriber:
    """Fit both parts on pages, whose writers it does not ask for; not calibrated."""
    recipe, preparation = recipe or FusedRecipe(), preparation or Preparation()
    local = [page.local for page in seen]
    features, vectors = fit_looks(local, recipe.looks, seed=recipe.seed, bands=recipe.bands)
    sketch = Sketch(features.dim, min(recipe.sketch, features.dim), recipe.seed)
    virtual = [
        math.sqrt(recipe.hand_weight)
        * unit_rows(sketch(features.encode_pages(pages, recipe.bands)))
        for pages in zip(*(page.virtual for page in seen), strict=True)
    ]
    strokes = fit_soft_projection(
        unit_rows(sketch(vectors)),
        recipe.strokes,
        also=np.concatenate(virtual) if virtual else None,
    )
    texture = np.concatenate([page.texture for page in seen])
    patterns = fit_soft_projection(texture[texture.any(axis=1)], recipe.texture)
    return FusedDescriber(
        (
            ClassicalDescriber(
                "strokes", features, sketch, _rounded(strokes, recipe.levels), preparation
            ),
            ClassicalDescriber(
                "texture", SrsLbp(), None, _rounded(patterns, recipe.levels), preparation
            ),
        ),
        (recipe.weight, 1 - recipe.weight),
    )


def _rounded(short: HardWhitening, levels: int) -> RoundedProjection:
    return RoundedProjection(short.mean, RoundedMatrix.of(short.projection, levels))


def describe_seen(describer: FusedDescriber, seen: Sequence[Seen]) -> Matrix:  # (pages, dim)
    """The vectors of pages that were looked at already; but for half precision as described."""
    strokes, texture = describer.parts
    features: Any = strokes.features
    encoded = np.stack([features.encode(page.local) for page in seen])
    patterns = np.stack([page.texture[0] for page in seen])
    return describer.fuse([strokes.describe_features(encoded), texture.describe_features(patterns)])


def _same_width(folds: Sequence[Matrix]) -> Matrix:
    """The vectors of all folds; where few pages gave a fold fewer directions, zeros fill them up.

    Pages of different folds are not compared.
    """
    width = max(vectors.shape[1] for vectors in folds)
    filled = [np.pad(vectors, ((0, 0), (0, width - vectors.shape[1]))) for vectors in folds]
    return np.concatenate(filled)


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
    calibration = fit_calibration(
        Descriptors(tuple(page.page.id for page in ordered), _same_width(vectors), {}),
        [page.page.writer for page in ordered],
        [page.page.scan for page in ordered],
        folds=[fold_of[str(page.page.writer)] for page in ordered],
    )
    return replace(found, calibration=calibration)
