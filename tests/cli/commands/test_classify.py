"""``dgmp classify``: scripts of files and folders, and what it refuses."""

import json
import shutil

import pytest

from ..typed import done, misused, refused, run


@pytest.mark.parametrize("kind", ["network", "classical"])
def test_the_most_probable_script_of_files_and_folders_is_named(
    hands, runs, classical_scripts, tmp_path, kind
):
    model = {"network": runs / "scripts", "classical": classical_scripts}[kind]
    shutil.copy(hands / "w0_p0.png", tmp_path)
    result = done("classify", tmp_path, hands / "w2_p0.png", "--model", model, "--json")
    pages = [json.loads(line) for line in result.stdout.splitlines()]
    assert [page["page"] for page in pages] == [
        str(tmp_path / "w0_p0.png"),
        str(hands / "w2_p0.png"),
    ]
    for page in pages:
        assert sum(page["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert page["script"] == max(page["probabilities"], key=page["probabilities"].get)


def test_a_classical_classifier_knows_the_pages_it_was_fitted_to(hands, classical_scripts):
    pages = [hands / f"w{writer}_p0.png" for writer in range(3)]
    result = done("classify", *pages, "--model", classical_scripts, "--json")
    scripts = [json.loads(line)["script"] for line in result.stdout.splitlines()]
    assert scripts == ["Caroline", "Cursiva", "Uncial"]


def test_the_three_most_probable_scripts_are_printed(hands, runs):
    result = done("classify", hands / "w0_p0.png", hands / "w1_p0.png", "--model", runs / "scripts")
    assert [line.count(" %") for line in result.stdout.splitlines()] == [3, 3]


def test_what_cannot_be_read_is_told_and_the_others_go_on(hands, runs, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"")
    pages = (tmp_path / "broken.png", "nowhere.png", hands / "w0_p0.png")
    result = done("classify", *pages, "--model", runs / "scripts")
    assert f"left out: {tmp_path / 'broken.png'}: empty" in result.stderr
    assert "left out: nowhere.png: there is no such" in result.stderr
    assert len(result.stdout.splitlines()) == 1


def test_the_pages_of_a_folder_are_one_manuscript_if_asked(hands, runs):
    lines = done("classify", hands, "--model", runs / "scripts", "--together").stdout.splitlines()
    assert len(lines) == 12
    assert len({line.split("  ", 1)[1].strip() for line in lines}) == 1


def test_a_calibrated_classifier_says_when_it_cannot(hands, runs, monkeypatch):
    monkeypatch.setattr("dgmp.describers.LearnedClassifier.least", 1.0, raising=False)
    line = ("classify", hands / "w0_p0.png", "--model", runs / "scripts")
    assert "  cannot say: " in done(*line).stdout
    assert json.loads(done(*line, "--json").stdout)["script"] is None


CASES = {
    "a broken page": ("classify broken --model scripts", "no page could be classified"),
    "nothing": ("classify nowhere.png --model scripts", "no page could be classified"),
    "another version": ("classify bare --model old", "format version 99"),
    "a describer": ("classify bare --model run", "has no script classes"),
    "sizes": ("classify bare --model scripts --sizes 1,99", "sizes must be numbers from 0.1"),
    "no device": ("classify bare --model scripts --device x", "cannot be used here"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_classified_is_said_in_one_line(place, case):
    line, reason = CASES[case]
    refused(run(*line.split()), reason)


def test_wrong_usage_exits_with_2(place):
    misused(run("classify", "--model", "scripts"))
    misused(run("classify", "bare", "--sizes", "large"))
