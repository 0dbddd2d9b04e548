"""Surveys: broken files of many kinds are left out with their documented reasons; counts."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from drawing import written
from PIL import Image

from dgmp.corpora import open_corpus, survey_corpus
from dgmp.engines import Processes

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
    "PDF": (content(b"%PDF-1.7 ..."), "a.pdf", "broken: "),
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
    reasons = [remark.reason for remark in found.left_out if remark.file == name]
    assert any(reason in text for text in reasons), reasons


def test_every_reason_of_a_file_is_in_the_documents():
    text = DOCUMENT.read_text()
    for _, _, reason in FILES.values():
        assert reason.split(":")[0] in text


@pytest.fixture
def corpus(page_file, corpus_folder):
    """Two pages that train, one that tests, and a blank one."""
    for name in ("train/anna/1.png", "train/anna/2.png", "test/bert/1.png"):
        page_file(name)
    page_file("test/bert/2.png", np.full((300, 420), 255, np.uint8))
    return open_corpus(corpus_folder, kind="writers")


def test_headers_alone_do_not_show_that_a_page_is_blank(corpus):
    survey = survey_corpus(corpus, decode=False)
    assert not survey.decoded
    assert survey.corpus == corpus


def test_another_engine_finds_the_same(corpus):
    assert survey_corpus(corpus, engine=Processes(2)) == survey_corpus(corpus)


def test_progress_counts_every_page(corpus):
    counted = []
    survey_corpus(corpus, progress=counted.append)
    assert sum(counted) == 4


def test_counts_are_by_split(corpus):
    assert survey_corpus(corpus).as_dict()["splits"] == [
        {"split": "train", "pages": 2, "writers": 1, "scripts": 0, "manuscripts": 0},
        {"split": "test", "pages": 1, "writers": 1, "scripts": 0, "manuscripts": 0},
    ]


def test_what_is_left_out_is_among_the_plain_values(corpus):
    values = json.loads(json.dumps(survey_corpus(corpus).as_dict()))
    reason = "no ink: the page is blank or all black"
    assert values["left_out"] == [{"file": "test/bert/2.png", "reason": reason}]


def test_the_table_has_a_row_for_every_split_and_one_for_all(corpus):
    lines = survey_corpus(corpus).table().splitlines()
    assert [line.split()[:3] for line in lines[3:6]] == [
        ["train", "2", "1"], ["test", "1", "1"], ["all", "3", "2"]
    ]  # fmt: skip


def test_the_table_counts_scripts(page_file, corpus_folder):
    for name in ("uncial/1.png", "uncial/2.png", "cursiva/1.png"):
        page_file(name)
    lines = survey_corpus(open_corpus(corpus_folder, kind="scripts")).table().splitlines()
    assert "uncial   2      2" in lines


def test_the_table_shows_fifty_remarks_and_counts_the_rest(page_file, corpus_folder):
    page_file("good.png")
    for number in range(53):
        (corpus_folder / f"{number}.png").touch()
    table = survey_corpus(open_corpus(corpus_folder)).table()
    assert table.count("empty: the file has no bytes") == 50
    assert table.endswith("… and 3 more (--json has all)")
