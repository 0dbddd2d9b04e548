"""Words found on pages without boxes."""

import shutil

import pytest
import torch

from dgmp.catalogue import Catalogue
from dgmp.engines import Here
from dgmp.errors import DgmpError
from dgmp.spotting import WordModel, WordSpec, open_words
from dgmp.synthetic import synthesize_words
from dgmp.tasks import describe, index_words, spot


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spotting") / "pages"
    synthesize_words(folder, writers=2, pages=1, seed=3)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    spec = WordSpec(network="word-resnet-tiny", pooling="tpp-max")
    network = spec.build()
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            torch.nn.init.constant_(module.running_var, 0.01)
    WordModel(network.eval(), spec).save(folder)
    return folder


@pytest.fixture(scope="module")
def found(corpus, model):
    return spot(corpus, "the", model=model, number=5)


def test_hits_lie_on_pages_and_come_best_first(found, corpus):
    values = [hit.likeness for hit in found.hits]
    assert len(found.hits) == 5
    assert values == sorted(values, reverse=True)
    assert {hit.page_id for hit in found.hits} <= {"w0000/w0000_p0.jpg", "w0001/w0001_p0.jpg"}


def test_the_index_stands_beside_the_folder(found, corpus):
    assert found.index.folder == corpus.with_name("pages.words")


def test_pages_that_are_as_they_were_are_not_looked_at_again(found, corpus, model):
    begun = []
    trained = WordModel.load(model)
    index, _ = index_words(corpus, trained, stages=lambda *stage: begun.append(stage))
    assert begun == []
    assert index.rows == found.index.rows


def test_a_page_that_is_new_is_added_and_one_that_is_gone_dropped(corpus, model, tmp_path):
    folder = tmp_path / "pages"
    shutil.copytree(corpus, folder)
    trained = WordModel.load(model)
    index_words(folder, trained)
    (folder / "w0001/w0001_p0.jpg").rename(folder / "other.jpg")
    index, _ = index_words(folder, trained)
    assert set(index.pages) == {"w0000/w0000_p0.jpg", "other.jpg"}


def test_an_example_finds_itself_first(found, corpus, model):
    (left, top, right, bottom), name = found.hits[3].box, found.hits[3].page_id
    shown = f"{name}#xywh={left},{top},{right - left},{bottom - top}"
    best = spot(corpus, example=shown, model=model, number=1).hits[0]
    assert (best.page_id, best.box) == (name, found.hits[3].box)
    assert best.likeness > 0.98


def test_an_example_may_be_a_file_of_its_own(corpus, model):
    word = open_words(corpus).words[5]
    left, top, right, bottom = word.box
    shown = f"{corpus / word.page}#xywh={left},{top},{right - left},{bottom - top}"
    assert spot(corpus, example=shown, model=model, number=1).hits[0].page_id == word.page


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        ("page.jpg", "an example is page.jpg#xywh"),
        ("gone.jpg#xywh=1,2,30,40", "no such file"),
        ("w0000/w0000_p0.jpg#xywh=1000,2,300,40", "reaches beyond"),
    ],
)
def test_a_wrong_example_is_named(corpus, model, example, reason):
    with pytest.raises(DgmpError, match=reason):
        spot(corpus, example=example, model=model)


def test_a_word_and_an_example_are_one_too_many(corpus, model):
    with pytest.raises(DgmpError, match="give a word, or an example"):
        spot(corpus, "the", example="a.jpg#xywh=1,2,3,4", model=model)


def test_a_word_with_an_unknown_letter_is_named_before_pages_are_looked_at(corpus, model):
    with pytest.raises(DgmpError, match="'ж'"):
        spot(corpus, "ж", model=model, index=corpus / "never")
    assert not (corpus / "never").exists()


@pytest.mark.usefixtures("stroke_describers")
def test_the_pages_of_a_catalogue_are_indexed_within_it(scans, model, tmp_path):
    catalogue = describe(scans, tmp_path / "catalogue", engine=Here()).catalogue
    found = spot(tmp_path / "catalogue", "the", model=model, number=3)
    assert found.index.folder == tmp_path / "catalogue" / "words"
    assert set(found.index.pages) == set(catalogue.paths())
    assert len(Catalogue.open(tmp_path / "catalogue")) == len(catalogue)
