import numpy as np
import pytest
import torch

from dgmp.errors import DgmpError, WeightsError
from dgmp.spotting import WordModel, WordSpec, cut_words
from dgmp.spotting.word_model import stack_words


def test_a_stored_model_describes_as_before(model, words, tmp_path):
    model.save(tmp_path)
    chosen = words.words[:5]
    pictures = cut_words(words, chosen, model.spec)
    again = WordModel.load(tmp_path)
    np.testing.assert_array_equal(again.describe(pictures), model.describe(pictures))
    assert again.digest == model.digest


def test_vectors_are_roots_of_the_probabilities_that_the_network_gives(model, words):
    pictures = cut_words(words, words.words[:5], model.spec)
    with torch.inference_mode():
        chances = model.network(*stack_words([one.word() for one in pictures])).sigmoid()
    np.testing.assert_allclose(model.describe(pictures) ** 2, chances.numpy(), atol=1e-6)


@pytest.mark.parametrize("views", [1, 3])
def test_a_word_is_the_same_in_any_company(model, words, views):
    pictures = cut_words(words, words.words[:9], model.spec)
    together = model.describe(pictures, views=views)
    alone = model.describe(pictures[4:5], views=views)
    np.testing.assert_allclose(alone[0], together[4], atol=1e-6)


def test_more_views_lie_around_the_first(model, words):
    pictures = cut_words(words, words.words[:5], model.spec)
    one, three = (model.describe(pictures, views=views) for views in (1, 3))
    assert 0 < np.abs(one - three).max() < 0.3


def test_weights_of_another_model_are_refused(model, tmp_path):
    model.save(tmp_path)
    text = (tmp_path / "words.json").read_text()
    (tmp_path / "words.json").write_text(text.replace(model.digest, "0" * 64))
    with pytest.raises(WeightsError, match="not the weights"):
        WordModel.load(tmp_path)


def test_a_pooling_without_an_option_says_so():
    with pytest.raises(DgmpError, match="pooling_options"):
        WordSpec(network="word-resnet-tiny", pooling="max", pooling_options={"ridge": 1}).build()
