"""A small fused describer and the pages it was made of."""

import pytest

from dgmp.classical import VladConfig, three_looks
from dgmp.describers import FusedRecipe, See, make_fused

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
