"""The index and the model of words behind the page: which ones, and when they are read anew."""

import shutil

import pytest
from word_models import save_word_model

from dgmp.catalogue import Catalogue
from dgmp.errors import DgmpError
from dgmp.spotting import WordIndex
from dgmp.web.asking import Refused
from dgmp.web.store import Store


@pytest.fixture
def shelf(spotted, tmp_path):
    """A copy that a test may change."""
    return shutil.copytree(spotted, tmp_path / "shelf")


@pytest.fixture
def opened(shelf):
    """A function that opens the catalogue as a server does."""
    stores = []

    def open_at(**options):
        stores.append(Store(shelf, **options))
        return stores[-1]

    yield open_at
    for store in stores:
        store.close()


def stage(name, total):
    return lambda done: None


def move_model(shelf, folder):
    index = WordIndex.open(shelf / "words")
    with index.writing():
        index.remember(str(folder))


def drawn(store):
    """A page, and a rectangle of it that is no candidate."""
    hit = store.words.typed("et")[0]
    left, top, right, bottom = hit.box
    return store.page(hit.page_id), (left + 1, top, right, bottom)


def test_an_index_is_opened_once_and_the_model_loaded_once(opened):
    store = opened()
    words = store.words
    words.shown(*drawn(store))
    index, model = words._index(), words._model()
    page, (left, *others) = drawn(store)
    words.shown(page, (left + 1, *others))
    assert words._index() is index
    assert words._model() is model


def test_what_another_program_indexes_is_seen(opened, shelf):
    words = opened().words
    hits = words.typed("et")
    index = WordIndex.open(shelf / "words")
    with index.writing():
        index.drop([hits[0].page_id])
    assert hits[0].page_id not in {hit.page_id for hit in words.typed("et")}
    assert hits[0].page_id in words.unseen()


def test_what_is_kept_of_other_things_stays_while_pages_are_looked_at(opened, shelf):
    store = opened()
    labels = store.labels()
    move_model(shelf, "/elsewhere")
    assert store.labels() is labels


def test_without_the_model_words_are_found_but_rectangles_are_not(opened, shelf, spotted, tmp_path):
    move_model(shelf, tmp_path / "gone")
    store = opened()
    hit = store.words.typed("et")[3]
    assert store.words.lacking() == ""
    assert not store.words.can_look
    assert store.words.shown(store.page(hit.page_id), hit.box)[0].box == hit.box
    with pytest.raises(Refused, match=r"no longer in .*gone; .* --model RUN"):
        store.words.shown(*drawn(store))
    assert opened(model=spotted.parent / "model").words.shown(*drawn(store))


def test_a_model_that_the_index_does_not_name_is_asked_for(opened, shelf):
    move_model(shelf, "")
    with pytest.raises(Refused, match="is not known; say where"):
        opened().words.shown(*drawn(opened()))


def test_another_model_than_that_of_the_index_is_refused(opened, tmp_path):
    save_word_model(tmp_path / "other", seed=1)
    store = opened(model=tmp_path / "other")
    with pytest.raises(Refused, match="another word model"):
        store.words.shown(*drawn(store))
    with pytest.raises(DgmpError, match="another word model"):
        store.words.look(stage)


def test_what_is_no_model_is_refused_at_once(opened, tmp_path):
    with pytest.raises(DgmpError, match="is no word model"):
        opened(model=tmp_path)


def test_pages_are_looked_at_for_the_first_time_with_a_model(opened, shelf, spotted):
    shutil.rmtree(shelf / "words")
    one, *others = sorted(Catalogue.open(shelf).paths())
    Catalogue.open(shelf).drop(others)
    words = opened(model=spotted.parent / "model").words
    assert "No page" in words.lacking()
    assert words.can_look
    words.look(stage)
    assert words.lacking() == ""
    assert {hit.page_id for hit in words.typed("et")} == {one}


def test_without_a_model_nothing_is_looked_at(opened, shelf, monkeypatch, tmp_path):
    monkeypatch.setattr("dgmp.web.words.SHIPPED_WORDS", tmp_path / "nowhere")
    shutil.rmtree(shelf / "words")
    with pytest.raises(Refused, match="dgmp train words"):
        opened().words.look(stage)
    assert not (shelf / "words").exists()


def test_without_another_model_that_of_the_package_is_taken_and_named(opened, shelf, monkeypatch):
    shutil.rmtree(shelf / "words")
    one, *others = sorted(Catalogue.open(shelf).paths())
    Catalogue.open(shelf).drop(others)
    store = opened()
    assert store.words.can_look
    store.words.look(stage)
    assert WordIndex.open(shelf / "words").head.model_folder == "default"
    assert {hit.page_id for hit in store.words.shown(*drawn(store))} == {one}
