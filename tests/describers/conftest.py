"""A small fused describer and the pages it was made of."""

import numpy as np
import pytest

from dgmp.classical import ClassicalDescriber, VladConfig, three_looks
from dgmp.describers import FusedDescriber, FusedRecipe, See, make_fused

from .small_pages import page_by


@pytest.fixture(scope="session")
def recipe():
    """A recipe whose fitting takes a moment."""
    return FusedRecipe(
        looks=three_looks(VladConfig(dim=8, words=4, sample=2000), (1, 1, 1)),
        mirrors=("across",),
        rank=20,
        weight=0.7,
        bands=3,
        patch=100,
        collections=20,
    )


@pytest.fixture(scope="session")
def images():
    """Three pages by each of six writers."""
    return [page_by(writer, number) for writer in range(6) for number in range(3)]


@pytest.fixture(scope="session")
def seen(images, recipe):
    return [See(recipe)(image) for image in images]


@pytest.fixture(scope="session")
def fused(seen, recipe):
    return make_fused(seen, recipe)


class Tall:
    """Features that see something only on pages of 100 rows or more."""

    dim = 2

    def __call__(self, pixels):
        return np.array([1, 0] if len(pixels) >= 100 else [0, 0], np.float32)


class Anything(Tall):
    """Features that see something on every page."""

    def __call__(self, pixels):
        return np.array([0, 1], np.float32)


@pytest.fixture(scope="session")
def needs_a_page():
    """A describer with a part that can describe whole pages, but not their halves."""
    parts = ClassicalDescriber("tall", Tall()), ClassicalDescriber("anything", Anything())
    return FusedDescriber(parts, (0.5, 0.5))
