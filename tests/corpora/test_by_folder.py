"""Labels from the names of folders."""

import pytest

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError

from .labels import labels


def test_one_folder_per_writer(page_file, corpus_folder):
    for name in ("anna/1.png", "anna/2.png", "bert/1.png"):
        page_file(name)
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "writers"
    assert labels(corpus, "writer") == {
        "anna/1.png": ("anna",), "anna/2.png": ("anna",), "bert/1.png": ("bert",)
    }  # fmt: skip


def test_one_folder_per_writer_below_folders_of_splits(page_file, corpus_folder):
    page_file("train/anna/1.png")
    page_file("test/bert/1.png")
    corpus = open_corpus(corpus_folder)
    assert labels(corpus, "writer", "split") == {
        "test/bert/1.png": ("bert", "test"), "train/anna/1.png": ("anna", "train")
    }  # fmt: skip


def test_folders_called_like_scripts_are_scripts(page_file, corpus_folder):
    for name in ("caroline/1.png", "half_uncial/2.png", "Southern Textualis/1.png"):
        page_file(name)
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "scripts"
    assert set(corpus.labels("script")) == {"caroline", "half_uncial", "Southern Textualis"}


def test_pictures_without_folders_have_no_labels(page_file, corpus_folder):
    page_file("a.png")
    page_file("b.png")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "plain"
    assert labels(corpus, "writer", "script") == {"a.png": (None, None), "b.png": (None, None)}


def test_labels_that_pages_do_not_have_are_an_error(page_file, corpus_folder):
    page_file("a.png")
    page_file("b.png")
    with pytest.raises(CorpusError, match=r"2 of 2 pages have no writer, the first is 'a\.png'"):
        open_corpus(corpus_folder).labels("writer")


def test_pictures_called_plain_have_no_labels_in_folders_either(page_file, corpus_folder):
    page_file("anna/1.png")
    page_file("bert/1.png")
    assert set(labels(open_corpus(corpus_folder, kind="plain"), "writer").values()) == {(None,)}
