"""A corpus of a few synthetic writers, and a recipe of a few steps."""

from dataclasses import replace

import pytest

from dgmp.corpora import open_corpus
from dgmp.synthetic import synthesize
from dgmp.training import RECIPES

SMALL = [
    "epochs=2",
    "epoch_steps=3",
    "decay_from=1",
    "batch=8",
    "classes_per_batch=4",
    "validation=0.34",
    "validate_every=1",
    "input.side=32",
    "input.stride=256",
]


@pytest.fixture(scope="session")
def hands(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hands")
    synthesize(folder / "six", writers=6, pages=2, seed=3)
    return open_corpus(folder / "six")


@pytest.fixture
def recipe():
    return small_recipe()


def small_recipe():
    """Two epochs of three steps."""
    small = RECIPES["writer-small"]
    looks_at = replace(small.input, side=32, stride=256)
    return replace(
        small,
        input=looks_at,
        epochs=2,
        epoch_steps=3,
        decay_from=1,
        warmup_steps=0,
        batch=8,
        classes_per_batch=4,
        validation=0.34,
        validate_every=1,
    )
