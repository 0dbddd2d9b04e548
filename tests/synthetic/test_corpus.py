"""Synthetic corpora: always the same, taken up again, enlarged, and nobody else's folder."""

import csv
import json

import pytest

from dgmp.corpora import open_corpus
from dgmp.engines import Processes
from dgmp.errors import CorpusError
from dgmp.synthetic import SCRIPTS, VERSION, CorpusPlan, synthesize


def contents(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Two writers with two pages each, in two scripts."""
    folder = tmp_path_factory.mktemp("corpora") / "labelled"
    return synthesize(folder, writers=2, pages=2, seed=3, scripts=True)


def test_a_corpus_lists_its_pages_by_writer_and_script(labelled):
    with labelled.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["writer"] for row in rows] == ["w0000", "w0000", "w0001", "w0001"]
    assert [row["script"] for row in rows[::2]] == list(SCRIPTS)[:2]


def test_every_page_that_is_listed_is_written(labelled):
    with labelled.open(newline="") as file:
        sizes = [(labelled.parent / row["file"]).stat().st_size for row in csv.DictReader(file)]
    assert min(sizes) > 10_000


def test_a_corpus_notes_the_version_of_the_generator(labelled):
    assert json.loads((labelled.parent / "synthetic.json").read_text())["version"] == VERSION


def test_a_corpus_opens_like_any_other(labelled):
    corpus = open_corpus(labelled.parent)
    assert (corpus.kind, corpus.left_out, corpus.notes) == ("csv", (), ())
    assert set(corpus.labels("manuscript")) == {"w0000", "w0001"}


def test_without_scripts_a_table_has_none(tmp_path):
    table = synthesize(tmp_path / "corpus", writers=1, pages=1)
    assert table.read_text() == "file,writer,page\nw0000/w0000_p0.jpg,w0000,0\n"


def test_two_corpora_are_identical_whoever_draws(tmp_path):
    synthesize(tmp_path / "one", writers=2, pages=1, seed=9)
    synthesize(tmp_path / "two", writers=2, pages=1, seed=9, engine=Processes(2))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_corpus_that_is_enlarged_is_that_made_at_once(tmp_path):
    synthesize(tmp_path / "grown", writers=1, pages=1)
    synthesize(tmp_path / "grown", writers=2, pages=1)
    synthesize(tmp_path / "whole", writers=2, pages=1)
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")


def test_pages_that_are_there_are_kept(tmp_path):
    synthesize(tmp_path / "corpus", writers=1, pages=1)
    kept = tmp_path / "corpus" / "w0000" / "w0000_p0.jpg"
    before = kept.stat().st_mtime_ns
    synthesize(tmp_path / "corpus", writers=2, pages=1)
    assert kept.stat().st_mtime_ns == before


def test_progress_counts_the_pages_of_every_writer(tmp_path):
    counted = []
    synthesize(tmp_path / "corpus", writers=2, pages=1, progress=counted.append)
    assert counted == [1, 1]


def test_a_folder_with_other_content_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CorpusError, match="not empty"):
        synthesize(tmp_path, writers=1, pages=1)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CorpusError, match="is a file"):
        synthesize(tmp_path / "thesis.tex", writers=1, pages=1)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize("other", [{"seed": 2}, {"scripts": True}], ids=["seed", "scripts"])
def test_another_corpus_does_not_go_into_the_same_folder(tmp_path, other):
    synthesize(tmp_path / "corpus", writers=1, pages=1)
    with pytest.raises(CorpusError, match=r"another synthetic corpus \(.*seed 1, scripts False"):
        synthesize(tmp_path / "corpus", writers=1, pages=1, **other)


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_note_that_cannot_be_read_is_an_error(tmp_path, text):
    (tmp_path / "synthetic.json").write_text(text)
    with pytest.raises(CorpusError, match=r"synthetic\.json cannot be read"):
        synthesize(tmp_path, writers=1, pages=1)


@pytest.mark.parametrize(
    ("name", "value", "least"), [("writers", 0, 1), ("pages", 0, 1), ("seed", -1, 0)]
)
def test_a_plan_of_too_little_is_refused(name, value, least):
    with pytest.raises(ValueError, match=f"{name} must be at least {least}, got {value}"):
        CorpusPlan(**{name: value})
