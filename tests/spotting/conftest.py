"""A few synthetic pages with known words, and a small model."""

import pytest
from page_files import shared_data  # noqa: F401

from dgmp.spotting import WordModel, WordRecipe, WordSpec, open_words
from dgmp.synthetic import synthesize_words


def small_recipe(**changes):
    spec = WordSpec(network="word-resnet-tiny", pooling="max")
    values = {"epochs": 2, "epoch_steps": 3, "batch": 4, "decay_from": 1, "warmup_steps": 2}
    return WordRecipe(**({"model": spec} | values | changes))


@pytest.fixture(scope="session")
def word_folder(tmp_path_factory):
    """Two pages by two writers."""
    folder = tmp_path_factory.mktemp("words") / "synthetic"
    synthesize_words(folder, writers=2, pages=1, seed=3)
    return folder


@pytest.fixture(scope="session")
def words(word_folder):
    return open_words(word_folder)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A small network with random weights, stored and read."""
    import torch

    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    spec = WordSpec(network="word-resnet-tiny", pooling="tpp-gmp")
    WordModel(spec.build().eval(), spec).save(folder)
    return WordModel.load(folder)
