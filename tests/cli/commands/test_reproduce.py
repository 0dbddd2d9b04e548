"""``dgmp reproduce``: the table it prints, and what it refuses."""

import json

import pytest

from dgmp.synthetic import synthesize_words

from ..typed import done, misused, refused, run

TINY = (
    "epochs=1", "epoch_steps=1", "decay_from=1", "classes_per_batch=2", "batch=4", "validation=0",
    "input.patch=64", "input.side=32", "input.min_edges=40", "input.preparation.canonical=None",
)  # fmt: skip
ON_HANDS = "--data hands --out out"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("reproduce pooling", "did you mean 'poolings'"),
        ("reproduce poolings --rows avg,gmp", "no row of the table poolings called 'gmp'"),
        ("reproduce poolings --recipe script-small", "learns scripts"),
        ("reproduce poolings --set epoch=3", "epochs"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_begun(place, line, reason):
    refused(run(*line.split(), *ON_HANDS.split()), reason)
    assert not (place / "out").exists()


def test_pages_without_scripts_give_no_table_of_scripts(place):
    table = place / "hands" / "pages.csv"
    table.write_text(table.read_text().replace("script", "note"))
    refused(run("reproduce", "scripts", *ON_HANDS.split()), "none of its test pages has a script")


def test_a_corpus_without_test_pages_asks_for_another(place):
    table = place / "hands" / "pages.csv"
    table.write_text(table.read_text().replace(",test", ",train"))
    refused(run("reproduce", "poolings", *ON_HANDS.split()), "--test-data")


def test_the_table_is_printed_and_its_files_named(place):
    changes = [part for change in TINY for part in ("--set", change)]
    line = ["reproduce", "poolings", *ON_HANDS.split(), "--rows", "avg", "--seeds", 1, *changes]
    result = done(*line)
    assert result.stdout.startswith("# Global poolings for writer retrieval")
    assert "Avg, seed 0 (run 1 of 1)" in result.stderr
    again = done(*line, "--json")
    assert json.loads(again.stdout)["table"] == "poolings"
    assert "seed 0" not in again.stderr  # what is finished is not repeated


def test_word_spotting_is_a_table_of_its_own(tmp_path):
    synthesize_words(tmp_path / "words", writers=1, pages=1, seed=3)
    changes = ("model.network=word-resnet-tiny", "epochs=1", "epoch_steps=1", "batch=2")
    line = ["reproduce", "words", "--data", tmp_path / "words", "--out", tmp_path / "out"]
    line += ["--test-data", tmp_path / "words", "--rows", "gmp"]
    line += [part for change in changes for part in ("--set", change)]
    result = done(*line)
    assert result.stdout.startswith("# Poolings for word spotting")
    assert "| gmp |" in result.stdout
    assert "gmp, run 1" in result.stderr
    refused(run(*line[:-1], "batch=3"), "made of other things")
    misused(run(*line, "--recipe", "script-small"))
