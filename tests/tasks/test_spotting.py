"""Words found on pages without boxes."""

import shutil

import numpy as np
import pytest
from PIL import Image
from word_models import save_word_model

from dgmp.catalogue import Catalogue
from dgmp.engines import Here
from dgmp.errors import DgmpError
from dgmp.pixels import pictures_in
from dgmp.records import Page
from dgmp.sources import FileSource
from dgmp.spotting import WordIndex, WordModel, overlaps
from dgmp.synthetic import synthesize_words
from dgmp.tasks import changed_pages, describe, describe_place, index_words, spot, spotting
from dgmp.tasks.spotting import describe_candidates


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spotting") / "pages"
    synthesize_words(folder, writers=2, pages=1, seed=3)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    save_word_model(folder)
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


def test_an_example_may_be_a_file_of_its_own(found, corpus, model):
    (left, top, right, bottom), name = found.hits[3].box, found.hits[3].page_id
    shown = f"{corpus / name}#xywh={left},{top},{right - left},{bottom - top}"
    assert spot(corpus, example=shown, model=model, number=1).hits[0].page_id == name


def test_the_index_knows_the_folder_of_its_model(found, model):
    assert found.index.head.model_folder == str(model)


def test_what_is_done_stays_when_somebody_stops(corpus, model, tmp_path):
    class Stopped(BaseException):
        pass

    def stop(number):
        raise Stopped

    trained = WordModel.load(model)
    with pytest.raises(Stopped):
        index_words(corpus, trained, index=tmp_path / "index", stages=lambda *stage: stop)
    assert len(WordIndex.open(tmp_path / "index").pages) == 1


def test_a_page_that_is_another_now_is_named(found, corpus):
    first, second = sorted(found.index.pages)
    pages = [Page(first, FileSource(corpus / first)), Page(second, FileSource(corpus / first))]
    new = Page("new", FileSource(corpus / first))
    assert changed_pages(found.index, [*pages, new]) == (second,)


def test_a_place_is_described_as_the_candidate_there(found, corpus, model):
    hit = found.hits[2]
    page = Page(hit.page_id, FileSource(corpus / hit.page_id))
    fresh = describe_place(page, hit.box, WordModel.load(model))
    assert fresh == pytest.approx(found.index.vector_at(hit.page_id, hit.box), abs=0.01)


def no_memory_for_the_first(page, model):
    if page.id.startswith("w0000"):
        raise MemoryError
    return describe_candidates(page, model)


def no_pixels_of_the_first(page, model):
    import cv2

    if page.id.startswith("w0000"):
        cv2.resize(np.zeros((0, 0), np.uint8), (1, 1))
    return describe_candidates(page, model)


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        (no_memory_for_the_first, "too large for this machine's memory"),
        (no_pixels_of_the_first, "cannot be prepared: OpenCV"),
    ],
)
def test_memory_and_pixels_of_one_page_do_not_stop_the_others(
    corpus, model, tmp_path, monkeypatch, look, reason
):
    monkeypatch.setattr(spotting, "describe_candidates", look)
    index, left_out = index_words(corpus, WordModel.load(model), index=tmp_path / "index")
    assert set(index.pages) == {"w0001/w0001_p0.jpg"}
    ((name, why),) = left_out
    assert name == "w0000/w0000_p0.jpg"
    assert why.startswith(reason)


def test_a_huge_page_is_read_smaller_and_its_boxes_are_those_of_the_scan(
    corpus, model, tmp_path, monkeypatch
):
    image = Image.open(corpus / "w0000/w0000_p0.jpg")
    large = image.resize((2 * image.width, 2 * image.height))
    large.crop((0, 0, image.width | 1, large.height)).save(tmp_path / "a.jpg")  # through words
    source, trained = FileSource(tmp_path / "a.jpg"), WordModel.load(model)
    page = Page("a", source, size=pictures_in(source)[0].size, line_distance=152)
    whole, _ = describe_candidates(page, trained)
    monkeypatch.setattr(spotting, "MOST_PIXELS", image.width * image.height)
    smaller, vectors = describe_candidates(page, trained)
    assert not np.array_equal(smaller, whole)
    assert smaller.dtype == whole.dtype
    assert len(vectors) == len(smaller)
    assert (smaller[:, 2:] <= page.size).all()
    assert np.median(overlaps(whole, smaller).max(axis=1)) > 0.9


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
