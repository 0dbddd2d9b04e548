"""``dgmp train``: what it refuses, and what it says when a disk is full or a file broken."""

import json
import resource
import subprocess
import sys

import pytest
import torch

from ...typed import done, misused, refused, run

TRAIN = "train writer-small --data hands --out new"
# Nothing here trains for long: a recipe that a test does let begin is tiny.
SMALL = (
    "epochs=1", "epoch_steps=1", "batch=4", "classes_per_batch=2", "validation=0",
    "input.patch=64", "input.side=32", "input.min_edges=40", "input.preparation.canonical=None",
)  # fmt: skip
QUICK = [*TRAIN.split(), *(part for change in SMALL for part in ("--set", change))]

# With "--set validation=0", as there are few writers.
CASES = {
    "one writer": ("train writer-small --data one --out new", "at least two writers"),
    "one script": ("train script-small --data one --out new", "at least two scripts"),
    "blank pages": ("train writer-small --data blank --out new", "of 4 pages can be used"),
    "no weights": (f"{TRAIN} --weights nowhere.pth", "nowhere.pth: there is no such file"),
    "no such device": (f"{TRAIN} --device gpu", "device must be auto, cpu or cuda, got 'gpu'"),
    "no such precision": (f"{TRAIN} --precision 8", "precision must be 32-true"),
    "no such recipe": ("train writer-smal --data hands --out new", "did you mean 'writer-small'"),
    "no such recipe file": ("train mine.py --data hands --out new", "no such recipe file"),
    "no such pooling": (f"{TRAIN} --pooling gmpp", "did you mean 'gmp'"),
    "no such value": (f"{TRAIN} --set epoch=3", "did you mean 'epochs'"),
    "a value of another kind": (f"{TRAIN} --set epochs=many", "epochs must be int, got 'many'"),
    "a value that cannot be": (f"{TRAIN} --set epochs=0", "epochs must be at least 1, got 0"),
    "no value": (f"{TRAIN} --set epochs", "write name=value"),
    "no such view": (f"{TRAIN} --set input.view=pages", "no view called 'pages'"),
    "no side": (f"{TRAIN} --set input.side=0", "side must be at least 1"),
    "no such backbone": (f"{TRAIN} --set model.backbone=resnet21", "did you mean 'resnet"),
    "an option the backbone has not": (f"{TRAIN} --set model.last_stride=1", "has no last_stride"),
    "an option the pooling has not": (
        f"{TRAIN} --set model.pooling_options.rigde=1", "no option 'rigde'"
    ),
    "under a file": ("train writer-small --data hands --out file/run", "file"),
    "onto a file": ("train writer-small --data hands --out file", "choose another folder"),
    "onto other things": ("train writer-small --data hands --out hands", "not empty and no run"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_trained_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    refused(run(*line.split(), "--set", "validation=0"), reason)


CORPORA = {
    "an empty folder": ("train writer-small --data empty --out new", "empty: holds no pictures"),
    "nothing": ("train writer-small --data nowhere --out new", "there is no such folder"),
    "broken pages": (
        "train writer-small --data broken --out new", "none of its files can be used"
    ),
    "unlabelled pages": (
        "train writer-small --data bare --out new", "--kind writers takes its name"
    ),
    "too many held out": (f"{TRAIN} --set validation=40", "hold fewer out by validation"),
}  # fmt: skip


@pytest.mark.parametrize("case", CORPORA)
def test_a_corpus_that_cannot_be_used_is_said_in_one_line(place, case):
    line, reason = CORPORA[case]
    refused(run(*line.split()), reason)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_told(place):
    refused(run(*TRAIN.split(), "--set", "validation=0", "--device", "cuda"), "cuda")


@pytest.mark.usefixtures("nothing_may_be_written")
def test_a_folder_that_may_not_be_written_to_is_told(place):
    refused(run(*TRAIN.split(), "--set", "validation=0"), "may not be written to")


@pytest.mark.parametrize(
    "line",
    ["train writer-small --out new", f"{TRAIN} --seed -1"],
    ids=["without data", "a negative seed"],
)
def test_wrong_usage_exits_with_2(place, line):
    misused(run(*line.split()))


WORDS = "train words --data words --out new"


@pytest.mark.parametrize(
    "option",
    ["--tensorboard", "--devices 2", "--device cpu", "--device gpu", "--label century",
     "--kind writers"],
)  # fmt: skip
def test_an_option_that_does_not_go_with_words_is_wrong_usage(option):
    misused(run(*WORDS.split(), *option.split()))


def test_a_word_network_that_cannot_be_built_is_refused_before_its_data_are_read(place):
    line = (*WORDS.split(), "--pooling", "max", "--set", 'model.pooling_options={"ridge": 1}')
    refused(run(*line), "pooling_options: ")
    assert not (place / "new").exists()


def test_without_validation_json_has_no_best_score(place):
    answer = json.loads(done(*QUICK, "--json").stdout, parse_constant=pytest.fail)
    assert answer["best_validation"] is None


def test_a_checkpoint_of_another_version_is_refused(place):
    done(*QUICK)
    state = torch.load("new/checkpoint.pt", weights_only=True)
    torch.save(state | {"version": 99}, "new/checkpoint.pt")
    refused(run(*QUICK), "checkpoint.pt: has format version 99")
    (place / "new" / "checkpoint.pt").write_bytes(b"cut")
    refused(run(*QUICK), "checkpoint.pt: cannot be read")
    refused(run(*QUICK, "--set", "epochs=2"), "holds another run (recipe.epochs")
    about = json.loads((place / "new" / "run.json").read_text())
    (place / "new" / "run.json").write_text(json.dumps(about | {"version": 99}))
    refused(run(*QUICK), "run.json: has format version 99")


@pytest.mark.parametrize("left", [50, 20_000, 500_000], ids=["recipe", "pages", "weights"])
def test_a_disk_that_fills_up_is_told(place, left):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (left, limits[1]))
    try:
        result = run(*QUICK)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert result.exit_code == 1, result.exception
    assert "cannot be written" in result.stderr.splitlines()[-1]
    assert run(*QUICK).exit_code == 0  # with room again, it goes on


def test_without_the_extra_training_names_it(hands, tmp_path):
    code = "import sys; sys.modules['lightning_fabric'] = None; import dgmp.cli; dgmp.cli.main()"
    arguments = ["train", "writer-small", "--data", str(hands), "--out", str(tmp_path / "run")]
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=300
    )
    assert process.returncode == 1
    assert "pip install 'dgmp[learning]'" in process.stderr
    assert len(process.stderr.splitlines()) == 1


def test_centuries_are_learned_with_their_order_and_judged_by_their_distance(hands, tmp_path):
    rows = [
        f"{path.name},{1010 + 100 * int(path.name[1])}" for path in sorted(hands.glob("w*.png"))
    ]
    for path in hands.glob("w*.png"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pages.csv").write_text("\n".join(["file,date", *rows]))
    changes = [part for change in SMALL for part in ("--set", change)]
    line = ("train", "script-small", "--data", tmp_path, "--label", "century")
    done(*line, "--out", tmp_path / "run", *changes)
    recipe = json.loads((tmp_path / "run" / "run.json").read_text())["recipe"]
    assert recipe["order_weight"] == 1
    judged = done(
        "evaluate", tmp_path, "--describer", tmp_path / "run", "--label", "century", "--json"
    )
    scores = json.loads(judged.stdout)
    assert scores["classes"] == ["11", "12", "13", "14"]
    assert any(note.startswith("mean absolute error: ") for note in scores["notes"])
