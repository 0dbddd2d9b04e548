"""The calibration of a run: from pages it has not seen, and only those."""

import json
import shutil
from dataclasses import replace
from functools import partial

import pytest

from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages, load_describer
from dgmp.errors import CorpusError, DgmpError
from dgmp.hands import fit_calibration
from dgmp.tasks import calibrate

few = partial(fit_calibration, collections=20)  # a tenth: quicker


@pytest.fixture(autouse=True)
def few_collections(monkeypatch):
    monkeypatch.setattr("dgmp.tasks.calibrating.fit_calibration", few)


@pytest.fixture
def run(runs, tmp_path):
    """A run of its own."""
    return shutil.copytree(runs / "writers", tmp_path / "run")


@pytest.fixture
def without_splits(hands):
    corpus = open_corpus(hands)
    return replace(corpus, pages=tuple(replace(page, split=None) for page in corpus))


def learned_from(run, corpus, *ids):
    """As if the run had been trained on these pages of the corpus."""
    (run / "run.json").write_text(json.dumps({"data": {"path": str(corpus.root)}}))
    rows = "".join(f"{id},train\n" for id in ids)
    (run / "split.csv").write_text(f"# dgmp split 1\nid,split\n{rows}")


def test_the_describer_of_a_run_has_the_calibration_of_the_pages(run, without_splits):
    done = calibrate(run, without_splits)
    pages = without_splits.pages
    found = describe_pages(pages, load_describer(run), halves=True)
    expected = few(
        found.descriptors, [page.writer for page in pages], [page.scan for page in pages]
    )
    assert load_describer(run).calibration == done.calibration == expected
    assert str(done) == f"{run / 'calibration.json'}: from 12 pages by 4 writers"


def test_test_pages_are_left_out_unless_they_are_named(run, hands):
    with pytest.raises(CorpusError, match="6 pages by 2 writers cannot calibrate a describer"):
        calibrate(run, hands)


def test_pages_that_the_run_learned_from_are_left_out(run, without_splits):
    learned_from(run, without_splits, "w0_p0.png", "w1_p2.png")
    assert calibrate(run, without_splits).pages == 10


def test_where_all_pages_were_learned_from_it_is_refused(run, without_splits):
    learned_from(run, without_splits, *(page.id for page in without_splits))
    with pytest.raises(CorpusError, match="all of its 12 pages were learned from"):
        calibrate(run, without_splits)


def test_pages_without_a_writer_are_refused(run, without_splits):
    pages = tuple(replace(page, writer=None) for page in without_splits)
    with pytest.raises(CorpusError, match="12 of 12 pages have no writer"):
        calibrate(run, replace(without_splits, pages=pages))


def test_a_folder_that_is_no_run_is_refused(tmp_path, hands):
    with pytest.raises(DgmpError, match="is no folder of a run of dgmp train or dgmp learn"):
        calibrate(tmp_path, hands)


def test_a_calibration_of_another_state_of_the_network_counts_for_nothing(run, without_splits):
    path = calibrate(run, without_splits).path
    path.write_text(json.dumps({**json.loads(path.read_text()), "describer": {}}))
    assert load_describer(run).calibration is None
