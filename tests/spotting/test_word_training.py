"""A training on words; interrupted, it gives the same numbers."""

from dataclasses import replace

import pytest
import torch

from dgmp.errors import DgmpError
from dgmp.spotting import Embedding, WordModel, train_words, word_training
from dgmp.spotting.word_training import cosine_distance, cross_entropy, hold_out

from .conftest import small_recipe


def weights(run):
    return WordModel.load(run.folder).network.state_dict()


@pytest.fixture(scope="module")
def finished(words, tmp_path_factory):
    return train_words(small_recipe(), words, tmp_path_factory.mktemp("run") / "a", seed=1)


def test_a_run_ends_with_a_model(finished):
    assert WordModel.load(finished.folder).spec == small_recipe().model
    assert [entry["epoch"] for entry in finished.metrics()] == [0, 1]


def test_a_run_that_was_stopped_goes_on_with_the_same_numbers(
    finished, words, tmp_path, monkeypatch
):
    monkeypatch.setattr(word_training, "CHECKPOINT_SECONDS", -1)  # after every step
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_words(small_recipe(), words, tmp_path / "b", seed=1, watch=stop)
    again = train_words(small_recipe(), words, tmp_path / "b", seed=1)
    one, two = weights(finished), weights(again)
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert again.metrics() == finished.metrics()


def test_a_loss_that_is_no_number_stops_the_training_and_keeps_its_checkpoint(
    words, tmp_path, monkeypatch
):
    recipe = small_recipe(learning_rate=1e30, warmup_steps=0)
    monkeypatch.setattr(word_training, "CHECKPOINT_SECONDS", -1)  # after every step
    with pytest.raises(DgmpError, match=r"the loss is nan.*learning_rate"):
        train_words(recipe, words, tmp_path / "a")
    run = word_training.Run(tmp_path / "a")
    assert run.load_state().step == 1
    assert run.metrics() == []
    assert not (tmp_path / "a" / "words.safetensors").exists()


def test_a_network_that_cannot_be_built_is_refused_before_the_folder_is_taken(words, tmp_path):
    model = replace(small_recipe().model, pooling_options={"ridge": 1})
    with pytest.raises(DgmpError, match=r"pooling_options: .*ridge"):
        train_words(small_recipe(model=model), words, tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_the_folder_of_another_run_is_refused(finished, words):
    with pytest.raises(DgmpError, match="holds another run"):
        train_words(small_recipe(epochs=3), words, finished.folder, seed=1)


def test_pages_that_are_held_out_are_scored_and_not_learned(words, tmp_path):
    learned, held_out = hold_out(words, 0.5, 0)
    assert not {w.page for w in learned} & {w.page for w in held_out}
    run = train_words(small_recipe(validation=0.5, epochs=1), words, tmp_path / "c")
    assert 0 <= run.metrics()[0]["by_string"] <= 1


def test_words_that_keep_their_shape_are_learned_in_padded_batches(words, tmp_path):
    recipe = small_recipe(loss="cosine", epochs=1)
    spec = replace(
        recipe.model,
        look=replace(recipe.model.look, width=None),
        embedding=Embedding(kind="dctow"),
    )
    run = train_words(replace(recipe, model=spec), words, tmp_path / "d")
    assert run.metrics()[0]["loss"] < 2


def test_half_precision_learns_nearly_the_same(words, tmp_path):
    recipe = small_recipe(epochs=1)
    losses = [
        train_words(recipe, words, tmp_path / kind, precision=kind).metrics()[0]["loss"]
        for kind in ("32-true", "bf16-mixed")
    ]
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)
    with pytest.raises(DgmpError, match="precision"):
        train_words(recipe, words, tmp_path / "other", precision="16-mixed")


def test_balance_one_draws_all_texts_alike_and_zero_all_words_alike(words, tmp_path):
    def chances(balance):
        recipe = small_recipe(balance=balance)
        run = word_training.Run(tmp_path / f"e{balance}")
        pictures = [None] * len(words.words)
        training = word_training._Training(recipe, run, 0, False, words.words, pictures, {})
        by_text = {}
        for text, chance in zip(training.texts, training.chances, strict=True):
            by_text[text] = by_text.get(text, 0) + chance
        return training.chances, by_text

    assert chances(0.0)[0] == pytest.approx(1 / len(words.words))
    assert len({round(c, 9) for c in chances(1.0)[1].values()}) == 1


def test_dctow_is_not_learned_with_cross_entropy():
    spec = replace(small_recipe().model, embedding=Embedding(kind="dctow"))
    with pytest.raises(DgmpError, match="loss cosine"):
        small_recipe(loss="bce") and replace(small_recipe(), model=spec)


def test_losses_are_least_at_the_target():
    targets = torch.tensor([[1.0, 0.0, 1.0]])
    logits = 20 * (2 * targets - 1)
    assert cross_entropy(logits, targets) < 1e-6
    assert cosine_distance(3 * targets, targets) < 1e-6


def test_a_run_may_begin_with_the_weights_of_another(finished, words, tmp_path):
    before = WordModel.load(finished.folder)
    recipe = small_recipe(epochs=1, epoch_steps=1, learning_rate=1e-12)
    start = before.weights_for(recipe.model)
    after = weights(train_words(recipe, words, tmp_path / "d", start=start))
    learned = [name for name in after if name.endswith((".weight", ".bias"))]
    assert all(torch.allclose(start[name], after[name], atol=1e-9) for name in learned)


def test_before_another_pooling_a_run_begins_with_the_trunk_alone(finished, words, tmp_path):
    before = WordModel.load(finished.folder)
    model = replace(small_recipe().model, pooling="avg")
    recipe = small_recipe(model=model, epochs=1, epoch_steps=1, learning_rate=1e-12)
    start = before.weights_for(model)
    assert not any(name.startswith(("head.", "pooling.")) for name in start)
    after = weights(train_words(recipe, words, tmp_path / "e", start=start))
    assert torch.allclose(start["conv1.weight"], after["conv1.weight"], atol=1e-9)


def test_weights_of_another_network_are_refused(finished):
    start = WordModel.load(finished.folder)
    with pytest.raises(DgmpError, match="cannot begin with them"):
        start.weights_for(replace(start.spec, network="phocnet"))
