"""Words out of tables and layout files, and which are left out."""

import pytest
from drawing import written
from PIL import Image

from dgmp.errors import CorpusError
from dgmp.spotting import Embedding, open_words


@pytest.fixture
def table(tmp_path):
    """A function that writes a table beside a page of 400 × 300."""
    Image.fromarray(written(seed=1)).resize((400, 300)).save(tmp_path / "a.png")

    def write(*rows):
        path = tmp_path / "words.csv"
        path.write_text("file,x,y,w,h,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
        return path

    return write


def test_a_row_is_a_word_with_its_box_and_spelling(table):
    found = open_words(table("a.png,10,20,100,40,Été"))
    assert [(w.page, w.box, w.text) for w in found.words] == [("a.png", (10, 20, 110, 60), "ete")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a.png,10,20,100,40,", "its text is empty"),
        ("a.png,10,20,100,40,  ", "its text is empty"),
        ("a.png,x,20,100,40,word", "not four numbers"),
        ("a.png,inf,20,100,40,word", "not four numbers"),
        ("a.png,10,20,-5,40,word", "is -5×40 pixels"),
        ("a.png,350,20,100,40,word", "reaches beyond the page of 400×300"),
        ("a.png,-3,20,100,40,word", "reaches beyond"),
        ("b.png,10,20,100,40,word", "no picture 'b.png'"),
        ("a.png,10,20,100,40,слово", "which the alphabet"),
    ],
)
def test_a_word_that_cannot_be_used_is_left_out_and_named(table, row, reason):
    found = open_words(table("a.png,10,20,100,40,good", row))
    assert len(found.words) == 1
    ((where, why),) = found.left_out
    assert where == "words.csv:3"
    assert reason in why


def test_an_alphabet_of_the_user_lets_other_words_in(table):
    path = table("a.png,10,20,100,40,слово")
    assert open_words(path, Embedding(alphabet="слво")).words[0].text == "слово"


def test_a_folder_is_read_by_its_table(table):
    path = table("a.png,10,20,100,40,word")
    assert open_words(path.parent).words == open_words(path).words


def test_a_table_without_a_column_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("file,x,y,w,text\n")
    with pytest.raises(CorpusError, match="has no column h"):
        open_words(tmp_path / "t.csv")


def test_a_table_without_any_usable_word_is_refused(table):
    with pytest.raises(CorpusError, match="holds no word that can be used"):
        open_words(table("a.png,10,20,100,40,"))


ALTO = """<alto><Layout><Page WIDTH="800" HEIGHT="600"><PrintSpace><TextBlock><TextLine>
<String HPOS="20" VPOS="40" WIDTH="200" HEIGHT="80" CONTENT="one"/>
<String HPOS="300" VPOS="40" WIDTH="200" HEIGHT="80" CONTENT=""/>
<String CONTENT="three"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>"""
PAGE = """<PcGts><Page imageWidth="400" imageHeight="300"><TextRegion><TextLine>
<Word><Coords points="10,20 110,20 110,60 10,60"/>
<TextEquiv><Unicode>one</Unicode></TextEquiv></Word></TextLine></TextRegion></Page></PcGts>"""


@pytest.mark.parametrize(("text", "left_out"), [(ALTO, 2), (PAGE, 0)], ids=["alto", "page"])
def test_words_of_layout_files_are_in_pixels_of_the_picture(tmp_path, text, left_out):
    Image.fromarray(written(seed=1)).resize((400, 300)).save(tmp_path / "a.png")
    (tmp_path / "a.xml").write_text(text)
    found = open_words(tmp_path)
    assert [(w.box, w.text) for w in found.words] == [((10, 20, 110, 60), "one")]
    assert len(found.left_out) == left_out


def test_the_shared_words_are_all_used(shared_data):
    folder = shared_data / "words"
    if not folder.is_dir():
        pytest.skip("the shared words are not here")
    found = open_words(folder / "words.csv")
    assert (len(found.pages), len(found.words)) == (20, 4860)


def test_a_folder_with_neither_says_what_would_be_right(tmp_path):
    Image.fromarray(written(seed=1)).save(tmp_path / "a.png")
    with pytest.raises(CorpusError, match="file,x,y,w,h,text nor an ALTO or PAGE"):
        open_words(tmp_path)
