"""What tasks are given: corpora or paths, loose pictures, runs and what they have seen."""

import json
import os
import shutil
from dataclasses import replace

import pytest

from dgmp.catalogue import Catalogue, Head
from dgmp.corpora import open_corpus, write_split
from dgmp.engines import Here
from dgmp.errors import CatalogueError, CorpusError
from dgmp.tasks import describe
from dgmp.tasks.opening import (
    background_of,
    describer_of,
    loose_pages,
    one_page,
    opened,
    opened_catalogue,
    page_missing,
    trained_on,
)


def test_a_corpus_is_taken_by_its_path_or_itself(hands):
    corpus = open_corpus(hands)
    assert opened(corpus) is corpus
    assert opened(str(hands)) == corpus


def test_a_corpus_without_a_usable_page_is_refused(tmp_path):
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(CorpusError, match="none of its files can be used"):
        opened(tmp_path)


def test_a_loose_page_is_named_once_in_text_that_can_be_printed(hands, tmp_path):
    name = os.fsdecode(b"caf\xe9.png")
    shutil.copy(next(hands.rglob("*.png")), tmp_path / name)
    pages, _ = loose_pages([tmp_path / name])
    assert [page.id for page in pages] == [rf"{tmp_path}/caf\xe9.png"]


def test_a_catalogue_is_taken_by_its_folder_or_itself(tmp_path):
    catalogue = Catalogue.create(tmp_path / "new", Head({}, 4, "none"))
    assert opened_catalogue(catalogue) is catalogue
    assert opened_catalogue(tmp_path / "new").head == catalogue.head


def test_loose_pages_are_named_by_the_paths_that_were_given(hands, monkeypatch):
    monkeypatch.chdir(hands.parent)
    pages, left_out = loose_pages([f"{hands.name}/w0_p0.png", hands])
    assert pages[0].id == f"{hands.name}/w0_p0.png"
    assert [page.id for page in pages[1:]] == [str(hands / page.id) for page in open_corpus(hands)]
    assert left_out == []


def test_loose_pages_come_without_labels(hands):
    pages, _ = loose_pages([hands])
    assert {page.writer for page in pages} == {None}


def test_what_cannot_be_used_is_left_out_with_its_reason(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"")
    pages, left_out = loose_pages([tmp_path / "broken.png", "nowhere.png"])
    assert pages == []
    (broken, missing) = left_out
    assert broken == (str(tmp_path / "broken.png"), "empty: the file has no bytes")
    assert missing.file == "nowhere.png"
    assert missing.reason.startswith("there is no such")


def test_the_page_of_a_picture_is_named_by_its_path(hands):
    assert one_page(hands / "w0_p0.png").id == str(hands / "w0_p0.png")


def test_a_folder_and_a_broken_file_are_no_page(hands, tmp_path):
    with pytest.raises(CorpusError, match="is a folder"):
        one_page(hands)
    (tmp_path / "broken.png").write_bytes(b"")
    with pytest.raises(CorpusError, match=r"broken\.png: empty"):
        one_page(tmp_path / "broken.png")


def test_a_run_has_seen_the_training_pages_of_its_corpus(hands, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"data": {"path": str(hands)}}))
    (tmp_path / "split.csv").write_text("# dgmp split 1\nid,split\na.png,train\nb.png,val\n")
    assert trained_on(tmp_path, open_corpus(hands)) == {"a.png"}


def test_a_run_has_seen_no_page_of_another_corpus(hands, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"data": {"path": str(tmp_path)}}))
    assert trained_on(tmp_path, open_corpus(hands)) == set()


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_a_folder_that_is_no_run_has_seen_nothing(hands, tmp_path, content):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    assert trained_on(tmp_path, open_corpus(hands)) == set()


@pytest.fixture
def described(shelf, stroke_describers):
    return Catalogue.open(shelf / "catalogue")


def test_the_describer_of_an_open_catalogue_is_loaded_once(
    described, stroke_describers, monkeypatch
):
    found = describer_of(described)
    monkeypatch.setitem(stroke_describers, "default", stroke_describers["finer"])
    assert describer_of(described) is found
    with pytest.raises(CatalogueError, match="as it was before"):
        describer_of(Catalogue.open(described.folder))


def test_a_collection_is_judged_anew_only_when_its_pages_have_changed(described):
    found = background_of(described)
    assert background_of(described) is found
    described.drop(["0-0.png"])
    assert "0-0.png" in found.page_ids
    assert "0-0.png" not in background_of(described).page_ids


def test_without_a_calibration_a_collection_is_not_judged(scans, tmp_path, stroke_describers):
    made = describe(scans, tmp_path / "raw", describer="raw", engine=Here()).catalogue
    assert background_of(made) is None


def test_a_page_that_is_missed_is_looked_for_by_its_name_without_folders(
    stroke_describers, scans, tmp_path
):
    shutil.move(scans, tmp_path / "above" / "ms 12")
    made = describe(tmp_path / "above", tmp_path / "catalogue", engine=Here()).catalogue
    assert "did you mean 'ms 12/2-1.png'?" in str(page_missing(made, "2-1.jpg"))


def test_pages_that_a_run_learned_from_are_known_by_their_content(hands, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"data": {"path": str(tmp_path)}}))
    corpus = open_corpus(hands)
    learned = [replace(page, writer=None, manuscript=None, split="train") for page in corpus][:2]
    write_split([*learned, replace(corpus.pages[-1], split="val")], tmp_path / "split.csv")
    (tmp_path / "elsewhere").mkdir()
    for page in corpus:
        shutil.copy(page.source.path, tmp_path / "elsewhere" / f"renamed {page.id}")
    seen = trained_on(tmp_path, open_corpus(tmp_path / "elsewhere"))
    assert seen == {f"renamed {page.id}" for page in learned}
