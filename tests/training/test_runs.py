"""The folder of a run: whole files, and nobody else's."""

import json
from dataclasses import replace

import pytest
import torch

from dgmp.errors import DgmpError
from dgmp.training import Run, TrainState

DATA = {"pages": 3}


@pytest.fixture
def run(tmp_path, recipe):
    found = Run(tmp_path / "run")
    found.claim(recipe, 4, DATA)
    return found


def test_a_run_remembers_its_recipe(run, recipe):
    assert run.recipe == recipe
    assert run.read()["seed"] == 4


def test_the_same_run_may_be_claimed_again(run, recipe):
    before = run.read()
    Run(run.folder).claim(recipe, 4, DATA)
    assert run.read() == before


def test_another_run_in_the_folder_is_refused_with_the_first_difference(run, recipe):
    with pytest.raises(DgmpError, match=r"another run .recipe\.epochs: 2 there, 3 now"):
        run.claim(replace(recipe, epochs=3), 4, DATA)
    with pytest.raises(DgmpError, match=r"another run .data\.pages: 3 there, 5 now"):
        run.claim(recipe, 4, {"pages": 5})


def test_a_folder_with_other_files_is_refused(recipe, tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(DgmpError, match="not empty and no run"):
        Run(tmp_path).claim(recipe, 4, DATA)


def test_a_new_run_stands_at_its_beginning(run):
    assert run.load_state() == TrainState()


def test_a_state_that_was_saved_is_loaded(run):
    state = TrainState(epoch=2, step=3, total_steps=9, best=0.5, random=torch.get_rng_state())
    run.save_state(state)
    loaded = run.load_state()
    assert torch.equal(loaded.random, state.random)
    assert replace(loaded, random=None) == replace(state, random=None)


def test_a_failed_save_leaves_the_checkpoint_readable(run, monkeypatch):
    run.save_state(TrainState(total_steps=7))

    def full_disk(what, path):
        path.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full_disk)
    with pytest.raises(DgmpError, match=r"checkpoint.pt: cannot be written: No space left"):
        run.save_state(TrainState(total_steps=8))
    assert run.load_state().total_steps == 7


def test_a_broken_checkpoint_is_refused(run):
    (run.folder / "checkpoint.pt").write_bytes(b"")
    with pytest.raises(DgmpError, match="cannot be read; delete it"):
        run.load_state()


def test_a_checkpoint_of_another_version_is_refused(run):
    torch.save({"format": "dgmp-train-state", "version": 99}, run.folder / "checkpoint.pt")
    with pytest.raises(DgmpError, match="has format version 99, this dgmp reads 1"):
        run.load_state()


def test_metrics_that_were_written_are_read(run):
    epochs = [{"epoch": 0, "loss": 0.5}, {"epoch": 1, "loss": 0.25}]
    run.write_metrics(epochs)
    assert run.metrics() == epochs


def test_a_line_of_metrics_that_was_cut_short_is_passed_over(tmp_path):
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"epoch": 0}) + '\n{"epo')
    assert Run(tmp_path).metrics() == [{"epoch": 0}]
