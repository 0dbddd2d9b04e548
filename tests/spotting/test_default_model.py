"""The word model that comes with the package."""

from pathlib import Path

import pytest

from dgmp.errors import MissingExtra
from dgmp.spotting import (
    SHIPPED_WORDS,
    WordModel,
    cut_words,
    open_words,
    score_by_string,
    word_model,
)
from dgmp.synthetic import synthesize_words


def test_it_is_found_by_its_name_and_small():
    model = WordModel.load("default")
    assert model.folder == "default"
    assert sum(file.stat().st_size for file in SHIPPED_WORDS.iterdir()) < 5e6


def test_it_finds_words_of_hands_that_are_no_fonts(tmp_path):
    synthesize_words(tmp_path / "words", writers=2, pages=1, seed=4)
    words = open_words(tmp_path / "words")
    model = WordModel.load("default")
    vectors = model.describe(cut_words(words, words.words, model.spec))
    assert score_by_string(words.words, vectors, model.spec.embedding, resamples=1).map > 0.3


def test_data_that_is_not_installed_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(word_model, "SHIPPED_WORDS", tmp_path / "nowhere")
    with pytest.raises(MissingExtra, match=r"word model default .* pip install 'dgmp\[pages\]'"):
        WordModel.load("default")


def test_a_folder_of_that_name_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match=r"words\.json"):
        WordModel.load(Path("default"))
