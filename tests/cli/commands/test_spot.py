"""Words from nothing to hits, as a user types it."""

import json

import pytest
from drawing import written
from PIL import Image
from word_models import save_word_model

from ..typed import done, refused, run


def test_words_are_synthesized_learned_and_spotted(tmp_path):
    pages, out = tmp_path / "pages", tmp_path / "run"
    said = done("synth", pages, "--words", "--writers", 2, "--pages", 1).stdout
    assert "the words of 2 pages by 2 writers" in said
    small = ["epochs=1", "epoch_steps=2", "batch=4", "model.network=word-resnet-tiny"]
    changes = [part for change in small for part in ("--set", change)]
    said = done("train", "words", "--data", pages / "words.csv", "--out", out, *changes).stdout
    assert said.strip() == str(out)
    sheet = tmp_path / "hits.png"
    said = done("spot", pages, "the", "--model", out, "-n", 3, "--sheet", sheet).stdout
    assert said.splitlines()[0].split() == ["rank", "likeness", "x,y,w,h", "page"]
    assert len(said.splitlines()) == 4
    assert sheet.exists()
    lines = done("spot", pages, "the", "--model", out, "-n", 2, "--json").stdout.splitlines()
    hit = json.loads(lines[0])
    assert hit.keys() == {"page_id", "address", "box", "likeness"}
    left, top, right, bottom = hit["box"]
    shown = f"{hit['page_id']}#xywh={left},{top},{right - left},{bottom - top}"
    said = done("spot", pages, "--example", shown, "--model", out, "-n", 1, "--json").stdout
    assert json.loads(said)["box"] == hit["box"]


def test_a_folder_without_a_word_model_is_named(tmp_path):
    refused(run("spot", tmp_path, "the", "--model", tmp_path), "is no word model")


@pytest.mark.parametrize("sheet", ["file/hits.png", "folder.png", "hits.bmp"])
def test_a_sheet_that_cannot_be_written_is_refused_before_pages_are_looked_at(tmp_path, sheet):
    pages, model = tmp_path / "pages", tmp_path / "model"
    pages.mkdir()
    Image.fromarray(written()).save(pages / "a.png")
    save_word_model(model)
    (tmp_path / "file").touch()
    (tmp_path / "folder.png").mkdir()
    refused(run("spot", pages, "the", "--model", model, "--sheet", tmp_path / sheet), sheet)
    assert not (tmp_path / "pages.words").exists()
