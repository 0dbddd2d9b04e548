"""Labels from tables that list files."""

import pytest

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError

from .labels import labels


def test_a_table_wins_over_folder_names(page_file, corpus_folder):
    page_file("x/1.png")
    page_file("y/2.png")
    (corpus_folder / "labels.csv").write_text(
        "file,writer,split,page,manuscript,colour\nx/1.png,Ännchen,train,f. 1r,Ms 1,red\n"
        "y\\2.png,bert,Validation,,Ms 2,\n"
    )
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "csv"
    assert labels(corpus, "writer", "split", "scan", "manuscript") == {
        "x/1.png": ("Ännchen", "train", "f. 1r", "Ms 1"),
        "y/2.png": ("bert", "val", None, "Ms 2"),
    }


def test_the_path_of_a_label_file_opens_its_corpus(page_file, corpus_folder):
    page_file("x/1.png")
    (corpus_folder / "labels.csv").write_text("file,writer\nx/1.png,anna\n")
    assert open_corpus(corpus_folder / "labels.csv").pages == open_corpus(corpus_folder).pages


def test_a_label_file_may_lie_elsewhere(page_file, corpus_folder, tmp_path):
    page_file("x/1.png")
    page_file("y/1.png")
    (tmp_path / "mine.csv").write_text("file,writer\nx/1.png,anna\ny/1.png,bert\n")
    assert open_corpus(corpus_folder, labels=tmp_path / "mine.csv").labels("writer") == (
        "anna",
        "bert",
    )


def test_a_bare_name_means_the_one_picture_of_that_name_below(page_file, corpus_folder):
    page_file("images/1.png")
    (corpus_folder / "l.csv").write_text("file,writer\n1.png,anna\n")
    assert labels(open_corpus(corpus_folder), "writer") == {"images/1.png": ("anna",)}


def test_a_bare_name_of_several_pictures_is_left_out(page_file, corpus_folder):
    page_file("x/1.png")
    page_file("y/1.png")
    (corpus_folder / "l.csv").write_text("file,writer\n1.png,anna\n")
    reasons = dict(open_corpus(corpus_folder).left_out)
    assert reasons["1.png"] == ("listed in l.csv, but found in several places: x/1.png, y/1.png")


@pytest.mark.parametrize("length", [300, 5000])
def test_a_name_that_no_file_can_have_is_left_out(page_file, corpus_folder, length):
    page_file("1.png")
    name = "y" * length + ".png"
    (corpus_folder / "l.csv").write_text(f"file,writer\n1.png,anna\n{name},bert\n")
    corpus = open_corpus(corpus_folder)
    assert corpus.labels("writer") == ("anna",)
    assert dict(corpus.left_out)[name].startswith("listed in l.csv, but there is no such file")


def test_two_tables_of_the_same_files_are_an_error_that_names_both(page_file, corpus_folder):
    page_file("1.png")
    (corpus_folder / "a.csv").write_text("file,writer\n1.png,anna\n")
    (corpus_folder / "b.csv").write_text("file,writer\n1.png,bert\n")
    with pytest.raises(CorpusError, match=r"a.csv and b.csv both list '1.png'"):
        open_corpus(corpus_folder)


def test_one_of_two_tables_can_be_chosen(page_file, corpus_folder):
    page_file("1.png")
    (corpus_folder / "a.csv").write_text("file,writer\n1.png,anna\n")
    (corpus_folder / "b.csv").write_text("file,writer\n1.png,bert\n")
    assert open_corpus(corpus_folder, labels=corpus_folder / "b.csv").labels("writer") == ("bert",)


def test_tables_of_different_labels_are_an_error_that_names_both(page_file, corpus_folder):
    page_file("1.png")
    page_file("2.png")
    (corpus_folder / "a.csv").write_text("file,writer\n1.png,anna\n")
    (corpus_folder / "b.csv").write_text("file,script\n2.png,Uncial\n")
    with pytest.raises(CorpusError, match=r"label files of different sorts \(a.csv, b.csv\)"):
        open_corpus(corpus_folder)


def test_a_kind_that_needs_a_table_says_so_where_there_is_none(page_file, corpus_folder):
    page_file("1.png")
    with pytest.raises(CorpusError, match="kind 'csv' needs a label file, and there is none"):
        open_corpus(corpus_folder, kind="csv")


def test_clamm16_by_names(page_file, corpus_folder):
    for name in "ab":
        page_file(f"IRHT_P_{name}.tif")
    (corpus_folder / "@CLaMM-filelist.csv").write_text(
        "FILENAME;SCRIPT_TYPE\nIRHT_P_a.tif;SOUTHERN_TEXTUALIS\nIRHT_P_b.tif;HALF-UNCIAL\n"
    )
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "clamm16"
    assert corpus.labels("script") == ("Southern Textualis", "Half-Uncial")


def test_clamm17_has_official_tables_per_folder(page_file, corpus_folder):
    page_file("ICDAR2017_CLaMM_Training/a.tif")
    page_file("ICDAR2017_CLaMM_task1_task3/b.tif")
    (corpus_folder / "ICDAR2017_CLaMM_Training" / "@ICDAR2017_CLaMM_Training.csv").write_text(
        "FILENAME;SCRIPT_TYPE;DATE_TYPE\na.tif;1;3\n"
    )
    task = corpus_folder / "ICDAR2017_CLaMM_task1_task3"
    (task / "@ICDAR2017_CLaMM_task1_task3.csv").write_text(
        "N;FILE_NAME;Script_type_ICDAR2017;DATE_ICDAR\n1;b.tif;12;4\n"
    )
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "clamm17"
    assert labels(corpus, "script", "split") == {
        "ICDAR2017_CLaMM_Training/a.tif": ("Caroline", "train"),
        "ICDAR2017_CLaMM_task1_task3/b.tif": ("Uncial", "test"),
    }


@pytest.mark.parametrize(
    ("numbers", "kind", "first"),
    [((0, 3), "clamm16", "Caroline"), ((1, 12), "clamm17", "Caroline")],
)
def test_clamm_label_files(page_file, corpus_folder, numbers, kind, first):
    for name in ("a b.tif", "c.tif"):
        page_file(f"images/{name}")
    (corpus_folder / "labels_train.txt").write_text(f"a b.tif {numbers[0]}\n")
    (corpus_folder / "labels_val.txt").write_text(f"c.tif {numbers[1]}\n")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == kind
    assert (corpus.pages[0].script, corpus.pages[0].split) == (first, "train")
    assert corpus.pages[1].split == "val"


def test_clamm_numbers_that_fit_both_years_are_an_error_that_names_both(page_file, corpus_folder):
    page_file("a.tif")
    (corpus_folder / "list.txt").write_text("a.tif 5\n")
    with pytest.raises(CorpusError, match="kind='clamm16' or kind='clamm17'"):
        open_corpus(corpus_folder)


@pytest.mark.parametrize(
    ("kind", "script"), [("clamm16", "Hybrida"), ("clamm17", "Humanistic Cursive")]
)
def test_clamm_numbers_count_from_0_in_2016_and_from_1_in_2017(
    page_file, corpus_folder, kind, script
):
    page_file("a.tif")
    (corpus_folder / "list.txt").write_text("a.tif 5\n")
    assert open_corpus(corpus_folder, kind=kind).labels("script") == (script,)


def test_clamm_numbers_that_fit_both_years_go_by_the_year_in_a_name(page_file, corpus_folder):
    page_file("CLaMM2017/a.tif")
    (corpus_folder / "CLaMM2017" / "list.txt").write_text("a.tif 5\n")
    assert open_corpus(corpus_folder).kind == "clamm17"


# the label file, what is remarked on which file, and whether it is left out
ROWS = {
    "missing file": ("file,writer\na.png,x\nb.png,y\n", "b.png", "but there is no such file", True),
    "unlisted file": ("file,writer\n", "a.png", "not listed in l.csv", True),
    "other writer": ("file,writer\na.png,x\na.png,y\n", "a.png", "writer: 'x' and 'y'", True),
    "outside": ("file,writer\na.png,x\n../o.png,y\n", "../o.png", "lies outside the corpus", True),
    "folder": ("file,writer\na.png,x\nsub,y\n", "sub", "but is a folder", True),
    "listed twice": ("file,writer\na.png,x\na.png,x\n", "a.png", "listed twice in l.csv", False),
    "short row": ("writer,file,split\nx,a.png\n", "l.csv", "line 2 has 2 cells", False),
    "no file": ("file,writer\na.png,x\n,y\n", "l.csv", "line 3 names no file", False),
    "no label": ("file,writer\na.png,\nc.png,x\n", "a.png", "has no writer", False),
    "script number": ("FILENAME;SCRIPT_TYPE\na.png;0\n", "a.png", "not one of clamm17", True),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS)
def test_a_fault_of_a_label_file_is_remarked_on(kind, page_file, corpus_folder):
    text, file, reason, left_out = ROWS[kind]
    for name in ("a.png", "c.png", "sub/d.png", "../o.png"):
        page_file(name)
    (corpus_folder / "l.csv").write_text(text)
    corpus = open_corpus(corpus_folder, kind="clamm17" if "script" in kind else None)
    remarks = corpus.left_out if left_out else corpus.notes
    assert any(remark.file == file and reason in remark.reason for remark in remarks), remarks


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((13, 1), "script number 13, CLaMM has twelve"),
        ((0, 12), "script numbers from 0 to 12, CLaMM has twelve"),
    ],
)
def test_script_numbers_that_clamm_does_not_have_are_an_error(
    page_file, corpus_folder, numbers, message
):
    page_file("a.png")
    rows = "".join(f"a.png;{number}\n" for number in numbers)
    (corpus_folder / "l.csv").write_text(f"FILENAME;SCRIPT_TYPE\n{rows}")
    with pytest.raises(CorpusError, match=message):
        open_corpus(corpus_folder)
