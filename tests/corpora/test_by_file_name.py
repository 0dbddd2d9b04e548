"""Labels from the file names of official sets."""

import pytest

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError


def test_historical_wi_has_the_writer_in_the_file_name(page_file, corpus_folder):
    page_file("icdar17-training-binary/12-3-IMG_MAX_309740.png")
    page_file("icdar17-test-binary/1379-IMG_MAX_1005584.png")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "historical-wi"
    assert [(p.writer, p.scan, p.split) for p in corpus] == [
        ("1379", "1005584", "test"), ("12", "309740", "train")
    ]  # fmt: skip


def test_historical_wi_in_one_folder_is_split_by_its_two_forms_of_names(page_file, corpus_folder):
    page_file("12-3-IMG_MAX_309740.jpg")
    page_file("1379-IMG_MAX_1005584.jpg")
    assert {p.writer: p.split for p in open_corpus(corpus_folder)} == {
        "12": "train",
        "1379": "test",
    }


@pytest.fixture
def both_variants(page_file, corpus_folder):
    page_file("color/12-3-IMG_MAX_309740.jpg")
    page_file("binarized/12-3-IMG_MAX_309740.png")
    return corpus_folder


def test_historical_wi_in_colour_and_binarised_asks_which(both_variants):
    with pytest.raises(CorpusError, match="variant='colour' or variant='binarised'"):
        open_corpus(both_variants)


@pytest.mark.parametrize(
    ("variant", "id"),
    [
        ("binarised", "binarized/12-3-IMG_MAX_309740.png"),
        ("colour", "color/12-3-IMG_MAX_309740.jpg"),
    ],
)
def test_a_variant_chooses_one_picture_of_each_page(both_variants, variant, id):
    (page,) = open_corpus(both_variants, variant=variant)
    assert (page.id, page.writer) == (id, "12")


def test_a_variant_that_is_not_there_is_an_error(page_file, corpus_folder):
    page_file("12-3-IMG_MAX_309740.jpg")
    with pytest.raises(CorpusError, match="has no binarised pages, only colour"):
        open_corpus(corpus_folder, variant="binarised")


def test_a_name_of_another_form_is_left_out(page_file, corpus_folder):
    page_file("1379-IMG_MAX_1005584.png")
    page_file("cover.png")
    corpus = open_corpus(corpus_folder, kind="historical-wi")
    assert corpus.left_out == (("cover.png", "its name is not one of Historical-WI, ICDAR 2017"),)


def test_icdar13_has_the_writer_in_the_file_name(page_file, corpus_folder):
    for name in ("experimental/001_1.tif", "experimental/002_4.tif", "benchmarking/101_2.tif",
                 "benchmarking/102_2.tif"):  # fmt: skip
        page_file(name)
    corpus = open_corpus(corpus_folder, kind="icdar13")
    assert {(p.writer, p.scan, p.split) for p in corpus} == {
        ("001", "1", "train"), ("002", "4", "train"), ("101", "2", "test"), ("102", "2", "test")
    }  # fmt: skip
