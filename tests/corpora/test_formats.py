"""Which format a folder is in, and the error where that is not clear."""

import pytest

from dgmp.corpora import FORMATS, open_corpus
from dgmp.corpora.formats import choose_format
from dgmp.errors import CorpusError, UnknownName

AMBIGUOUS = {
    "pictures beside folders": (["a.png", "w/b.png"], "1 pictures lie beside folders"),
    "a single folder": (["w/a.png", "w/b.png"], "all pictures lie in 'w'"),
    "scripts among others": (["uncial/a.png", "bert/b.png"], "'uncial' is a script and 'bert'"),
    "some names of a known set": (["1-IMG_MAX_2.png", "b.png"], "1 of 2 file names"),
    "two sorts of writers": (["x/001_1.png", "y/001_2.png"], "ICDAR 2013, folders like writers"),
}  # fmt: skip
AMBIGUOUS_CASES = pytest.mark.parametrize(("names", "message"), AMBIGUOUS.values(), ids=AMBIGUOUS)


@AMBIGUOUS_CASES
def test_a_folder_of_several_formats_is_an_error_that_names_them(
    page_file, corpus_folder, names, message
):
    for name in names:
        page_file(name)
    with pytest.raises(CorpusError, match=rf"{message}.*say kind="):
        open_corpus(corpus_folder)


@AMBIGUOUS_CASES
def test_a_kind_that_is_said_is_taken(page_file, corpus_folder, names, message):
    for name in names:
        page_file(name)
    assert len(open_corpus(corpus_folder, kind="plain")) == len(names)


CLEAR = {
    "plain": ["a.png", "b.png"],
    "writers": ["anna/a.png", "bert/b.png"],
    "scripts": ["uncial/a.png", "Cursiva/b.png"],
    "historical-wi": ["1-IMG_MAX_2.png", "2-1-IMG_MAX_3.png"],
    "icdar13": ["001_1.tif", "002_1.tif"],
}


@pytest.mark.parametrize("kind", CLEAR)
def test_files_alone_decide_a_format(kind, tmp_path):
    assert choose_format(tmp_path, [tmp_path / name for name in CLEAR[kind]]) == kind


@pytest.mark.parametrize("kind", ["csv", "clamm16", "clamm17"])
def test_a_format_that_needs_tables_says_so(kind):
    assert FORMATS[kind].from_tables


def test_a_kind_that_is_not_known_is_named_with_those_that_are(corpus_folder):
    with pytest.raises(UnknownName, match="no kind of corpus called 'writer'; did you mean 'write"):
        open_corpus(corpus_folder, kind="writer")


def test_a_variant_that_is_not_known_is_named_with_those_that_are(corpus_folder):
    with pytest.raises(CorpusError, match="variant must be colour or binarised, got 'grey'"):
        open_corpus(corpus_folder, variant="grey")
