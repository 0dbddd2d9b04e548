"""The words of ALTO and PAGE files."""

import pytest

from dgmp.corpora import read_layout_words
from dgmp.errors import CorpusError

ALTO = '<alto><Layout><Page WIDTH="800" HEIGHT="600">{}</Page></Layout></alto>'
PAGE = '<PcGts><Page imageWidth="800" imageHeight="600">{}</Page></PcGts>'
SIZE = (400, 300)


@pytest.mark.parametrize(
    "text",
    [
        ALTO.format('<String HPOS="20" VPOS="40" WIDTH="200" HEIGHT="80" CONTENT=" one "/>'),
        PAGE.format(
            '<Word><Coords points="20,40 220,40 220,120 20,120"/>'
            "<TextEquiv><Unicode>one</Unicode></TextEquiv></Word>"
        ),
    ],
    ids=["alto", "page"],
)
def test_a_word_has_its_place_in_the_picture_and_its_text(tmp_path, text):
    (tmp_path / "a.xml").write_text(text)
    assert read_layout_words(tmp_path / "a.xml", SIZE) == [((10, 20, 110, 60), "one")]


def test_a_word_without_a_place_is_none_and_one_without_text_empty(tmp_path):
    string = '<String CONTENT="one"/><String HPOS="2" VPOS="4" WIDTH="20" HEIGHT="8"/>'
    (tmp_path / "a.xml").write_text(ALTO.format(string))
    assert read_layout_words(tmp_path / "a.xml", SIZE) == [None, ((1, 2, 11, 6), "")]


def test_broken_coordinates_are_named(tmp_path):
    (tmp_path / "a.xml").write_text(PAGE.format('<Word><Coords points="1,2 3"/></Word>'))
    with pytest.raises(CorpusError, match="broken coordinates"):
        read_layout_words(tmp_path / "a.xml", SIZE)
