"""Which format a folder is in: none that takes folders for writers, unless somebody says so."""

from pathlib import Path

import pytest

from dgmp.corpora import FORMATS, open_corpus
from dgmp.corpora.formats import choose_format
from dgmp.errors import CorpusError, UnknownName

PLAIN = {
    "no folders": ["a.png", "b.png"],
    "a picture beside folders": ["a.png", "w/b.png"],
    "a single folder": ["w/a.png", "w/b.png"],
    "shelf marks": ["ms 12/f1.png", "ms 40/f1.png"],
    "folders called like scripts": ["uncial/a.png", "Cursiva/b.png"],
    "some names of a known set": ["1-IMG_MAX_2.png", "b.png"],
    "numbers as in ICDAR 2013": ["001_1.png", "001_2.png", "002_1.png"],
}


@pytest.mark.parametrize("names", PLAIN.values(), ids=PLAIN)
def test_a_folder_is_a_folder(page_file, corpus_folder, names):
    for name in names:
        page_file(name)
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "plain"
    assert [page.id for page in corpus] == sorted(names)
    assert not any(page.writer or page.script for page in corpus)


def test_the_file_names_of_historical_wi_decide():
    assert choose_format([Path("1-IMG_MAX_2.png"), Path("2-1-IMG_MAX_3.png")]) == "historical-wi"


@pytest.mark.parametrize("kind", ["csv", "clamm16", "clamm17"])
def test_a_format_that_needs_tables_says_so(kind):
    assert FORMATS[kind].from_tables


def test_a_kind_that_is_not_known_is_named_with_those_that_are(corpus_folder):
    with pytest.raises(UnknownName, match="no kind of corpus called 'writer'; did you mean 'write"):
        open_corpus(corpus_folder, kind="writer")


def test_a_variant_that_is_not_known_is_named_with_those_that_are(corpus_folder):
    with pytest.raises(CorpusError, match="variant must be colour or binarised, got 'grey'"):
        open_corpus(corpus_folder, variant="grey")
