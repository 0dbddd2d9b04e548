"""A trained network as a describer and a classifier: laws of patches, whole pages, workers."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages
from dgmp.describers.learned import (
    AGGREGATES,
    LearnedClassifier,
    LearnedDescriber,
    as_input,
    find_device,
)
from dgmp.engines import engine_for
from dgmp.errors import DgmpError, ImageError, UnknownName
from dgmp.models import InputSpec

from .small_pages import CALIBRATION, cut, page

EVERY_AGGREGATE = pytest.mark.parametrize("aggregate", AGGREGATES)


def of_one_patch(model, image):
    """What the network itself says of a page that is one patch."""
    with torch.inference_mode():
        return model.network(as_input(model, model.input.patches(image), torch.device("cpu")))[0]


def describe(model, image, aggregate="mean", **options):
    return LearnedDescriber(model, aggregate=aggregate, **options).describe_page(image)


@EVERY_AGGREGATE
def test_a_page_of_one_patch_is_described_as_that_patch(tiny, aggregate):
    model, one = tiny(), cut(page(), 64, 64)
    assert len(model.input.rectangles(one)) == 1
    assert_close(
        torch.from_numpy(describe(model, one, aggregate)), of_one_patch(model, one), rtol=1e-4,
        atol=1e-5,
    )  # fmt: skip


@EVERY_AGGREGATE
@pytest.mark.parametrize("pooling", ["gmp", "avg", "gem"])
def test_vectors_have_unit_length_and_the_width_that_is_stated(tiny, aggregate, pooling):
    describer = LearnedDescriber(tiny(pooling), aggregate=aggregate)
    vector = describer.describe_page(page())
    assert vector.dtype == np.float32
    assert vector.shape == (describer.dim,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_with_a_large_ridge_gmp_over_patches_is_their_mean(tiny):
    model, image = tiny(), page()
    mean = describe(model, image, "mean")
    far = describe(model, image, "gmp", ridge=1e6)
    near = describe(model, image, "gmp", ridge=1e-2)
    assert_close(far, mean, rtol=1e-4, atol=1e-5)
    assert np.abs(near - mean).max() > 1e-4


@pytest.mark.parametrize("aggregate", ["mean", "gmp"])
def test_the_order_of_patches_does_not_matter(tiny, aggregate, monkeypatch):
    model, image = tiny(), page()
    before = describe(model, image, aggregate)
    places = model.input.rectangles(image)
    monkeypatch.setattr(InputSpec, "rectangles", lambda self, image: places[::-1])
    assert_close(describe(model, image, aggregate), before, rtol=1e-4, atol=1e-5)


@EVERY_AGGREGATE
def test_how_many_patches_are_shown_at_a_time_does_not_matter(tiny, aggregate, monkeypatch):
    model, image = tiny(), page()
    before = describe(model, image, aggregate)
    monkeypatch.setattr("dgmp.describers.learned.AT_A_TIME", 2)
    assert_close(describe(model, image, aggregate), before, rtol=1e-4, atol=1e-5)


def test_whole_pools_a_page_smaller_than_a_patch_without_what_is_beyond_its_border(tiny):
    model, small = tiny(), cut(page(), 48, 40)  # of 64 × 64, which the network sees as 32 × 32
    mask = torch.zeros(1, 32, 32, dtype=torch.bool)
    mask[:, :20, :24] = True
    images = as_input(model, model.input.patches(small), torch.device("cpu"))
    with torch.inference_mode():
        expected = model.network(images, mask)[0]
    assert_close(torch.from_numpy(describe(model, small, "whole")), expected, rtol=1e-4, atol=1e-5)


def test_whole_counts_no_position_twice(tiny):
    describer = LearnedDescriber(tiny(), aggregate="whole")
    image = cut(page(300, 200), 160, 64)  # 64 + 64 + 32 pixels, the last patch overlaps by half
    places = describer.rectangles(image)
    assert places[:, 0].tolist() == [0, 64, 96]
    assert describer.positions_once(image, places).sum().item() == (160 // 16) * (64 // 16)


@EVERY_AGGREGATE
def test_a_describer_travels_to_other_processes(tiny, aggregate):
    describer = LearnedDescriber(tiny("attentive-gmp", seed=3), aggregate=aggregate, ridge=0.3)
    sent = pickle.dumps(describer)
    back = pickle.loads(sent)
    assert back.spec == describer.spec
    assert not back.model.network.training
    np.testing.assert_array_equal(back.describe_page(page()), describer.describe_page(page()))


def test_a_classifier_travels_to_other_processes(tiny):
    classifier = LearnedClassifier(tiny(classes=("a", "b")))
    back = pickle.loads(pickle.dumps(classifier))
    assert back.classes == classifier.classes
    np.testing.assert_array_equal(back.classify_page(page()), classifier.classify_page(page()))


def test_the_calibration_travels_with_the_describer(tiny):
    describer = LearnedDescriber(tiny(), calibration=CALIBRATION)
    assert pickle.loads(pickle.dumps(describer)).calibration == CALIBRATION


def test_workers_describe_as_one_process_does(tiny, hands):
    pages = open_corpus(hands).pages[:3]
    describer = LearnedDescriber(tiny())
    alone = describe_pages(pages, describer)
    shared = describe_pages(pages, describer, engine=engine_for(1))
    np.testing.assert_allclose(shared.descriptors.vectors, alone.descriptors.vectors, atol=1e-6)


def test_the_spec_is_plain_json_and_names_what_changes_the_vectors(tiny):
    specs = [
        LearnedDescriber(tiny(classes=("a", "b")), aggregate="gmp", ridge=ridge).spec
        for ridge in (0.1, 0.2)
    ]
    assert json.loads(json.dumps(specs[0])) == specs[0]
    assert specs[0] != specs[1]
    assert specs[0]["input"]["standardization"] == {"mean": 0.9, "std": 0.3}


def test_probabilities_of_a_page_are_the_mean_over_its_patches(tiny):
    model = tiny(classes=("a", "b", "c"))
    found = LearnedClassifier(model).classify_page(page())
    places = model.input.rectangles(page())
    with torch.inference_mode():
        images = as_input(model, model.input.patches(page(), places), torch.device("cpu"))
        each = torch.stack([model.network(one[None])[0].double().softmax(0) for one in images])
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(found, each.mean(0).numpy(), atol=1e-6)


def test_a_page_without_an_edge_is_an_image_error(tiny):
    blank = replace(page(), pixels=np.full((100, 100), 255, np.uint8))
    with pytest.raises(ImageError, match=r"page.png: no ink"):
        describe(tiny(), blank)


def test_a_network_that_gives_nothing_is_an_image_error(tiny):
    model = tiny("avg")
    torch.nn.init.constant_(model.network.layer3[2].bn2.weight, float("nan"))
    with pytest.raises(ImageError, match="finds nothing"):
        describe(model, page())


def test_a_misspelt_aggregate_lists_the_others(tiny):
    with pytest.raises(UnknownName, match="mean, gmp, whole"):
        LearnedDescriber(tiny(), aggregate="men")


@pytest.mark.parametrize("name", ["cuda:99", "no-device", "", "meta", "hpu"])
def test_a_device_that_is_not_there_is_refused_in_words(name):
    with pytest.raises(DgmpError, match="cannot be used here; choose cpu"):
        find_device(name)


def test_a_network_for_writers_is_no_classifier(tiny):
    with pytest.raises(DgmpError, match="no script classes"):
        LearnedClassifier(tiny())


def test_a_model_without_standardisation_says_so(tiny):
    model = tiny()
    model = replace(model, input=replace(model.input, standardization=None))
    with pytest.raises(DgmpError, match="standardised"):
        describe(model, page())
