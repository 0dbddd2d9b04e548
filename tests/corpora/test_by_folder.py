"""Labels from the names of folders."""

import pytest

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError

from .labels import labels


def test_one_folder_per_writer(page_file, corpus_folder):
    for name in ("anna/1.png", "anna/2.png", "bert/1.png"):
        page_file(name)
    corpus = open_corpus(corpus_folder, kind="writers")
    assert labels(corpus, "writer") == {
        "anna/1.png": ("anna",), "anna/2.png": ("anna",), "bert/1.png": ("bert",)
    }  # fmt: skip


def test_one_folder_per_writer_below_folders_of_splits(page_file, corpus_folder):
    page_file("train/anna/1.png")
    page_file("test/bert/1.png")
    corpus = open_corpus(corpus_folder, kind="writers")
    assert labels(corpus, "writer", "split") == {
        "test/bert/1.png": ("bert", "test"), "train/anna/1.png": ("anna", "train")
    }  # fmt: skip


def test_one_folder_per_script(page_file, corpus_folder):
    for name in ("caroline/1.png", "half_uncial/2.png", "Southern Textualis/1.png"):
        page_file(name)
    corpus = open_corpus(corpus_folder, kind="scripts")
    assert set(corpus.labels("script")) == {"caroline", "half_uncial", "Southern Textualis"}


def test_pictures_without_folders_have_no_labels(page_file, corpus_folder):
    page_file("a.png")
    page_file("b.png")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "plain"
    assert labels(corpus, "writer", "script") == {"a.png": (None, None), "b.png": (None, None)}


def test_labels_that_pages_do_not_have_are_an_error_that_says_where_they_come_from(
    page_file, corpus_folder
):
    page_file("w/a.png")
    page_file("w/b.png")
    words = r"2 of 2 pages have no writer, the first is 'w/a\.png': a label file .*--kind writers"
    with pytest.raises(CorpusError, match=words):
        open_corpus(corpus_folder).labels("writer")


def test_names_of_folders_are_no_labels_unless_said(page_file, corpus_folder):
    page_file("ms 12/1.png")
    page_file("ms 40/1.png")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "plain"
    assert set(labels(corpus, "writer", "script").values()) == {(None, None)}
