"""The commands that use a trained model, on small corpora and a model with random weights."""

import csv
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from dgmp.cli import app
from dgmp.corpora import Preparation
from dgmp.describe import zoo
from dgmp.evaluation import load_scores


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def done(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.fixture
def own_hands(hands, tmp_path):
    """A corpus that a test may change."""
    return shutil.copytree(hands, tmp_path / "hands")


def without_sides(folder):
    rows = list(csv.reader((folder / "pages.csv").open()))
    with (folder / "pages.csv").open("w") as file:
        csv.writer(file).writerows(row[:-1] for row in rows)


def test_evaluate_prints_the_table_of_the_test_pages(hands, runs):
    result = done("evaluate", hands, "--describer", runs / "writers")
    assert result.stdout.startswith("retrieval: 6 queries\nre-ranking: none\nmeasure")


def test_evaluate_keeps_scores_and_draws_them(hands, runs, tmp_path):
    out, plot = tmp_path / "new" / "scores.json", tmp_path / "precision.png"
    result = done(
        *("evaluate", hands, "--describer", runs / "writers", "--crop", "64", "--binarize", "auto"),
        *("--split", "test", "--rerank", "sgr", "--aggregate", "whole", "--json"),
        *("--out", out, "--plot", plot),
    )
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["format"] == "dgmp-scores"
    assert load_scores(out).to_json() == line
    assert load_scores(out).reranking.startswith("SGR")
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_without_sides_all_pages_are_judged(own_hands, runs):
    without_sides(own_hands)
    result = done("evaluate", own_hands, "--describer", runs / "writers", "--json")
    assert json.loads(result.stdout)["queries"] == 12


def test_a_calibrated_run_groups_pages_into_hands(own_hands, runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    catalogue = tmp_path / "catalogue"
    describing = ("describe", own_hands, "--catalogue", catalogue, "--describer", folder)
    done(*describing, "--workers", "0")
    assert "calibrate it by dgmp calibrate" in run("hands", catalogue).stderr
    too_few = run("calibrate", folder, own_hands)  # the test pages are left alone
    assert too_few.exit_code == 1
    assert "6 pages by 2 writers cannot calibrate a describer" in too_few.stderr
    without_sides(own_hands)
    result = done("calibrate", folder, own_hands, "--json")
    assert json.loads(result.stdout)["writers"] == 4
    done(*describing, "--workers", "0")
    assert "by" in done("hands", catalogue).stderr

    stored = json.loads((folder / "calibration.json").read_text())
    (folder / "calibration.json").write_text(json.dumps({**stored, "describer": {}}))
    done(
        *describing, "--workers", "0"
    )  # that of an earlier state of the network counts for nothing
    assert "is not calibrated" in run("hands", catalogue).stderr
    (folder / "calibration.json").write_text("{")
    strange = run("describe", own_hands, "--out", tmp_path / "d.npz", "--describer", folder)
    assert "calibration.json: is not JSON" in strange.stderr
    assert "is no folder of a run" in run("calibrate", tmp_path / "none", own_hands).stderr


def test_a_run_is_not_calibrated_by_pages_it_has_learned_from(own_hands, runs, tmp_path):
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    without_sides(own_hands)
    (folder / "run.json").write_text(json.dumps({"data": {"path": str(own_hands)}}))
    sides = "\n".join(f"w{w}_p{p}.png,train" for w in range(4) for p in range(3))
    (folder / "split.csv").write_text(f"# dgmp split 1\nid,split\n{sides}\n")
    (own_hands / "w3_p2.png").rename(own_hands / "elsewhere.txt")  # others are still known
    rows = (own_hands / "pages.csv").read_text().splitlines()
    (own_hands / "pages.csv").write_text("\n".join(r for r in rows if "w3_p2" not in r) + "\n")
    result = run("calibrate", folder, own_hands)
    assert result.exit_code == 1
    assert "all of its 11 pages were learned from or are test pages" in result.stderr


def test_a_script_run_is_judged_by_its_classes(hands, runs, tmp_path):
    plot = tmp_path / "confusion.png"
    result = done("evaluate", hands, "--describer", runs / "scripts", "--plot", plot)
    assert result.stdout.startswith("classification: 6 pages")
    assert all(
        word in result.stdout for word in ("balanced_accuracy", "group_accuracy", "precision")
    )
    assert plot.exists()


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
    sides = "\n".join(f"w{w}_p{p}.png,{'train' if w else 'val'}" for w in range(4) for p in (0, 1))
    (folder / "split.csv").write_text(f"# dgmp split 1\nid,split\n{sides}\n")
    result = done("evaluate", own_hands, "--describer", folder, "--json")
    note = "4 of 6 pages are among those this run was trained on"
    assert f"warning: {note}" in result.stderr
    assert note in json.loads(result.stdout)["notes"]


def test_a_classical_kind_is_fitted_on_the_training_pages_alone(hands, monkeypatch):
    class Mean:
        preparation, dim, spec = Preparation(canonical=None), 2, {"describer": "mean"}

        def describe_page(self, image):
            share = np.float32((image.pixels == 0).mean())
            return np.array([share, np.sqrt(1 - share**2)], np.float32)

    seen = []

    class Room:
        CLASSICAL = {"mean": SimpleNamespace(needs_fitting=True)}  # noqa: RUF012

        @staticmethod
        def fit_classical(name, images, *, seed, preparation, progress):
            seen.extend(image.page.id for image in images)
            return Mean()

    monkeypatch.setattr(zoo, "find_spec", lambda name: True)
    monkeypatch.setattr(zoo, "_classical", lambda: Room)
    result = done("evaluate", hands, "--describer", "mean")
    assert seen == [f"w{w}_p{p}.png" for w in range(2) for p in range(3)]
    assert "fitting mean on 6 training pages" in result.stderr
    assert run("evaluate", hands, "--describer", "mean", "--split", "train").exit_code == 1


def test_classify_names_scripts_of_files_and_folders(hands, runs, tmp_path):
    shutil.copy(hands / "w0_p0.png", tmp_path)
    (tmp_path / "broken.png").write_bytes(b"")
    arguments = ("classify", tmp_path, hands / "w2_p0.png", "nowhere.png", "--model")
    result = done(*arguments, runs / "scripts", "--json")
    pages = [json.loads(line) for line in result.stdout.splitlines()]
    assert [page["page"] for page in pages] == [
        str(tmp_path / "w0_p0.png"),
        str(hands / "w2_p0.png"),
    ]
    for page in pages:
        assert sum(page["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert page["script"] == max(page["probabilities"], key=page["probabilities"].get)
    assert f"left out: {tmp_path / 'broken.png'}: empty" in result.stderr
    assert "left out: nowhere.png: there is no such" in result.stderr
    assert done(*arguments, runs / "scripts").stdout.count(" %") == 6


def test_explain_draws_one_page(hands, runs, tmp_path):
    out = tmp_path / "heat.png"
    result = done("explain", hands / "w0_p0.png", "--describer", runs / "writers", "--out", out)
    assert result.stdout == f"{out}\n"
    assert out.read_bytes().startswith(b"\x89PNG")


def test_explain_of_two_pages_gives_their_cosine_and_where_it_comes_from(hands, runs, tmp_path):
    out, pages = tmp_path / "two.png", (hands / "w0_p0.png", hands / "w2_p0.png")
    result = done("explain", *pages, "--describer", runs / "writers", "--out", out, "--json")
    found = json.loads(result.stdout)
    assert -1 <= found["cosine"] <= 1
    assert [page["page"] for page in found["pages"]] == [str(page) for page in pages]
    for page in found["pages"]:
        left, top, right, bottom = page["strongest"][0]["box"]
        assert 0 <= left < right <= 190
        assert 0 <= top < bottom <= 130


def test_a_script_run_can_be_explained_too(hands, runs, tmp_path):
    out = tmp_path / "heat.png"
    done("explain", hands / "w0_p0.png", "--describer", runs / "scripts", "--out", out)
    assert out.exists()


def test_export_writes_beside_the_model_and_says_so(runs, tmp_path, monkeypatch):
    from dgmp.describe import onnx

    def quick(model, path):
        path.write_bytes(b"onnx")
        return {"sha256": model.digest}

    monkeypatch.setattr(onnx, "export_model", quick)  # tests/describe/test_onnx.py has the real one
    folder = shutil.copytree(runs / "writers", tmp_path / "run")
    assert done("export", folder).stdout == f"{folder / 'model.onnx'}\n"
    found = json.loads(done("export", folder, "--out", tmp_path / "m.onnx", "--json").stdout)
    assert found["file"] == str(tmp_path / "m.onnx")
    assert len(found["sha256"]) == 64
