"""Folders of every layout open with the right labels."""

import pytest

from dgmp.corpora import open_corpus
from dgmp.errors import CorpusError

ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout>
<Page WIDTH="420" HEIGHT="300"><PrintSpace>{}</PrintSpace></Page></Layout></alto>"""


def labels(corpus, *names):
    return {page.id: tuple(getattr(page, name) for name in names) for page in corpus}


def test_hands_opens_with_the_counts_of_its_readme(shared_data):
    corpus = open_corpus(shared_data / "hands")
    assert (len(corpus), corpus.left_out, corpus.notes) == (630, (), ())
    assert len(set(corpus.labels("writer"))) == 167
    for side, writers, pages in (("train", 109, 370), ("test", 58, 260)):
        chosen = corpus.side(side)
        assert (len({page.writer for page in chosen}), len(chosen)) == (writers, pages)


def test_scripts_opens_with_the_counts_of_its_readme(shared_data):
    corpus = open_corpus(shared_data / "scripts")
    assert (len(corpus), corpus.left_out, corpus.notes) == (213, (), ())
    assert len(set(corpus.labels("script"))) == 7
    assert len(set(corpus.labels("manuscript"))) == 87
    for side, manuscripts, pages in (("train", 52, 131), ("test", 35, 82)):
        chosen = corpus.side(side)
        assert (len({page.manuscript for page in chosen}), len(chosen)) == (manuscripts, pages)


def test_one_folder_per_writer(page_file, corpus_folder):
    for name in ("anna/1.png", "anna/2.png", "bert/1.png"):
        page_file(name)
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "writers"
    assert labels(corpus, "writer") == {
        "anna/1.png": ("anna",), "anna/2.png": ("anna",), "bert/1.png": ("bert",)
    }  # fmt: skip


def test_one_folder_per_writer_below_the_sides_of_a_split(page_file, corpus_folder):
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
    with pytest.raises(CorpusError, match="2 of 2 pages have no writer"):
        corpus.labels("writer")


def test_a_single_picture_is_a_corpus(page_file):
    assert [page.id for page in open_corpus(page_file("a.png"))] == ["a.png"]


def test_a_table_wins_over_folder_names(page_file, corpus_folder):
    page_file("x/1.png")
    page_file("y/2.png")
    (corpus_folder / "labels.csv").write_text(
        "file,writer,split,page,manuscript,colour\nx/1.png,Ännchen,train,f. 1r,Ms 1,red\n"
        "y\\2.png,bert,Validation,,Ms 2,\n"
    )
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "csv"
    assert labels(corpus, "writer", "split", "sheet", "manuscript") == {
        "x/1.png": ("Ännchen", "train", "f. 1r", "Ms 1"),
        "y/2.png": ("bert", "val", None, "Ms 2"),
    }
    assert open_corpus(corpus_folder / "labels.csv").pages == corpus.pages


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_come_in_many_encodings(page_file, corpus_folder, encoding, delimiter):
    page_file("1.png")
    text = delimiter.join(("Filename", "Writer ID")) + "\r\n" + delimiter.join(("1.png", "René"))
    (corpus_folder / "t.csv").write_bytes(text.encode(encoding))
    assert open_corpus(corpus_folder).labels("writer") == ("René",)


def test_historical_wi_has_the_writer_in_the_file_name(page_file, corpus_folder):
    page_file("icdar17-training-binary/12-3-IMG_MAX_309740.png")
    page_file("icdar17-test-binary/1379-IMG_MAX_1005584.png")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "historical-wi"
    assert [(p.writer, p.sheet, p.split) for p in corpus] == [
        ("1379", "1005584", "test"), ("12", "309740", "train")
    ]  # fmt: skip


def test_historical_wi_in_one_folder_is_told_apart_by_its_names(page_file, corpus_folder):
    page_file("12-3-IMG_MAX_309740.jpg")
    page_file("1379-IMG_MAX_1005584.jpg")
    assert {p.writer: p.split for p in open_corpus(corpus_folder)} == {
        "12": "train",
        "1379": "test",
    }


def test_historical_wi_in_colour_and_binarised_asks_which(page_file, corpus_folder):
    page_file("color/12-3-IMG_MAX_309740.jpg")
    page_file("binarized/12-3-IMG_MAX_309740.png")
    with pytest.raises(CorpusError, match="variant='colour' or variant='binarised'"):
        open_corpus(corpus_folder)
    (page,) = open_corpus(corpus_folder, variant="binarised")
    assert (page.id, page.writer) == ("binarized/12-3-IMG_MAX_309740.png", "12")


def test_icdar13(page_file, corpus_folder):
    for name in ("experimental/001_1.tif", "experimental/002_4.tif", "benchmarking/101_2.tif",
                 "benchmarking/102_2.tif"):  # fmt: skip
        page_file(name)
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "icdar13"
    assert {(p.writer, p.sheet, p.split) for p in corpus} == {
        ("001", "1", "train"), ("002", "4", "train"), ("101", "2", "test"), ("102", "2", "test")
    }  # fmt: skip


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


def test_clamm_numbers_that_fit_both_years_are_asked_for(page_file, corpus_folder):
    page_file("a.tif")
    (corpus_folder / "list.txt").write_text("a.tif 5\n")
    with pytest.raises(CorpusError, match="kind='clamm16' or kind='clamm17'"):
        open_corpus(corpus_folder)
    scripts = [
        open_corpus(corpus_folder, kind=k).labels("script")[0] for k in ("clamm16", "clamm17")
    ]
    assert scripts == ["Hybrida", "Humanistic Cursive"]


AMBIGUOUS = {
    "pictures beside folders": (["a.png", "w/b.png"], "1 pictures lie beside folders"),
    "a single folder": (["w/a.png", "w/b.png"], "all pictures lie in 'w'"),
    "scripts among others": (["uncial/a.png", "bert/b.png"], "'uncial' is a script and 'bert'"),
    "some names of a known set": (["1-IMG_MAX_2.png", "b.png"], "1 of 2 file names"),
    "two sorts of writers": (["x/001_1.png", "y/001_2.png"], "ICDAR 2013 and folders like writers"),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_asked_for(page_file, corpus_folder, case):
    names, told = AMBIGUOUS[case]
    for name in names:
        page_file(name)
    with pytest.raises(CorpusError, match=told) as asked:
        open_corpus(corpus_folder)
    assert "kind=" in str(asked.value)
    assert len(open_corpus(corpus_folder, kind="plain")) == len(names)


def test_two_tables_of_the_same_files_are_asked_for(page_file, corpus_folder):
    page_file("1.png")
    (corpus_folder / "a.csv").write_text("file,writer\n1.png,anna\n")
    (corpus_folder / "b.csv").write_text("file,writer\n1.png,bert\n")
    with pytest.raises(CorpusError, match=r"a.csv and b.csv both list '1.png'"):
        open_corpus(corpus_folder)
    assert open_corpus(corpus_folder, labels=corpus_folder / "b.csv").labels("writer") == ("bert",)


@pytest.mark.parametrize("column", ["writer", "manuscript"])
def test_a_group_on_both_sides_is_named(page_file, corpus_folder, column):
    page_file("1.png")
    page_file("2.png")
    (corpus_folder / "l.csv").write_text(
        f"file,{column},split\n1.png,Ms 7,train\n2.png,Ms 7,test\n"
    )
    with pytest.raises(CorpusError, match=f"{column} 'Ms 7' is on both sides of the split"):
        open_corpus(corpus_folder)


def test_every_picture_of_a_tiff_is_a_page_but_not_its_thumbnail(page_file, corpus_folder):
    from PIL import Image

    from .conftest import written

    frames = [Image.fromarray(written(seed=seed)) for seed in range(3)]
    frames[2].encoderinfo = {"tiffinfo": {254: 1}}
    page_file("book.tif", frames[0], save_all=True, append_images=frames[1:])
    corpus = open_corpus(corpus_folder)
    assert [page.id for page in corpus] == ["book.tif#frame=0", "book.tif#frame=1"]
    assert len({page.content_hash for page in corpus}) == 2


def test_the_content_hash_is_that_of_the_file_and_follows_it(page_file, corpus_folder):
    import hashlib
    import os

    path = page_file("a.png")
    (page,) = open_corpus(corpus_folder)
    assert page.content_hash == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes() + b"\0")
    os.utime(path, ns=(1, 1))
    assert page.content_hash == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("place", ["a.xml", "page/a.xml", "alto/a.xml", "a.alto.xml"])
def test_a_layout_file_beside_the_picture_is_found(page_file, corpus_folder, place):
    page_file("a.png")
    path = corpus_folder / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(ALTO.format('<TextBlock HPOS="10" VPOS="20" WIDTH="100" HEIGHT="50"/>'))
    (page,) = open_corpus(corpus_folder)
    assert page.regions == (((10, 20), (110, 20), (110, 70), (10, 70)),)


def test_each_region_may_be_a_page(page_file, corpus_folder):
    page_file("a.png")
    block = '<TextBlock HPOS="{}" VPOS="20" WIDTH="100" HEIGHT="200"/>'
    (corpus_folder / "a.xml").write_text(ALTO.format(block.format(10) + block.format(200)))
    corpus = open_corpus(corpus_folder, each_region=True)
    assert [page.id for page in corpus] == ["a.png#region=0", "a.png#region=1"]
    assert len({page.content_hash for page in corpus}) == 2


def test_a_table_without_files_is_passed_over_and_noted(page_file, corpus_folder):
    page_file("1.png")
    (corpus_folder / "prices.csv").write_text("thing,price\ninkwell,3\n")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "plain"
    assert corpus.notes == (("prices.csv", "passed over: no column 'file'"),)


def test_a_label_file_may_lie_elsewhere(page_file, corpus_folder, tmp_path):
    page_file("x/1.png")
    page_file("y/1.png")
    (tmp_path / "mine.csv").write_text("file,writer\nx/1.png,anna\ny/1.png,bert\n")
    assert open_corpus(corpus_folder, labels=tmp_path / "mine.csv").labels("writer") == (
        "anna",
        "bert",
    )


@pytest.mark.parametrize(("module", "package"), [("cv2", "opencv"), ("PIL.Image", "pillow")])
def test_the_bare_install_says_what_to_install(page_file, monkeypatch, module, package):
    import sys

    from dgmp.corpora import extras
    from dgmp.errors import MissingExtra

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"{package}.*pip install 'dgmp\[classical\]'"):
        getattr(extras, package)()


def test_a_corpus_of_thousands_opens_by_headers_alone(page_file, corpus_folder, monkeypatch):
    page_file("a.png")
    page_file("b.tif")
    page_file("c.jpg")
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda self: pytest.fail("decoded"))
    assert len(open_corpus(corpus_folder)) == 3
