"""The contract of every classical describer of the table."""

import json
import pickle
from dataclasses import is_dataclass, replace

import numpy as np
import pytest
from PIL import Image

from dgmp.classical import (
    CLASSICAL,
    CoHinge,
    Hinge,
    Obif,
    RootSiftVlad,
    SrsLbp,
    fit_classical,
    load_classical,
    save_describer,
    stored_classes,
)
from dgmp.corpora import open_corpus
from dgmp.describers import Describer, describe_pages
from dgmp.engines import engine_for
from dgmp.errors import CorpusError, ImageError, UnknownName
from dgmp.evaluation import retrieval_scores
from dgmp.pixels import Preparation, centre_patch

from .conftest import page_of


@pytest.mark.parametrize("name", CLASSICAL)
def test_a_page_becomes_a_vector_of_unit_length(name, fitted, pages):
    describer: Describer = fitted[name]
    vector = describer.describe_page(pages[0])
    assert vector.shape == (describer.dim,)
    assert vector.dtype == np.float32
    assert abs(np.linalg.norm(vector) - 1) < 1e-5
    assert describer.preparation == Preparation()


@pytest.mark.parametrize("name", CLASSICAL)
def test_new_pages_find_their_writer(name, fitted):
    fresh = [page_of(writer, number) for writer in range(10, 15) for number in range(2)]
    vectors = np.stack([fitted[name].describe_page(page) for page in fresh])
    writers = [page.page.writer for page in fresh]
    assert retrieval_scores(vectors, writers, resamples=0).map > 0.8


@pytest.mark.parametrize("name", CLASSICAL)
def test_a_patch_with_one_letter_can_be_described(name, fitted):
    pixels = np.full((256, 256), 255, np.uint8)
    pixels[100:140, 120:124] = 0
    pixels[100:104, 120:150] = 0
    page = replace(page_of(0, 0), pixels=pixels)
    assert np.isfinite(fitted[name].describe_page(centre_patch(page, 256))).all()


@pytest.mark.parametrize("name", CLASSICAL)
def test_a_page_without_ink_is_an_image_error(name, fitted):
    page = replace(page_of(0, 0), pixels=np.full((256, 256), 255, np.uint8))
    with pytest.raises(ImageError, match=r"0/0\.png: too little ink"):
        fitted[name].describe_page(page)


@pytest.mark.parametrize("name", CLASSICAL)
def test_a_describer_travels_by_pickle_and_by_file(name, fitted, pages, tmp_path):
    describer = fitted[name]
    vector = describer.describe_page(pages[1])
    copies = [
        pickle.loads(pickle.dumps(describer)),
        load_classical(save_describer(describer, tmp_path / "run")),
    ]
    for copy in copies:
        np.testing.assert_array_equal(copy.describe_page(pages[1]), vector)
        assert json.dumps(copy.spec) == json.dumps(describer.spec)
        assert copy.preparation == describer.preparation


@pytest.mark.parametrize("name", ["rootsift-vlad", "srs-lbp"])
def test_the_spec_knows_what_was_learned(name, fitted, some_pages):
    again = fit_classical(name, iter(some_pages), seed=3)
    other = fit_classical(name, some_pages[:3], seed=3)
    assert again.spec == fitted[name].spec != other.spec


def test_short_vectors_are_short(fitted):
    short = fitted["rootsift-vlad-short"]
    assert short.dim == 4 * 5 - 1  # as many as the fitting pages and their bands span
    assert short.sketch.dim == 8192
    assert fitted["rootsift-vlad"].dim == 5 * 100 * 64


def test_the_last_step_can_be_chosen(pages):
    widths = [fit_classical("hinge", pages, whitening=how).dim for how in ("none", "soft", "pca")]
    assert widths[0] == widths[1] > widths[2]


def test_an_unknown_last_step_is_refused(pages):
    with pytest.raises(UnknownName, match=r"no whitening called 'zca'.* none, soft, pca"):
        fit_classical("hinge", pages, whitening="zca")


def test_progress_counts_pages(pages):
    done = []
    fit_classical("hinge", pages, progress=done.append)
    assert sum(done) == len(pages)


def test_describing_a_folder_works_with_processes(tmp_path, pages):
    for page in pages[:4]:
        path = tmp_path / page.page.id
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(page.pixels).save(path)
    describer = fit_classical("cohinge", preparation=Preparation(canonical=None))
    one = describe_pages(open_corpus(tmp_path).pages, describer)
    two = describe_pages(open_corpus(tmp_path).pages, describer, engine=engine_for(1))
    np.testing.assert_array_equal(one.descriptors.vectors, two.descriptors.vectors)
    assert one.descriptors.spec["kind"] == "cohinge"


def test_an_unknown_kind_is_refused():
    with pytest.raises(UnknownName, match=r"no classical describer called 'sift'.* rootsift-vlad"):
        fit_classical("sift")


@pytest.mark.parametrize("name", ["hinge", "rootsift-vlad"])
@pytest.mark.parametrize("number", [0, 1])
def test_fewer_than_two_pages_are_too_few(pages, name, number):
    with pytest.raises(CorpusError, match="at least two pages"):
        fit_classical(name, pages[:number])


@pytest.mark.parametrize("features", [Hinge, CoHinge, Obif, SrsLbp, RootSiftVlad])
def test_features_of_every_kind_can_be_stored(features):
    assert stored_classes()[features.__name__] is features


def test_only_dataclasses_can_be_stored():
    assert all(is_dataclass(each) for each in stored_classes().values())
