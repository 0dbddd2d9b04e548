"""A training from its corpus to its model; interrupted, it gives the same numbers."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

from dgmp.corpora import apply_split
from dgmp.describers import LearnedDescriber
from dgmp.errors import DgmpError
from dgmp.models import fit_standardization, fit_zca, load_model
from dgmp.pixels import prepare_page
from dgmp.training import train
from dgmp.training.loop import _standardized

from .conftest import small_recipe

TIMES = ("seconds", "waiting_for_data", "patches_per_second")


def numbers(run):
    return [{k: v for k, v in epoch.items() if k not in TIMES} for epoch in run.metrics()]


@pytest.fixture(scope="module")
def finished(hands, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "run"
    return train(small_recipe(), hands, folder, seed=4, device="cpu")


def test_a_run_folder_holds_all_that_a_run_was(finished, recipe, hands):
    files = {file.name for file in finished.folder.iterdir()}
    assert files == {
        *("run.json", "split.csv", "metrics.jsonl", "checkpoint.pt"),
        *("model.json", "model.safetensors", "curves.png", "pages"),
    }
    about = finished.read()
    assert about["seed"] == 4
    assert about["versions"]["torch"] == torch.__version__
    assert finished.recipe == recipe
    splits = [page.split for page in apply_split(finished.folder / "split.csv", hands.pages)]
    assert (splits.count("val"), splits.count("train")) == (4, 8)
    assert [epoch["epoch"] for epoch in finished.metrics()] == [0, 1]
    best = max(epoch["validation"] for epoch in finished.metrics())
    assert load_model(finished.folder).made["validation"] == best == finished.load_state().best


def test_the_best_model_describes_pages(finished, hands):
    describer = LearnedDescriber(load_model(finished.folder))
    vector = describer.describe_page(prepare_page(hands.pages[0], describer.preparation))
    assert vector.shape == (describer.dim,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("stop_after", [1, 3, 4])
def test_an_interrupted_run_goes_on_with_the_same_numbers(
    finished, recipe, hands, tmp_path, stop_after
):
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == stop_after:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(DgmpError, match="the same command goes on there"):
        train(recipe, hands, tmp_path / "run", seed=4, device="cpu", watch=interrupt)
    resumed = train(recipe, hands, tmp_path / "run", seed=4, device="cpu")
    assert numbers(resumed) == numbers(finished)
    here = torch.load(resumed.folder / "checkpoint.pt", weights_only=True)["network"]
    there = torch.load(finished.folder / "checkpoint.pt", weights_only=True)["network"]
    assert all((here[name] == there[name]).all() for name in there)


def test_a_finished_run_is_not_trained_again(finished, recipe, hands):
    before = (finished.folder / "checkpoint.pt").stat().st_mtime_ns
    train(recipe, hands, finished.folder, seed=4, device="cpu")
    assert (finished.folder / "checkpoint.pt").stat().st_mtime_ns == before


def test_workers_change_nothing(finished, recipe, hands, tmp_path):
    run = train(recipe, hands, tmp_path / "run", seed=4, device="cpu", workers=1)
    assert numbers(run) == numbers(finished)


def test_scripts_are_learned_by_the_same_loop(hands, tmp_path, recipe):
    scripts = [f"script {int(page.writer[1:]) % 3}" for page in hands]
    pages = tuple(replace(p, script=s, writer=None) for p, s in zip(hands, scripts, strict=True))
    script = replace(recipe, task="script", validation=0.5, epochs=1, classes_per_batch=2)
    run = train(script, replace(hands, pages=pages), tmp_path / "run", device="cpu")
    model = load_model(run.folder)
    assert model.classes == ("script 0", "script 1", "script 2")
    assert 0 <= run.metrics()[0]["validation"] <= 1


def test_weights_of_another_run_are_taken_up(finished, recipe, hands, tmp_path):
    other = replace(recipe, model=replace(recipe.model, pooling="avg", pooling_options={}))
    other = replace(other, epochs=1, learning_rate=1e-12)
    run = train(other, hands, tmp_path / "run", weights=finished.folder, device="cpu")
    here = load_model(run.folder).network.state_dict()
    there = load_model(finished.folder).network.state_dict()
    assert torch.allclose(here["conv1.weight"], there["conv1.weight"])


def test_another_recipe_does_not_go_on_with_the_run(finished, recipe, hands):
    with pytest.raises(DgmpError, match=r"another run .recipe\.epochs: 2 there, 3 now"):
        train(replace(recipe, epochs=3), hands, finished.folder, seed=4, device="cpu")


def test_another_seed_does_not_go_on_with_the_run(finished, recipe, hands):
    with pytest.raises(DgmpError, match=r"another run .seed: 4 there, 5 now"):
        train(recipe, hands, finished.folder, seed=5, device="cpu")


def test_patches_are_whitened_in_training_as_they_are_afterwards():
    patches = np.random.default_rng(0).integers(0, 256, (3, 32, 32)).astype(np.uint8)
    how = fit_zca(patches, fit_standardization(patches), 5)
    trained = _standardized(torch.from_numpy(patches), how)
    np.testing.assert_allclose(trained[:, 0].numpy(), how(patches), atol=1e-4)
