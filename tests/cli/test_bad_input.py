"""What a user can get wrong: one clear line, no traceback, exit 1, or 2 for wrong usage."""

import json
import os
import resource
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from drawing import written
from PIL import Image
from typer.testing import CliRunner

from dgmp.cli import app

FULL = os.path.exists("/dev/full")  # noqa: PTH110
# Nothing here trains for long: a recipe that a test does let begin is tiny.
SMALL = (
    "epochs=1", "epoch_steps=1", "batch=4", "classes_per_batch=2", "validation=0",
    "input.patch=64", "input.side=32", "input.min_edges=40", "input.preparation.canonical=None",
)  # fmt: skip


def corpus_of(folder, files, columns="writer,script"):
    folder.mkdir()
    lines = [f"file,{columns}"]
    for name, *values in files:
        Image.fromarray(written(190, 130, distance=30, seed=len(lines))).save(folder / name)
        lines.append(",".join([name, *values]))
    (folder / "pages.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def place(tmp_path, hands, runs, monkeypatch):
    """A folder with everything that can be wrong in it, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(hands, "hands")
    shutil.copytree(runs / "writers", "run")
    shutil.copytree(runs / "scripts", "scripts")
    (tmp_path / "empty").mkdir()
    corpus_of(tmp_path / "one", [("a.png", "w0", "s"), ("b.png", "w0", "s")])
    corpus_of(tmp_path / "single", [("a.png", "w0", "s"), ("b.png", "w1", "t")])
    (tmp_path / "bare").mkdir()
    shutil.copy(hands / "w0_p0.png", "bare")
    (tmp_path / "broken").mkdir()
    for name in ("a.png", "b.png"):
        (tmp_path / "broken" / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "blank").mkdir()
    for name in "abcd":
        Image.fromarray(np.full((90, 90), 255, np.uint8)).save(f"blank/{name}.png")
    rows = "".join(f"{n}.png,w{i // 2}\n" for i, n in enumerate("abcd"))
    (tmp_path / "blank" / "pages.csv").write_text("file,writer\n" + rows)
    (tmp_path / "file").write_text("just a file")
    for name, changes in (("old", {"version": 99}), ("gem", {})):
        shutil.copytree(runs / "writers", name)
        about = json.loads((tmp_path / name / "model.json").read_text())
        (tmp_path / name / "model.json").write_text(json.dumps(about | changes))
    weights = tmp_path / "cut"
    shutil.copytree(runs / "writers", weights)
    content = (weights / "model.safetensors").read_bytes()
    (weights / "model.safetensors").write_bytes(content[: len(content) // 2])
    return tmp_path


EVALUATE = "evaluate hands --describer run"
TRAIN = "train writer-small --data hands --out new"
CASES = {
    # corpora
    "evaluate an empty folder": ("evaluate empty --describer run", "empty: holds no pictures"),
    "train on an empty folder": (
        "train writer-small --data empty --out new", "empty: holds no pictures"
    ),
    "evaluate nothing": ("evaluate nowhere --describer run", "nowhere: there is no such folder"),
    "train on nothing": ("train writer-small --data nowhere --out new", "there is no such folder"),
    "evaluate one writer": ("evaluate one --describer run", "all 2 pages are by the one writer"),
    "train on one writer": (
        "train writer-small --data one --out new --set validation=0", "at least two writers"
    ),
    "train on one script": (
        "train script-small --data one --out new --set validation=0", "at least two scripts"
    ),
    "hold out too many writers": (f"{TRAIN} --set validation=40", "hold fewer out by validation"),
    "evaluate writers of one page": ("evaluate single --describer run", "no query has a relevant"),
    "evaluate unlabelled pages": ("evaluate bare --describer run", "1 of 1 pages have no writer"),
    "evaluate pages without script": (
        "evaluate bare --describer scripts", "1 of 1 pages have no script"
    ),
    "evaluate unknown scripts": ("evaluate single --describer scripts", "not know, as 'a.png'"),
    "train on unlabelled pages": (
        "train writer-small --data bare --out new", "none has a writer: nothing to train on"
    ),
    "evaluate broken pages": ("evaluate broken --describer run", "none of its files can be used"),
    "train on broken pages": (
        "train writer-small --data broken --out new", "none of its files can be used"
    ),
    "evaluate blank pages": ("evaluate blank --describer run", "of 4 pages could be described"),
    "train on blank pages": (
        "train writer-small --data blank --out new --set validation=0", "of 4 pages can be used"
    ),
    "a side that is not there": (f"{EVALUATE} --split vall", "no page in split 'vall'; there is"),
    "a kind that is not there": (f"{EVALUATE} --kind writer", "no kind of corpus called 'writer'"),
    "a label file that is not there": (f"{EVALUATE} --labels x.csv", "x.csv: there is no such"),
    "a split file that is none": (f"{EVALUATE} --split-file file", "is no split file"),
    "classify a broken page": ("classify broken --model scripts", "no page could be classified"),
    "classify nothing": ("classify nowhere.png --model scripts", "no page could be classified"),
    "explain a folder": ("explain hands --describer run --out a.png", "is a folder; give the"),
    "explain a broken page": (
        "explain broken/a.png --describer run --out a.png", "broken/a.png: broken"
    ),
    "explain a blank page": (
        "explain blank/a.png --describer run --out a.png", "blank/a.png: no ink"
    ),
    # models
    "a describer that is not there": ("evaluate hands --describer rum", "did you mean 'run'"),
    "a folder without a model": ("evaluate hands --describer hands", "is no trained model"),
    "a model of another version": ("evaluate hands --describer old", "format version 99"),
    "classify with another version": ("classify bare --model old", "format version 99"),
    "explain with another version": (
        "explain hands/w0_p0.png --describer old --out a.png", "format version 99"
    ),
    "export another version": ("export old", "format version 99"),
    "cut-off weights": ("evaluate hands --describer cut", "cut off"),
    "classify with a describer": ("classify bare --model run", "has no script classes"),
    "export nothing": ("export nowhere/run", "there is no such folder"),
    "begin with nothing": (f"{TRAIN} --weights nowhere.pth", "nowhere.pth: there is no such file"),
    # values
    "no GPU for evaluate": (f"{EVALUATE} --device cuda:99", "'cuda:99' cannot be used here"),
    "no such device": (f"{EVALUATE} --device gpu", "'gpu' cannot be used here; choose cpu"),
    "classify on no device": ("classify bare --model scripts --device x", "cannot be used here"),
    "explain on no device": (
        "explain hands/w0_p0.png --describer run --out a.png --device x", "cannot be used here"
    ),
    "train on no device": (f"{TRAIN} --device gpu", "device must be auto, cpu or cuda, got 'gpu'"),
    "no such precision": (f"{TRAIN} --precision 8", "precision must be 32-true"),
    "no such recipe": ("train writer-smal --data hands --out new", "did you mean 'writer-small'"),
    "no such recipe file": ("train mine.py --data hands --out new", "no such recipe file"),
    "no such pooling": (f"{TRAIN} --pooling gpm --set validation=0", "did you mean 'gmp'"),
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
    "no such re-ranking": (f"{EVALUATE} --rerank srg", "no re-ranking called 'srg'; choose from"),
    "scripts re-ranked": ("evaluate hands --describer scripts --rerank sgr", "is for writers"),
    "scripts put together": (
        "evaluate hands --describer scripts --aggregate gmp", "networks trained on writers"
    ),
    "no such aggregate": (f"{EVALUATE} --aggregate men", "choose from mean, gmp, whole"),
    "no such binarisation": (f"{EVALUATE} --binarize ots", "no binarisation called 'ots'"),
    # places
    "scores onto a folder": (f"{EVALUATE} --out hands", "hands: cannot be written: it is a folder"),
    "scores under a file": (f"{EVALUATE} --out file/a.json", "is no folder"),
    "a plot of no known kind": (f"{EVALUATE} --plot a.xyz", "no picture can be drawn as xyz"),
    "a plot under a file": (f"{EVALUATE} --plot file/a.png", "is no folder"),
    "a picture onto a folder": (
        "explain hands/w0_p0.png --describer run --out hands", "it is a folder"
    ),
    "a network onto a folder": ("export run --out hands", "it is a folder"),
    "a network under a file": ("export run --out file/m.onnx", "is no folder"),
    "a run under a file": ("train writer-small --data hands --out file/run", "file"),
    "a run onto a file": ("train writer-small --data hands --out file", "choose another folder"),
    "a run onto other things": (
        "train writer-small --data hands --out hands", "not empty and no run"
    ),
}  # fmt: skip
if FULL:
    CASES["scores to a device"] = (f"{EVALUATE} --out /dev/full", "it is no ordinary file")
    CASES["a network to a device"] = ("export run --out /dev/full", "it is no ordinary file")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def refused(result, reason, code=1):
    """One line that says why, and nothing a programmer would need."""
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("dgmp: ")
    assert reason in last
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    others = result.stderr.splitlines()[:-1]
    assert all(line.startswith("left out: ") for line in others), others


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_done_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    arguments = line.split()
    if arguments[0] == "train" and "validation" not in line and "pages" not in case:
        arguments += ["--set", "validation=0"]
    refused(run(*arguments), reason)


USAGE = {
    "evaluate without a describer": "evaluate hands",
    "a crop of nothing": f"{EVALUATE} --crop 0",
    "a crop that is no number": f"{EVALUATE} --crop small",
    "classify without pages": "classify --model scripts",
    "explain without a place": "explain hands/w0_p0.png --describer run",
    "three pages to explain": "explain a b c --describer run --out a.png",
    "train without data": "train writer-small --out new",
    "a negative seed": f"{TRAIN} --seed -1",
    "an option that is not there": "export run --format onnx",
}


@pytest.mark.parametrize("case", USAGE)
def test_wrong_usage_exits_with_2(place, case):
    result = run(*USAGE[case].split())
    assert result.exit_code == 2
    assert "Usage" in result.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
@pytest.mark.parametrize(
    "line",
    [f"{EVALUATE} --device cuda", f"{TRAIN} --set validation=0 --device cuda"],
    ids=["evaluate", "train"],
)
def test_a_gpu_that_is_not_there_is_told(place, line):
    refused(run(*line.split()), "cuda")


def test_a_checkpoint_of_another_version_is_refused(place):
    changes = [part for change in SMALL for part in ("--set", change)]
    started = run(*TRAIN.split(), *changes, "--json")
    assert started.exit_code == 0, started.stderr
    assert json.loads(started.stdout, parse_constant=pytest.fail)["best_validation"] is None
    state = torch.load("new/checkpoint.pt", weights_only=True)
    torch.save(state | {"version": 99}, "new/checkpoint.pt")
    refused(run(*TRAIN.split(), *changes), "checkpoint.pt: has format version 99")
    (place / "new" / "checkpoint.pt").write_bytes(b"cut")
    refused(run(*TRAIN.split(), *changes), "checkpoint.pt: cannot be read")
    refused(run(*TRAIN.split(), *changes, "--set", "epochs=2"), "holds another run (recipe.epochs")
    about = json.loads((place / "new" / "run.json").read_text())
    (place / "new" / "run.json").write_text(json.dumps(about | {"version": 99}))
    refused(run(*TRAIN.split(), *changes), "run.json: has format version 99")


@pytest.mark.parametrize("left", [50, 20_000, 500_000], ids=["recipe", "pages", "weights"])
def test_a_disk_that_fills_up_while_training_is_told(place, left):
    changes = [part for change in SMALL for part in ("--set", change)]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (left, limits[1]))
    try:
        result = run(*TRAIN.split(), *changes)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert result.exit_code == 1, result.exception
    assert "cannot be written" in result.stderr.splitlines()[-1]
    assert run(*TRAIN.split(), *changes).exit_code == 0  # with room again, it goes on


@pytest.mark.parametrize(
    "line",
    [
        f"{EVALUATE} --out scores.json",
        "explain hands/w0_p0.png --describer run --out heat.png",
        "export run",
        f"{TRAIN} --set validation=0",
    ],
    ids=lambda line: line.split()[0],
)
def test_a_folder_that_may_not_be_written_to_is_told(place, line, monkeypatch):
    # Root may write anywhere, so that taking the right away would not do.
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)
    refused(run(*line.split()), "may not be written to")


def test_a_pooling_without_weights_cannot_be_explained(place, tiny):
    from dgmp.models import save_model

    save_model(tiny("gem"), place / "gem")
    arguments = "explain hands/w0_p0.png --describer gem --out a.png"
    refused(run(*arguments.split()), "can be explained")


def test_without_the_extra_training_names_it(hands, tmp_path):
    code = "import sys; sys.modules['lightning_fabric'] = None; import dgmp.cli; dgmp.cli.main()"
    arguments = ["train", "writer-small", "--data", str(hands), "--out", str(tmp_path / "run")]
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60
    )
    assert process.returncode == 1
    assert "pip install 'dgmp[learning]'" in process.stderr
    assert len(process.stderr.splitlines()) == 1


@pytest.mark.skipif(not FULL, reason="needs /dev/full")
def test_results_that_cannot_be_written_are_no_success(runs, hands):
    code = "import dgmp.cli; dgmp.cli.main()"
    with open("/dev/full", "w") as full:  # noqa: PTH123
        process = subprocess.run(
            [sys.executable, "-c", code, "classify", str(hands / "w0_p0.png"), "--model",
             str(runs / "scripts"), "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr == "dgmp: results cannot be written: No space left on device\n"
