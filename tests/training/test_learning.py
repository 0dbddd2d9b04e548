"""Learning without labels: the same numbers after any interruption, and plain words if it fails."""

import json
import os
import shutil
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.describers import load_describer
from dgmp.errors import CorpusError, DgmpError
from dgmp.pixels import open_store, prepare_page
from dgmp.training import Learning, learn, override, train
from dgmp.training.learning import surrogate_lesson, unlabelled_pages

from . import killing
from .test_loop import numbers

CHANGES = [
    "patches=500",
    "cluster_size=25",
    "sift.most=120",
    "vlad.dim=16",
    "vlad.words=8",
    "vlad.vocabularies=2",
    "training.batch=16",
]
STEPS = 4
SMALL = override(Learning().with_steps(STEPS), CHANGES)


@pytest.fixture(scope="module")
def four(hands, tmp_path_factory):
    """Four pages without a table: nothing is known of them."""
    folder = tmp_path_factory.mktemp("four") / "scans"
    folder.mkdir()
    for page in hands.pages[:4]:
        shutil.copy(page.source.path, folder / page.source.path.name)
    return folder


@pytest.fixture(scope="module")
def finished(four, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "run"
    return learn(open_corpus(four), folder, SMALL, seed=4, device="cpu")


def test_a_network_that_cannot_be_built_is_refused_before_anything_is_done(four, tmp_path):
    with pytest.raises(DgmpError, match="no pooling called 'gpm'"):
        learn(open_corpus(four), tmp_path / "run", SMALL.with_pooling("gpm"), device="cpu")
    assert not (tmp_path / "run").exists()
    for change in ("cluster_dim=0", "training.input.patch=64", "training.augmentation.crop=0.5"):
        with pytest.raises(DgmpError):
            override(SMALL, [change])


def arrays(run):
    return json.loads((run.folder / "describer.json").read_text())["arrays"]


def names(folder):
    return sorted(file.name for file in folder.iterdir() if file.name[0] != ".")


def weights(run):
    return torch.load(run.folder / "checkpoint.pt", weights_only=True)["network"]


def assert_same(run, other):
    assert names(run.folder) == names(other.folder)
    assert numbers(run) == numbers(other)
    here, there = weights(run), weights(other)
    assert all((here[name] == there[name]).all() for name in there)
    assert arrays(run) == arrays(other)


def test_a_run_folder_holds_network_and_encoding(finished):
    assert set(names(finished.folder)) == {
        *("run.json", "split.csv", "metrics.jsonl", "checkpoint.pt", "curves.png", "pages"),
        *("patches.npz", "model.json", "model.safetensors", "describer.json", "arrays.npz"),
    }
    assert [epoch["steps"] for epoch in finished.metrics()] == [1, 2, 3, 4]


def test_what_was_learned_describes_pages(finished, four):
    describer = load_describer(finished.folder, device="cpu")
    image = prepare_page(open_corpus(four).pages[0], describer.preparation)
    vector = describer.describe_page(image)
    assert vector.shape == (describer.dim,) == (2 * 8 * 16,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("stop_after", [1, 3])
def test_an_interrupted_run_goes_on_with_the_same_numbers(finished, four, tmp_path, stop_after):
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == stop_after:
            os.kill(os.getpid(), signal.SIGINT)

    corpus = open_corpus(four)
    with pytest.raises(DgmpError, match="the same command goes on there"):
        learn(corpus, tmp_path / "run", SMALL, seed=4, device="cpu", watch=interrupt)
    assert not (tmp_path / "run" / "describer.json").exists()
    assert_same(learn(corpus, tmp_path / "run", SMALL, seed=4, device="cpu"), finished)


def test_killed_in_every_stage_the_same_command_ends_as_if_it_never_was(
    finished, four, tmp_path, forks
):
    options = ["--steps", STEPS, "--seed", 4, "--device", "cpu"]
    options += [word for change in CHANGES for word in ("--set", change)]
    words = (four, "--out", tmp_path / "run", *options)
    done = forks.run(killing.__file__, *words, cwd=tmp_path)
    printed = [line for line in done.stdout.splitlines() if not line.startswith(str(tmp_path))]
    assert printed == [*(f"{stage} -9" for stage in killing.STAGES), "None 0"], done.stderr
    assert_same(type(finished)(tmp_path / "run"), finished)


def test_a_finished_run_is_left_as_it_is_even_without_its_pages(finished, four, tmp_path):
    shutil.copytree(finished.folder, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "pages")
    said = []
    again = learn(open_corpus(four), tmp_path / "run", SMALL, seed=4, announce=said.append)
    assert said == [f"{again.folder}: is finished"]
    assert set(names(finished.folder)) - set(names(again.folder)) == {"pages"}


def test_labels_change_nothing(finished, four, tmp_path):
    corpus = open_corpus(four)
    labelled = replace(corpus, pages=tuple(replace(p, writer="one", script="x") for p in corpus))
    assert arrays(learn(labelled, tmp_path / "run", SMALL, seed=4, device="cpu")) == arrays(
        finished
    )


def test_another_seed_learns_another_describer(finished, four, tmp_path):
    other = learn(open_corpus(four), tmp_path / "run", SMALL, seed=5, device="cpu")
    assert arrays(other) != arrays(finished)


def test_average_pooling_is_learned_by_the_same_call(four, tmp_path):
    average = SMALL.with_pooling("avg")
    run = learn(open_corpus(four), tmp_path / "run", average, device="cpu")
    assert load_describer(run.folder).spec["model"]["pooling"] == "avg"
    assert run.metrics()[-1]["ridge"] is None


def test_broken_pages_are_named_and_left_out(four, tmp_path):
    scans = tmp_path / "scans"
    shutil.copytree(four, scans)
    whole = next(scans.iterdir())
    (scans / f"zz_torn{whole.suffix}").write_bytes(whole.read_bytes()[:3000])
    Image.new("L", (300, 300), 255).save(scans / "zz_blank.png")
    said = []
    learn(open_corpus(scans), tmp_path / "run", SMALL, device="cpu", announce=said.append)
    left_out = [text.split(":")[1].strip() for text in said if text.startswith("left out")]
    assert left_out == ["zz_blank.png", f"zz_torn{whole.suffix}"]
    assert "describing 4 pages by what was learned" in said


def test_a_folder_without_pictures_is_refused(tmp_path):
    (tmp_path / "scans").mkdir()
    with pytest.raises(CorpusError, match="holds no pictures"):
        open_corpus(tmp_path / "scans")


def test_a_folder_of_broken_pages_is_refused(tmp_path):
    for number in range(3):
        Image.new("L", (200, 200), 255).save(tmp_path / f"{number}.png")
    with pytest.raises(CorpusError, match=r"none of 3 pages can be used: 0.png no ink"):
        learn(open_corpus(tmp_path), tmp_path / "run", SMALL, device="cpu")


@pytest.mark.parametrize(
    ("pages", "patches", "words"),
    [(4, 20, "20 keypoints on 4 pages .* at least 50 on two"), (1, 500, "on 1 pages with writing")],
)
def test_too_few_keypoints_are_refused(four, tmp_path, pages, patches, words):
    corpus = open_corpus(four)
    few = replace(corpus, pages=corpus.pages[:pages])
    with pytest.raises(CorpusError, match=words):
        learn(few, tmp_path / "run", replace(SMALL, patches=patches), device="cpu")


def test_other_settings_and_other_pages_do_not_go_on_with_the_run(finished, four):
    corpus = open_corpus(four)
    with pytest.raises(DgmpError, match=r"another run .recipe\.clusters: 1000 there, 5 now"):
        learn(corpus, finished.folder, replace(SMALL, clusters=5), seed=4)
    with pytest.raises(DgmpError, match=r"another run .seed: 4 there, 0 now"):
        learn(corpus, finished.folder, SMALL)
    with pytest.raises(DgmpError, match=r"another run .data\.pages: 4 there, 3 now"):
        learn(replace(corpus, pages=corpus.pages[:3]), finished.folder, SMALL, seed=4)


def test_only_training_and_validation_pages_are_looked_at(hands):
    splits = ["train"] * 5 + ["val"] * 2 + ["test"] * 5
    pages = tuple(replace(p, split=s) for p, s in zip(hands.pages, splits, strict=True))
    chosen = unlabelled_pages(replace(hands, pages=pages), 100)
    assert [page.id for page in chosen] == [page.id for page in pages[:7]]
    assert {(page.split, page.writer, page.script) for page in chosen} == {("train", None, None)}


def test_of_many_pages_some_are_chosen_evenly(hands):
    chosen = [page.id for page in unlabelled_pages(hands, 4)]
    ids = [page.id for page in hands.pages]
    assert chosen == [ids[0], ids[3], ids[7], ids[11]]


def test_every_page_gives_about_as_many_patches_and_none_of_an_ambiguous_kind(four, tmp_path):
    pages = unlabelled_pages(open_corpus(four), 10)
    store = open_store(tmp_path, pages)
    all_kept = surrogate_lesson(store, replace(SMALL, ambiguity=1.0), seed=4)
    fewer = surrogate_lesson(store, SMALL, seed=4)
    counts = np.bincount(all_kept.patches.page_numbers)
    assert counts.tolist() == [120] * 4  # 500 are wanted, but a page has no more
    assert len(fewer.patches) < len(all_kept.patches)
    kept, whole = (set(map(tuple, each.patches.rectangles)) for each in (fewer, all_kept))
    assert kept <= whole
    assert set(fewer.patches.labels) == set(range(len(fewer.names)))


@pytest.mark.parametrize(("steps", "epochs", "each"), [(1, 1, 1), (8, 8, 1), (400, 20, 20)])
def test_steps_are_shared_by_the_epochs(steps, epochs, each):
    recipe = Learning().with_steps(steps).training
    assert (recipe.epochs, recipe.epoch_steps) == (epochs, each)
    assert recipe.warmup_steps <= steps


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("pages=1", "pages must be at least 2"),
        ("ambiguity=2.0", "ambiguity must be above 0 and at most 1"),
        ("training.task=script", "is for dgmp learn"),
    ],
)
def test_values_that_make_no_sense_are_refused(change, words):
    with pytest.raises(DgmpError, match=words):
        override(Learning(), [change])


def test_clusters_are_not_a_recipe_of_train(hands, tmp_path):
    with pytest.raises(DgmpError, match="dgmp learn FOLDER"):
        train(Learning().training, hands, tmp_path / "run", device="cpu")
