"""Opening a corpus: pages with their labels, what is left out, and what is noted."""

import errno
import hashlib
import json
import os

import pytest
from drawing import written
from PIL import Image

from dgmp.corpora import open_corpus, split_pages, write_split
from dgmp.errors import CorpusError, UnknownName
from dgmp.records import Region
from dgmp.sources import SOURCES, FileSource, open_source

from .labels import labels
from .layouts import ALTO, BLOCK


def test_hands_opens_with_the_counts_of_its_readme(shared_data):
    corpus = open_corpus(shared_data / "hands")
    assert (len(corpus), corpus.left_out, corpus.notes) == (630, (), ())
    assert len(set(corpus.labels("writer"))) == 167
    for split, writers, pages in (("train", 109, 370), ("test", 58, 260)):
        chosen = corpus.in_split(split)
        assert (len({page.writer for page in chosen}), len(chosen)) == (writers, pages)


def test_scripts_opens_with_the_counts_of_its_readme(shared_data):
    corpus = open_corpus(shared_data / "scripts")
    assert (len(corpus), corpus.left_out, corpus.notes) == (213, (), ())
    assert len(set(corpus.labels("script"))) == 7
    assert len(set(corpus.labels("manuscript"))) == 87
    for split, manuscripts, pages in (("train", 52, 131), ("test", 35, 82)):
        chosen = corpus.in_split(split)
        assert (len({page.manuscript for page in chosen}), len(chosen)) == (manuscripts, pages)


def test_pages_are_in_the_order_of_their_ids(page_file, corpus_folder):
    for name in ("b/1.png", "a/2.png", "a/1.png"):
        page_file(name)
    assert [page.id for page in open_corpus(corpus_folder)] == ["a/1.png", "a/2.png", "b/1.png"]


def test_a_page_has_its_file_as_source_and_its_size(page_file, corpus_folder):
    path = page_file("a.png", written(420, 300))
    (page,) = open_corpus(corpus_folder)
    assert (page.source, page.size) == (FileSource(path), (420, 300))


def test_a_single_picture_is_a_corpus(page_file):
    assert [page.id for page in open_corpus(page_file("a.png"))] == ["a.png"]


@pytest.mark.parametrize("name", [".hidden.png", ".hidden/a.png", "__MACOSX/a.png"])
def test_what_a_system_hides_is_passed_over(page_file, corpus_folder, name):
    page_file("a.png")
    page_file(name)
    corpus = open_corpus(corpus_folder)
    assert ([page.id for page in corpus], corpus.left_out) == (["a.png"], ())


def test_a_corpus_opens_by_headers_alone(page_file, corpus_folder, monkeypatch):
    page_file("a.png")
    page_file("b.tif")
    page_file("c.jpg")
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda self: pytest.fail("decoded"))
    assert len(open_corpus(corpus_folder)) == 3


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_a_path_without_pictures_is_an_error(path, corpus_folder):
    with pytest.raises(CorpusError, match=r"no such folder|holds no pictures"):
        open_corpus(corpus_folder / path)


def test_a_label_file_that_is_not_there_is_an_error(page_file, corpus_folder):
    page_file("a.png")
    with pytest.raises(CorpusError, match=r"mine\.csv: there is no such label file"):
        open_corpus(corpus_folder, labels="mine.csv")


def test_a_label_file_that_lists_no_files_is_an_error(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "l.csv").write_text("thing,price\ninkwell,3\n")
    with pytest.raises(CorpusError, match="its header must name a column 'file'"):
        open_corpus(corpus_folder, labels=corpus_folder / "l.csv")


def test_a_table_without_files_is_passed_over_and_noted(page_file, corpus_folder):
    page_file("1.png")
    (corpus_folder / "prices.csv").write_text("thing,price\ninkwell,3\n")
    corpus = open_corpus(corpus_folder)
    assert corpus.kind == "plain"
    assert corpus.notes == (("prices.csv", "passed over: no column 'file'"),)


def test_a_table_that_cannot_be_understood_is_not_passed_over(page_file, corpus_folder):
    page_file("anna/a.png")
    page_file("bert/a.png")
    (corpus_folder / "l.csv").write_bytes(b"PK\0\0")
    with pytest.raises(CorpusError, match="is no text"):
        open_corpus(corpus_folder)


def test_a_text_file_that_cannot_be_understood_is_passed_over(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "notes.txt").write_bytes(b"PK\0\0")
    assert len(open_corpus(corpus_folder)) == 1


@pytest.mark.parametrize("column", ["writer", "manuscript"])
def test_a_group_in_two_splits_is_named(page_file, corpus_folder, column):
    page_file("1.png")
    page_file("2.png")
    (corpus_folder / "l.csv").write_text(
        f"file,{column},split\n1.png,Ms 7,train\n2.png,Ms 7,test\n"
    )
    with pytest.raises(CorpusError, match=f"{column} 'Ms 7' is in two splits"):
        open_corpus(corpus_folder)


def test_a_split_that_no_page_is_in_is_named_with_those_there_are(page_file, corpus_folder):
    page_file("train/anna/1.png")
    page_file("test/bert/1.png")
    with pytest.raises(CorpusError, match="no page in split 'val'; there is test, train"):
        open_corpus(corpus_folder).in_split("val")


def test_a_split_file_replaces_the_splits_of_the_corpus(page_file, corpus_folder, tmp_path):
    page_file("train/anna/1.png")
    page_file("test/bert/1.png")
    corpus = open_corpus(corpus_folder, kind="writers")
    other = split_pages(corpus.pages, {"val": 0.5}, seed=1)
    write_split(other, tmp_path / "split.csv")
    opened = open_corpus(corpus_folder, split_file=tmp_path / "split.csv")
    assert labels(opened, "split") == labels(other, "split")


def test_every_picture_of_a_tiff_is_a_page_but_not_its_thumbnail(page_file, corpus_folder):
    frames = [Image.fromarray(written(seed=seed)) for seed in range(3)]
    frames[2].encoderinfo = {"tiffinfo": {254: 1}}
    page_file("book.tif", frames[0], save_all=True, append_images=frames[1:])
    corpus = open_corpus(corpus_folder)
    assert [page.id for page in corpus] == ["book.tif#frame=0", "book.tif#frame=1"]
    assert len({page.content_hash for page in corpus}) == 2


class Spread:
    """A source that is one of two pictures of a file."""

    def __init__(self, path, part):
        self.path, self.part = path, part
        self.address, self.size = f"{path}{part}", None

    @classmethod
    def found_in(cls, address):
        return (cls(address, "#page=1"), cls(address, "#page=2"))

    def open(self):
        return open(self.path, "rb")  # noqa: PTH123


def test_every_source_of_a_file_is_a_page(page_file, corpus_folder, monkeypatch):
    monkeypatch.setitem(SOURCES, ".pdf", Spread)
    page_file("book.png").rename(corpus_folder / "book.pdf")
    corpus = open_corpus(corpus_folder)
    assert [page.id for page in corpus] == ["book.pdf#page=1", "book.pdf#page=2"]
    assert corpus.left_out == ()


def test_the_content_hash_is_that_of_the_file_and_follows_it(page_file, corpus_folder):
    path = page_file("a.png")
    (page,) = open_corpus(corpus_folder)
    assert page.content_hash == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes() + b"\0")
    os.utime(path, ns=(1, 1))
    assert page.content_hash == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("place", ["a.xml", "page/a.xml", "alto/a.xml", "a.alto.xml"])
def test_a_layout_file_beside_the_picture_gives_the_regions(page_file, corpus_folder, place):
    page_file("a.png")
    path = corpus_folder / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(ALTO.format(BLOCK.format(10)))
    (page,) = open_corpus(corpus_folder)
    assert page.regions == (Region(((10, 20), (110, 20), (110, 70), (10, 70))),)


def test_a_layout_file_gives_the_line_distance(page_file, corpus_folder):
    page_file("a.png", written(900, 700, distance=50, letter=18))
    lines = "".join(
        f'<TextLine><Baseline points="200,{y} 1200,{y}"/></TextLine>' for y in (300, 380, 460)
    )
    (corpus_folder / "a.xml").write_text(
        '<PcGts><Page imageWidth="1800" imageHeight="1400"><TextRegion>'
        f'<Coords points="200,200 1200,200 1200,900 200,900"/>{lines}</TextRegion></Page></PcGts>'
    )
    assert open_corpus(corpus_folder).pages[0].line_distance == 40


def test_each_region_may_be_a_page(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "a.xml").write_text(ALTO.format(BLOCK.format(10) + BLOCK.format(200)))
    corpus = open_corpus(corpus_folder, each_region=True)
    assert [page.id for page in corpus] == ["a.png#region=0", "a.png#region=1"]
    assert len({page.content_hash for page in corpus}) == 2
    assert {page.scan for page in corpus} == {"a.png"}


def test_a_page_with_a_broken_layout_file_is_used_whole_and_noted(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "a.xml").write_text("<alto><Layout>")
    corpus = open_corpus(corpus_folder)
    assert corpus.pages[0].regions is None
    assert corpus.notes[0].reason.startswith("used whole, layout file a.xml: broken XML")


def test_a_page_whose_layout_file_has_no_text_is_left_out(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "a.xml").write_text(ALTO.format(""))
    corpus = open_corpus(corpus_folder)
    assert not corpus.pages
    assert corpus.left_out[0].reason == "no text: its layout file has no text region"


def test_a_manifest_is_opened_by_its_address(server):
    corpus = open_corpus(server.add_book("b", 2))
    assert corpus.kind == "iiif"
    assert str(corpus.root) == corpus.place == f"{server.base}/b.json"
    assert [page.id for page in corpus] == ["b/1r", "b/2r"]
    assert [page.size for page in corpus] == [(420, 300)] * 2
    assert labels(corpus, "manuscript") == {"b/1r": ("b",), "b/2r": ("b",)}


def test_a_manifest_is_opened_as_a_file(server, tmp_path):
    server.add_book("b", 2)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(server.documents["/b.json"]))
    corpus = open_corpus(path)
    assert corpus.root == path
    assert [page.id for page in corpus] == ["b/1r", "b/2r"]
    assert server.asked == []


def test_other_json_in_a_folder_is_passed_over(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "hands.json").write_text("{}")
    corpus = open_corpus(corpus_folder)
    assert [page.id for page in corpus] == ["a.png"]
    assert corpus.left_out == ()


@pytest.mark.parametrize(
    "options", [{"kind": "writers"}, {"variant": "colour"}, {"labels": "a.csv"}]
)
def test_what_is_for_folders_is_refused_for_an_address(options):
    with pytest.raises(CorpusError, match="are for folders, not for IIIF"):
        open_corpus("https://a.example/manifest.json", **options)


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(
        CorpusError, match="no address that is read here; known are file, http, https"
    ):
        open_corpus("ftp://host/scans")


def test_one_bad_page_of_a_document_does_not_lose_the_others(corpus_folder):
    pages = [Image.fromarray(written(width, 300)) for width in (420, 8)]
    pages[0].save(corpus_folder / "a.pdf", save_all=True, append_images=pages[1:], resolution=150)
    corpus = open_corpus(corpus_folder)
    assert [page.id for page in corpus] == ["a.pdf#page=1"]
    assert corpus.left_out == (("a.pdf#page=2", "too small: 8×300 pixels"),)


def test_what_is_not_gone_into_is_left_out_with_its_reason(page_file, corpus_folder, tmp_path):
    page_file("a.png")
    (tmp_path / "elsewhere").mkdir()
    (corpus_folder / "link").symlink_to(tmp_path / "elsewhere")
    (corpus_folder / "loop.png").symlink_to("loop.png")
    os.mkfifo(corpus_folder / "pipe.csv")
    os.mkfifo(corpus_folder / "a.xml")
    corpus = open_corpus(corpus_folder)
    assert [page.id for page in corpus] == ["a.png"]
    assert dict(corpus.left_out) == {
        "link": "a link to a folder, which is not followed; give that folder",
        "loop.png": "missing: a link to nothing",
        "pipe.csv": "no ordinary file",
        "a.xml": "no ordinary file",
    }


def test_a_folder_that_may_not_be_read_is_left_out(page_file, corpus_folder, monkeypatch):
    page_file("a.png")
    page_file("b/c.png")
    original = os.scandir

    def refuse(path):
        if str(path).endswith("/b"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return original(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert open_corpus(corpus_folder).left_out == (("b", "cannot be read: Permission denied"),)


def test_a_name_that_is_no_text_is_escaped_and_its_page_found_again(page_file, corpus_folder):
    page_file("a.png").rename(os.fsdecode(os.fsencode(corpus_folder) + b"/m\xfcller.png"))
    (page,) = open_corpus(corpus_folder)
    assert page.id == r"m\xfcller.png"
    assert open_source(page.source.address).content_hash == page.content_hash
    (corpus_folder / "labels.csv").write_text(f"file,writer\n{page.id},Anna\n")
    assert [page.writer for page in open_corpus(corpus_folder)] == ["Anna"]


def test_the_century_may_take_the_place_of_the_script(page_file, corpus_folder):
    for name in ("a.png", "b.png"):
        page_file(name)
    (corpus_folder / "pages.csv").write_text("file,script,date\na.png,Uncial,750\nb.png,Uncial,\n")
    corpus = open_corpus(corpus_folder)
    assert [page.script for page in corpus.classed_by("century")] == ["08", None]
    assert corpus.classed_by("script") is corpus
    with pytest.raises(UnknownName, match="no label called 'decade'"):
        corpus.classed_by("decade")


def test_a_corpus_without_dates_has_no_centuries(page_file, corpus_folder):
    page_file("a.png")
    with pytest.raises(CorpusError, match="no page has a century; a column century or date"):
        open_corpus(corpus_folder).classed_by("century")
