"""Pages by the activations of a network at keypoints, saved and loaded."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch

from dgmp.classical import Sift, VladConfig, cut_keypoint_patches
from dgmp.corpora import open_corpus
from dgmp.describers import full_spec, load_describer, load_network
from dgmp.describers.keypoints import (
    KeypointDescriber,
    activations,
    fit_keypoint_describer,
    keypoint_rectangles,
    save_keypoint_encoding,
)
from dgmp.describers.learned import as_input
from dgmp.errors import CorpusError, DgmpError, ImageError
from dgmp.models import (
    InputSpec,
    ModelSpec,
    Standardization,
    TrainedModel,
    cut_patch,
    load_model,
    save_model,
)
from dgmp.pixels import PageImage, prepare_page

from .small_pages import CALIBRATION

SIFT = Sift(most=300)
VLAD = VladConfig(dim=16, words=8, vocabularies=2)


def a_model(seed=0):
    torch.manual_seed(seed)
    spec = ModelSpec("resnet20", "gmp", {"relative": True, "center": True}, stem_stride=2)
    looks_at = InputSpec(
        view="keypoints", patch=32, stride=32, side=32, standardization=Standardization(0.8, 0.4)
    )
    return TrainedModel(spec.build().eval(), spec, looks_at, None, {"task": "cluster"})


@pytest.fixture(scope="module")
def images(hands):
    return [prepare_page(page) for page in open_corpus(hands).pages[:4]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("learned") / "run"
    save_model(a_model(), place)
    return place


@pytest.fixture(scope="module")
def describer(folder, images):
    found = fit_keypoint_describer(load_model(folder), images, SIFT, VLAD, seed=2)
    save_keypoint_encoding(found, folder)
    return found


def test_rectangles_cut_the_keypoint_patches_beyond_the_border_too(images):
    pixels = images[0].pixels[60:120, 60:150]
    keypoints = SIFT.detect(pixels)
    patches = cut_keypoint_patches(pixels, keypoints, 32)
    places = keypoint_rectangles(keypoints, 32)
    assert (places[:, 0] < 0).any()
    found = np.stack([cut_patch(pixels, place, 32) for place in places])
    np.testing.assert_array_equal(found, patches)


def test_activations_are_those_of_one_patch_after_the_other(folder, images):
    model = load_model(folder)
    found = activations(model, SIFT, images[0])
    keypoints = SIFT.detect(images[0].pixels)
    patches = cut_keypoint_patches(images[0].pixels, keypoints, 32)
    assert len(found) == len(keypoints) == 300
    with torch.inference_mode():
        for number in (0, 63, 64, 299):  # on both sides of the border of a batch
            alone = model.network(as_input(model, patches[number][None], torch.device("cpu")))
            assert found[number] == pytest.approx(alone[0].numpy(), abs=1e-4)


def test_vectors_have_unit_length_and_are_the_same_every_time(describer, images):
    first, again = (describer.describe_page(images[1]) for _ in range(2))
    assert first.shape == (describer.dim,) == (2 * 8 * 16,)
    assert np.linalg.norm(first) == pytest.approx(1, abs=1e-5)
    assert (first == again).all()


def test_the_shares_of_keypoints_add_up_to_the_vector(describer, images):
    vector, part = describer.describe_page(images[1]), describer.contributions(images[1])
    total = part.sums(np.ones((1, len(part.positions))), describer.dim)[0]
    np.testing.assert_allclose(total[total != 0], vector[total != 0], atol=1e-5)
    assert len(part.positions) == 300
    assert part.side == 32


def test_what_was_saved_describes_as_before(describer, folder, images):
    loaded = load_describer(folder, device="cpu")
    assert full_spec(loaded) == full_spec(describer)
    for image in images:
        assert (loaded.describe_page(image) == describer.describe_page(image)).all()


def test_what_was_pickled_describes_as_before(describer, images):
    copy = pickle.loads(pickle.dumps(describer))
    assert full_spec(copy) == full_spec(describer)
    assert (copy.describe_page(images[0]) == describer.describe_page(images[0])).all()


def test_the_calibration_travels_with_the_describer(describer):
    calibrated = KeypointDescriber(describer.model, describer.encoding, calibration=CALIBRATION)
    assert pickle.loads(pickle.dumps(calibrated)).calibration == CALIBRATION


def test_another_seed_is_another_describer(describer, folder, images):
    other = fit_keypoint_describer(load_model(folder), images, SIFT, VLAD, seed=3)
    assert other.spec["arrays"] != describer.spec["arrays"]


def test_a_blank_page_is_an_image_error(describer, images):
    blank = PageImage(images[0].page, np.full((80, 80), 255, np.uint8))
    with pytest.raises(ImageError, match="too little ink"):
        describer.describe_page(blank)


def test_one_page_is_too_few_to_fit(folder, images):
    with pytest.raises(CorpusError, match="at least two pages with writing, got 1"):
        fit_keypoint_describer(load_model(folder), images[:1], SIFT, VLAD)


def test_a_network_that_is_in_no_file_is_refused(images):
    with pytest.raises(ValueError, match="saved and loaded"):
        fit_keypoint_describer(a_model(), images, SIFT, VLAD)


def test_an_encoding_beside_another_network_is_refused(describer, tmp_path):
    save_model(a_model(seed=1), tmp_path)
    save_keypoint_encoding(describer, tmp_path)
    with pytest.raises(DgmpError, match="fitted to another network"):
        load_describer(tmp_path)


def test_a_run_that_is_not_finished_is_no_describer_yet(tmp_path):
    save_model(a_model(), tmp_path)
    for load in (load_describer, load_network):
        with pytest.raises(DgmpError, match="learning is not finished"):
            load(tmp_path)


def test_commands_for_other_networks_refuse_it(describer, folder):
    with pytest.raises(DgmpError, match="describer of another kind"):
        load_network(folder)


def test_a_keypoint_view_finds_no_patches_of_its_own(images):
    with pytest.raises(ValueError, match="given by who finds the keypoints"):
        replace(InputSpec(), view="keypoints").rectangles(images[0])
