"""Label files in the forms and encodings that they come in."""

import pytest

from dgmp.corpora.label_files import (
    CLAMM_SCRIPTS,
    century_of,
    clamm_script,
    plain_name,
    read_table,
    split_in,
)
from dgmp.errors import CorpusError


@pytest.fixture
def table(tmp_path):
    """A function that writes a label file and reads it."""

    def read(content, name="l.csv"):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(tmp_path / name)

    return read


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_come_in_many_encodings(table, encoding, delimiter):
    text = delimiter.join(("Filename", "Writer ID")) + "\r\n" + delimiter.join(("1.png", "René"))
    assert table(text.encode(encoding)).rows == ({"file": "1.png", "writer": "René"},)


def test_an_encoding_that_is_a_guess_is_noted(table):
    found = table("file,writer\n1.png,René\n".encode("cp1252"))
    assert found.notes == (("l.csv", "not UTF-8, read as Windows-1252"),)


def test_columns_that_are_not_known_are_passed_over(table):
    assert table("file,colour,writer\n1.png,red,anna\n").labels == {"writer"}


def test_the_column_page_is_the_scan(table):
    assert table("file,page\n1.png,f. 1r\n").rows == ({"file": "1.png", "scan": "f. 1r"},)


def test_empty_cells_are_no_labels(table):
    assert table("file,writer,script\n1.png,,Uncial\n").labels == {"script"}


def test_a_text_that_lists_no_files_is_no_label_file(table):
    assert table("thing,price\ninkwell,3\n") is None


@pytest.mark.parametrize("content", ["", "\n\n", "read me\nfirst\n"])
def test_any_other_text_is_no_label_file(table, content):
    assert table(content, "notes.txt") is None


def test_a_script_is_a_number_only_where_all_are(table):
    assert table("FILENAME;SCRIPT_TYPE\na.tif;1\nb.tif;12\n").numbered
    assert not table("FILENAME;SCRIPT_TYPE\na.tif;1\nb.tif;UNCIAL\n").numbered


def test_clamm_lists_names_and_scripts_without_a_header(table):
    found = table("a.tif;CAROLINE\nb.tif;HALF_UNCIAL\n")
    assert found.official
    assert [row["script"] for row in found.rows] == ["Caroline", "Half-Uncial"]


def test_a_page_in_two_scripts_has_no_label_and_a_note(table):
    found = table("a.tif;CAROLINE\nb.tif;UNCIAL;TEXTUALIS\n")
    assert found.rows[1] == {"file": "b.tif"}
    assert found.notes == (("b.tif", "has several scripts (Uncial, Textualis), no label"),)


def test_a_list_of_names_and_numbers_may_have_spaces_in_its_names(table):
    found = table("a b.tif 3\nc.tif 4\n", "list.txt")
    assert found.numbered
    assert found.rows == ({"file": "a b.tif", "script": "3"}, {"file": "c.tif", "script": "4"})


def test_a_line_of_another_form_in_a_list_is_noted(table):
    found = table("a.tif 3\nthe end\n", "list.txt")
    assert found.notes == (("list.txt", "line 2 is not of the form 'name.tif id'"),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\0\0", "is no text, though its name ends in .csv"),
        (b"file,path,writer\na.png,a.png,x\n", "several columns for the file: file, path"),
    ],
)
def test_a_table_that_cannot_be_understood_is_an_error(table, content, message):
    with pytest.raises(CorpusError, match=message):
        table(content)


def test_a_label_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(CorpusError, match=r"l\.csv: cannot be read \(No such file"):
        read_table(tmp_path / "l.csv")


@pytest.mark.parametrize("name", ["Half-Uncial", "half_uncial", "HALF UNCIAL", "halfuncial"])
def test_scripts_are_known_in_every_spelling(name):
    assert clamm_script(name) == "Half-Uncial"


def test_a_script_that_clamm_does_not_have_is_none():
    assert clamm_script("Comic") is None


def test_plain_names_of_the_twelve_scripts_differ():
    assert len({plain_name(name) for name in CLAMM_SCRIPTS}) == len(CLAMM_SCRIPTS) == 12


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train", "train"),
        ("icdar17-training-binary", "train"),
        ("labels_val", "val"),
        ("ICDAR2017_CLaMM_task1_task3", "test"),
        ("train_and_test", None),
        ("trainer", None),
    ],
)
def test_a_name_gives_a_split_if_it_holds_the_word_of_just_one(name, split):
    assert split_in(name) == split


def test_what_dgmp_hands_wrote_is_no_label_file(tmp_path):
    (tmp_path / "hands.csv").write_text("page,hand,fit,confidence,path\na.png,1,1.0,0.9,a.png\n")
    assert read_table(tmp_path / "hands.csv") is None


def test_a_table_of_one_column_lists_its_files(tmp_path):
    (tmp_path / "pages.csv").write_text("file\na.png\nb c.png\n")
    assert read_table(tmp_path / "pages.csv").rows == ({"file": "a.png"}, {"file": "b c.png"})


@pytest.mark.parametrize(
    "content",
    [
        b"file,writer\na.png," + b"x" * 140_000,
        "file,writer\na.png,\0".encode("utf-16"),
        b"file,writer\na\0.png,b",
    ],
    ids=["a cell of 140 000 letters", "NUL in UTF-16", "NUL"],
)
def test_what_is_no_table_is_refused_in_words(tmp_path, content):
    (tmp_path / "pages.csv").write_bytes(content)
    with pytest.raises(CorpusError, match=r"pages\.csv: "):
        read_table(tmp_path / "pages.csv")


def test_lines_may_end_as_on_old_macs(tmp_path):
    (tmp_path / "pages.csv").write_bytes(b"file,writer\ra.png,b\r")
    assert read_table(tmp_path / "pages.csv").rows == ({"file": "a.png", "writer": "b"},)


@pytest.mark.parametrize(
    ("date", "century"),
    [("1143", "12"), ("1100", "11"), ("1101", "12"), ("c. 850", "09"), ("1490–1530", "16")],
)
def test_the_century_of_a_date_is_that_of_its_year_or_of_the_middle_of_two(date, century):
    assert century_of(date) == century


@pytest.mark.parametrize("given", [("s. d.",), ("9999",), (None, "XII"), (None, "40"), (None,)])
def test_what_says_no_century_gives_none(given):
    assert century_of(*given) is None


def test_a_table_gives_centuries_by_themselves_or_by_dates(table):
    found = table("file,date,century\n1.png,1143,\n2.png,1143,9\n3.png,undated,\n4.png,,\n")
    assert [row.get("century") for row in found.rows] == ["12", "09", None, None]
    assert found.notes == (("l.csv", "line 4: 'undated' says no century"),)
