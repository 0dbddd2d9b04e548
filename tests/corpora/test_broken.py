"""Broken input of many kinds: the corpus still opens, and each kind gives its documented reason."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dgmp.corpora import open_corpus, survey_corpus
from dgmp.errors import CorpusError

from .conftest import written

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "corpora.md"


def saved(path, **options):
    Image.fromarray(written()).save(path, **options)


def cut(path, **options):
    saved(path, **options)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def scrambled(path):
    saved(path)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = bytes(40)
    path.write_bytes(content)


def bomb(path):
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)

    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 99)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def grey(value, shape=(300, 420), dtype=np.uint8):
    return lambda path: Image.fromarray(np.full(shape, value, dtype)).save(path)


def content(some):
    return lambda path: path.write_bytes(some)


def noisy_paper(path):
    noise = np.random.default_rng(0).normal(225, 4, (300, 420)).clip(0, 255)
    Image.fromarray(noise.astype(np.uint8)).save(path)


# what is done to the file, its name, the beginning of the reason
FILES = {
    "empty": (content(b""), "a.jpg", "empty"),
    "zeros": (content(bytes(5000)), "a.jpg", "not an image: nothing but zeros"),
    "text": (content(b"just some words\n"), "a.png", "not an image: no format"),
    "PDF as picture": (content(b"%PDF-1.7 ..."), "a.jpg", "not an image: a PDF"),
    "PDF": (content(b"%PDF-1.7 ..."), "a.pdf", "not read here: .pdf"),
    "HEIC": (content(b"\0\0\0\x18ftypheic" + bytes(99)), "a.jpg", "not an image dgmp reads: HEIC"),
    "web page": (content(b"<!doctype html><p>404"), "a.jpg", "not an image: a web page"),
    "LFS pointer": (content(b"version https://git-lfs.github.com/spec/v1\n"), "a.tif",
                    "not an image: a Git LFS pointer"),
    "archive": (content(b"PK\x03\x04" + bytes(99)), "a.png", "not an image: a ZIP"),
    "cut JPEG": (cut, "a.jpg", "truncated"),
    "cut PNG": (cut, "a.png", "truncated"),
    "cut TIFF": (cut, "a.tif", "truncated"),
    "cut JPEG 2000": (cut, "a.jp2", "broken"),
    "header alone": (content(b"\x89PNG\r\n\x1a\n" + bytes(4)), "a.png", "broken"),
    "scrambled PNG": (scrambled, "a.png", "broken"),
    "bomb": (bomb, "a.png", "too large: 60000×60000"),
    "one pixel": (grey(0, (1, 1)), "a.png", "too small: 1×1"),
    "a strip": (grey(255, (4, 900)), "a.png", "too small: 900×4"),
    "blank": (grey(255), "a.png", "no ink"),
    "blank with noise": (noisy_paper, "a.png", "no ink"),
    "black": (grey(0), "a.png", "no ink"),
    "not finite": (grey(np.nan, dtype=np.float32), "a.tif", "broken: no finite"),
    "a folder": (lambda path: path.mkdir(), "a.png", "is a folder"),
    "a dead link": (lambda path: path.symlink_to("nowhere.png"), "a.png", "missing"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_broken_file_is_left_out_with_its_reason(kind, page_file, corpus_folder):
    make, name, reason = FILES[kind]
    page_file("good.png")
    make(corpus_folder / name)
    (corpus_folder / "l.csv").write_text(f"file,writer\ngood.png,anna\n{name},bert\n")
    found = survey_corpus(open_corpus(corpus_folder)).corpus
    assert [page.id for page in found] == ["good.png"]
    told = [remark.reason for remark in found.left_out if remark.file == name]
    assert any(reason in text for text in told), told


# the label file, what is said of which file, and whether it is left out
ROWS = {
    "missing file": ("file,writer\na.png,x\nb.png,y\n", "b.png", "but there is no such file", True),
    "unlisted file": ("file,writer\n", "a.png", "not listed in l.csv", True),
    "other writer": ("file,writer\na.png,x\na.png,y\n", "a.png", "writer: 'x' and 'y'", True),
    "outside": ("file,writer\na.png,x\n../o.png,y\n", "../o.png", "lies outside the corpus", True),
    "listed twice": ("file,writer\na.png,x\na.png,x\n", "a.png", "listed twice in l.csv", False),
    "short row": ("writer,file,split\nx,a.png\n", "l.csv", "line 2 has 2 cells", False),
    "no file": ("file,writer\na.png,x\n,y\n", "l.csv", "line 3 names no file", False),
    "no label": ("file,writer\na.png,\nc.png,x\n", "a.png", "has no writer", False),
    "script number": ("FILENAME;SCRIPT_TYPE\na.png;0\n", "a.png", "not one of clamm17", True),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS)
def test_a_fault_of_a_label_file_is_told(kind, page_file, corpus_folder):
    text, file, reason, left_out = ROWS[kind]
    for name in ("a.png", "c.png", "../o.png"):
        page_file(name)
    (corpus_folder / "l.csv").write_text(text)
    corpus = open_corpus(corpus_folder, kind="clamm17" if "script" in kind else None)
    remarks = corpus.left_out if left_out else corpus.notes
    assert any(remark.file == file and reason in remark.reason for remark in remarks), remarks


TABLES = {
    "binary": (b"PK\0\0", "is no text"),
    "two columns": (
        b"file,path,writer\na.png,a.png,x\n",
        "several columns for the file: file, path",
    ),
    "numbers": (b"FILENAME;SCRIPT_TYPE\na.png;13\n", "script number 13, CLaMM has twelve"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_that_cannot_be_understood_is_not_passed_over(kind, page_file, corpus_folder):
    text, reason = TABLES[kind]
    page_file("a.png")
    (corpus_folder / "l.csv").write_bytes(text)
    with pytest.raises(CorpusError, match=reason):
        open_corpus(corpus_folder)


LAYOUTS = {
    "broken": ("<alto><Layout>", "used whole, layout file a.xml: broken XML"),
    "another": ("<TEI/>", "neither ALTO nor PAGE, its root is <TEI>"),
    "no page": ("<alto><Layout/></alto>", "has no <Page>"),
    "other size": ('<alto><Page WIDTH="300" HEIGHT="300"/></alto>', "made for a page of 300×300"),
    "odd": ('<PcGts><Page imageWidth="420" imageHeight="300"><TextRegion><Coords points="1,2 3"/>'
            "</TextRegion></Page></PcGts>", "an odd number of coordinates"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_page_with_a_broken_layout_file_is_used_whole_and_noted(kind, page_file, corpus_folder):
    text, reason = LAYOUTS[kind]
    page_file("a.png")
    (corpus_folder / "a.xml").write_text(text)
    corpus = open_corpus(corpus_folder)
    assert corpus.pages[0].regions is None
    assert reason in corpus.notes[0].reason


def test_a_page_whose_layout_file_has_no_text_is_left_out(page_file, corpus_folder):
    page_file("a.png")
    (corpus_folder / "a.xml").write_text('<alto><Page WIDTH="420" HEIGHT="300"/></alto>')
    corpus = open_corpus(corpus_folder)
    assert not corpus.pages
    assert corpus.left_out[0].reason == "no text: its layout file has no text region"


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_a_path_without_pictures_says_so(path, corpus_folder):
    with pytest.raises(CorpusError, match=r"no such folder|holds no pictures"):
        open_corpus(corpus_folder / path)


def test_every_reason_of_a_file_is_in_the_documents():
    text = DOCUMENT.read_text()
    for _, _, reason in FILES.values():
        assert reason.split(":")[0] in text
