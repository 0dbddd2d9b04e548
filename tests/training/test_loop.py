"""A training from its corpus to its model; interrupted, it gives the same numbers."""

import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

from dgmp.corpora import open_corpus, read_split
from dgmp.describe.learned import LearnedDescriber
from dgmp.errors import CorpusError, DgmpError
from dgmp.models import load_model
from dgmp.training import Run, choose_pages, train

TIMES = ("seconds", "waiting_for_data", "squares_per_second")


def numbers(run):
    return [{k: v for k, v in epoch.items() if k not in TIMES} for epoch in run.metrics()]


@pytest.fixture(scope="module")
def finished(hands, tmp_path_factory):
    from .conftest import recipe

    folder = tmp_path_factory.mktemp("finished") / "run"
    return train(recipe.__wrapped__(), hands, folder, seed=4, device="cpu")


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
    sides = [page.split for page in read_split(finished.folder / "split.csv", hands.pages)]
    assert (sides.count("val"), sides.count("train")) == (4, 8)
    assert [epoch["epoch"] for epoch in finished.metrics()] == [0, 1]
    best = max(epoch["validation"] for epoch in finished.metrics())
    assert load_model(finished.folder).made["validation"] == best == finished.load_state().best


def test_the_best_model_describes_pages(finished, hands):
    describer = LearnedDescriber(load_model(finished.folder))
    from dgmp.corpora import prepare_page

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


def test_a_failed_save_leaves_the_checkpoint_readable(finished, monkeypatch):
    state = finished.load_state()

    def full_disk(what, path):
        path.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full_disk)
    with pytest.raises(DgmpError, match=r"checkpoint.pt: cannot be written: No space left"):
        finished.save_state(state)
    assert finished.load_state().total_steps == state.total_steps


def test_scripts_are_learned_by_the_same_loop(tmp_path, recipe):
    from dgmp.corpora.synthetic import CorpusPlan, write_corpus

    write_corpus(tmp_path / "scripts", CorpusPlan(24, 1, seed=2, scripts=True))
    corpus = open_corpus(tmp_path / "scripts")
    script = replace(recipe, task="script", validation=0.5, epochs=1)
    run = train(script, corpus, tmp_path / "run", device="cpu")
    model = load_model(run.folder)
    assert len(model.classes) == 12
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
    with pytest.raises(DgmpError, match=r"another run .seed: 4 there, 5 now"):
        train(recipe, hands, finished.folder, seed=5, device="cpu")


def test_a_folder_with_other_files_is_refused(recipe, hands, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(DgmpError, match="not empty and no run"):
        train(recipe, hands, tmp_path, device="cpu")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot be read; delete it"),
        (None, "has format version 99, this dgmp reads 1"),
    ],
)
def test_a_broken_or_foreign_checkpoint_is_said(tmp_path, content, words):
    path = tmp_path / "checkpoint.pt"
    if content is None:
        torch.save({"format": "dgmp-train-state", "version": 99}, path)
    else:
        path.write_bytes(content)
    with pytest.raises(DgmpError, match=words):
        Run(tmp_path).load_state()


def test_a_line_of_metrics_that_was_cut_short_is_passed_over(tmp_path):
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"epoch": 0}) + '\n{"epo')
    assert Run(tmp_path).metrics() == [{"epoch": 0}]


def test_test_pages_are_left_alone(hands, recipe):
    sides = ["train"] * 8 + ["test"] * 4
    pages = tuple(replace(p, split=s) for p, s in zip(hands.pages, sides, strict=True))
    chosen = choose_pages(replace(hands, pages=pages), replace(recipe, validation=0.5), seed=0)
    assert {page.id for page in chosen} == {page.id for page in pages[:8]}
    assert {page.split for page in chosen} == {"train", "val"}


def test_own_validation_pages_are_used(hands, recipe):
    sides = ["train"] * 6 + ["val"] * 4 + ["test"] * 2
    pages = tuple(replace(p, split=s) for p, s in zip(hands.pages, sides, strict=True))
    chosen = choose_pages(replace(hands, pages=pages), recipe, seed=0)
    assert [page.split for page in chosen] == sides[:10]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"writer": None}, "none has a writer"),
        ({"split": "test"}, "none is in split train"),
        ({"writer": "one"}, "at least two writers"),
    ],
)
def test_a_corpus_that_cannot_be_learned_from_is_said(hands, recipe, change, words):
    pages = tuple(replace(page, **change) for page in hands.pages)
    with pytest.raises(CorpusError, match=words):
        choose_pages(replace(hands, pages=pages), replace(recipe, validation=0), seed=0)


def test_validation_that_could_measure_nothing_is_said(hands, recipe):
    with pytest.raises(CorpusError, match="at least two writers are needed, one of them with two"):
        choose_pages(hands, replace(recipe, validation=1), seed=0)
    with pytest.raises(CorpusError, match="hold fewer out"):
        choose_pages(hands, replace(recipe, validation=40), seed=0)
