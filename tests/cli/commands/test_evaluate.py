"""``dgmp evaluate``: scores of runs, kinds and classifiers, and what it refuses."""

import json
import os
import shutil

import numpy as np
import pytest
import torch
from PIL import Image

from dgmp.evaluation import load_scores, scores_to_json

from ..typed import done, misused, refused, run


def test_the_table_of_the_test_pages_is_printed(hands, runs):
    result = done("evaluate", hands, "--describer", runs / "writers")
    assert result.stdout.startswith("retrieval: 6 queries\nre-ranking: none\nmeasure")


def test_scores_are_kept_and_drawn(hands, runs, tmp_path):
    out, plot = tmp_path / "new" / "scores.json", tmp_path / "precision.png"
    result = done(
        *("evaluate", hands, "--describer", runs / "writers", "--crop", "64", "--binarize", "auto"),
        *("--split", "test", "--rerank", "sgr", "--aggregate", "whole", "--json"),
        *("--out", out, "--plot", plot),
    )
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["format"] == "dgmp-scores"
    assert scores_to_json(load_scores(out)) == line
    assert load_scores(out).reranking.startswith("SGR")
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_without_splits_all_pages_are_judged(without_splits, runs):
    result = done("evaluate", without_splits, "--describer", runs / "writers", "--json")
    assert json.loads(result.stdout)["queries"] == 12


def test_a_split_file_is_used_in_place_of_the_corpus_own_splits(hands, runs, tmp_path):
    rows = "".join(f"w{w}_p{p}.png,val\n" for w in range(3) for p in range(3))
    (tmp_path / "split.csv").write_text(f"# dgmp split 1\nid,split\n{rows}")
    options = ("--split-file", tmp_path / "split.csv", "--split", "val", "--json")
    result = done("evaluate", hands, "--describer", runs / "writers", *options)
    assert json.loads(result.stdout)["queries"] == 9


def test_a_script_run_is_judged_by_its_classes(hands, runs, tmp_path):
    plot = tmp_path / "confusion.png"
    result = done("evaluate", hands, "--describer", runs / "scripts", "--plot", plot)
    assert result.stdout.startswith("classification: 6 pages")
    assert all(
        word in result.stdout for word in ("balanced_accuracy", "group_accuracy", "precision")
    )
    assert plot.exists()


def test_a_saved_classical_classifier_is_judged_by_its_classes(hands, classical_scripts):
    result = done("evaluate", hands, "--describer", classical_scripts)
    assert result.stdout.startswith("classification: 6 pages")


def test_broken_pages_are_told_and_left_out(own_hands, runs):
    path = own_hands / "w2_p0.png"
    path.write_bytes(path.read_bytes()[:400])
    Image.fromarray(np.full((90, 90), 255, np.uint8)).save(own_hands / "w2_p1.png")
    with (own_hands / "pages.csv").open("a") as file:
        file.write("w2_p3.png,w2,Uncial,m2,test\n")
    shutil.copy(own_hands / "w2_p2.png", own_hands / "w2_p3.png")
    result = done("evaluate", own_hands, "--describer", runs / "writers", "--json")
    assert json.loads(result.stdout)["queries"] == 5
    assert "left out: w2_p0.png: " in result.stderr
    assert "left out: w2_p1.png: no ink" in result.stderr


def test_pages_a_run_was_trained_on_are_not_passed_over_in_silence(own_hands, runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    (folder / "run.json").write_text(json.dumps({"data": {"path": str(own_hands)}}))
    splits = "\n".join(f"w{w}_p{p}.png,{'train' if w else 'val'}" for w in range(4) for p in (0, 1))
    (folder / "split.csv").write_text(f"# dgmp split 1\nid,split\n{splits}\n")
    result = done("evaluate", own_hands, "--describer", folder, "--json")
    note = "4 of 6 pages are among those this run was trained on"
    assert f"warning: {note}" in result.stderr
    assert note in json.loads(result.stdout)["notes"]


def test_a_kind_that_needs_fitting_is_fitted_on_the_training_pages(hands):
    arguments = ("evaluate", hands, "--describer", "srs-lbp")
    assert json.loads(done(*arguments, "--json").stdout)["queries"] == 6
    refused(run(*arguments, "--split", "train"), "fitted on pages of split train other than those")


EVALUATE = "evaluate hands --describer run"
CASES = {
    "an empty folder": ("evaluate empty --describer run", "empty: holds no pictures"),
    "nothing": ("evaluate nowhere --describer run", "nowhere: there is no such folder"),
    "one writer": ("evaluate one --describer run", "all 2 pages are by the one writer"),
    "writers of one page": ("evaluate single --describer run", "no query has a relevant"),
    "unlabelled pages": ("evaluate bare --describer run", "1 of 1 pages have no writer"),
    "pages without script": ("evaluate bare --describer scripts", "1 of 1 pages have no script"),
    "unknown scripts": ("evaluate single --describer scripts", "not know, as 'a.png'"),
    "broken pages": ("evaluate broken --describer run", "none of its files can be used"),
    "blank pages": ("evaluate blank --describer run", "of 4 pages could be described"),
    "a split that is not there": (f"{EVALUATE} --split vall", "no page in split 'vall'; there is"),
    "a kind that is not there": (
        f"{EVALUATE} --kind writer", "no kind of corpus called 'writer'; did you mean 'writers'"
    ),
    "a label file that is not there": (f"{EVALUATE} --labels x.csv", "x.csv: there is no such"),
    "a split file that is none": (f"{EVALUATE} --split-file file", "is no split file"),
    "a describer that is not there": ("evaluate hands --describer rum", "did you mean 'run'"),
    "a folder without a model": ("evaluate hands --describer hands", "is no trained model"),
    "a model of another version": ("evaluate hands --describer old", "format version 99"),
    "cut-off weights": ("evaluate hands --describer cut", "cut off"),
    "no such GPU": (f"{EVALUATE} --device cuda:99", "'cuda:99' cannot be used here"),
    "no such device": (f"{EVALUATE} --device gpu", "'gpu' cannot be used here; choose cpu"),
    "no such re-ranking": (
        f"{EVALUATE} --rerank srg", "no re-ranking called 'srg'; did you mean 'sgr'"
    ),
    "scripts re-ranked": ("evaluate hands --describer scripts --rerank sgr", "is for writers"),
    "scripts put together": (
        "evaluate hands --describer scripts --aggregate gmp", "networks trained on writers"
    ),
    "no such aggregate": (
        f"{EVALUATE} --aggregate men", "did you mean 'mean'? Choose from mean, gmp, whole"
    ),
    "no such binarisation": (f"{EVALUATE} --binarize ots", "no binarisation called 'ots'"),
    "scores onto a folder": (f"{EVALUATE} --out hands", "hands: cannot be written: it is a folder"),
    "scores under a file": (f"{EVALUATE} --out file/a.json", "is no folder"),
    "a plot of no known kind": (f"{EVALUATE} --plot a.xyz", "no picture can be drawn as xyz"),
    "a plot under a file": (f"{EVALUATE} --plot file/a.png", "is no folder"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_judged_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    refused(run(*line.split()), reason)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_scores_are_not_written_to_a_device(place):
    refused(run(*EVALUATE.split(), "--out", "/dev/full"), "it is no ordinary file")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_told(place):
    refused(run(*EVALUATE.split(), "--device", "cuda"), "cuda")


@pytest.mark.usefixtures("nothing_may_be_written")
def test_a_folder_that_may_not_be_written_to_is_told(place):
    refused(run(*EVALUATE.split(), "--out", "scores.json"), "may not be written to")


@pytest.mark.parametrize(
    "line", ["evaluate hands", f"{EVALUATE} --crop 0", f"{EVALUATE} --crop small"]
)
def test_wrong_usage_exits_with_2(place, line):
    misused(run(*line.split()))


def test_a_resolution_and_a_line_distance_are_not_given_together(tmp_path):
    misused(
        run("evaluate", tmp_path, "--describer", "default", "--dpi", 300, "--line-distance", 60)
    )
