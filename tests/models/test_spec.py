"""What a network looks at: patches of three views, and a model built from its spec."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from drawing import written

from dgmp.errors import DgmpError, UnknownName
from dgmp.files import from_plain, to_plain
from dgmp.models import InputSpec, ModelSpec, Standardization, cut_patch
from dgmp.pixels import PageImage, Preparation
from dgmp.records import Page
from dgmp.sources import FileSource


def page(width=200, height=140):
    source = FileSource(Path("page.png"))
    return PageImage(Page("page.png", source), written(width, height, distance=30))


def test_a_page_is_one_patch_and_so_is_its_centre():
    assert InputSpec(view="page").rectangles(page()).tolist() == [[0, 0, 200, 140]]
    assert InputSpec(view="centre").rectangles(page()).tolist() == [[30, 0, 170, 140]]
    assert InputSpec(view="centre").rectangles(page(100, 140)).tolist() == [[0, 20, 100, 120]]


def test_patches_are_parts_of_the_page():
    looks_at = InputSpec(patch=64, stride=40, min_edges=0, side=64)
    image = page()
    places, patches = looks_at.rectangles(image), looks_at.patches(image)
    for (left, top, right, bottom), patch in zip(places, patches, strict=True):
        np.testing.assert_array_equal(patch, image.pixels[top:bottom, left:right])


@pytest.mark.parametrize("view", ["patches", "page", "centre"])
def test_patches_have_the_side_the_network_sees(view):
    looks_at = InputSpec(view=view, patch=64, stride=40, min_edges=0, side=48)
    assert looks_at.patches(page()).shape[1:] == (48, 48)
    assert looks_at.patches(page()).dtype == np.uint8


def test_given_rectangles_are_cut_as_found_ones_are():
    looks_at = InputSpec(patch=64, stride=40, min_edges=0, side=32)
    places = looks_at.rectangles(page())
    np.testing.assert_array_equal(looks_at.patches(page(), places), looks_at.patches(page()))


def test_beyond_the_border_there_is_paper():
    pixels = np.zeros((10, 20), np.uint8)
    patch = cut_patch(pixels, np.array([-5, -5, 25, 25]), 30)
    assert (patch[5:15, 5:25] == 0).all()
    assert (patch == 255).sum() == 30 * 30 - 10 * 20


def test_an_input_spec_goes_through_json():
    looks_at = InputSpec(
        view="centre",
        preparation=Preparation(canonical=None, binarization="none"),
        standardization=Standardization(0.5, 0.25),
    )
    stored = json.loads(json.dumps(to_plain(looks_at)))
    assert from_plain(stored, InputSpec, "model.json") == looks_at


def test_a_model_is_built_for_grey_pages_with_its_pooling_and_classes():
    spec = ModelSpec("resnet20", "gem", stem_stride=2)
    assert spec.build()(torch.zeros(2, 1, 32, 32)).shape == (2, 64)
    assert spec.build(classes=5)(torch.zeros(2, 1, 32, 32)).shape == (2, 5)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"backbone": "resnet21"}, "did you mean 'resnet"),
        ({"pooling": "gmpp"}, "did you mean 'gmp'"),
        ({"pooling_options": {"rigde": 1}}, "no option 'rigde'; its options are ridge"),
        ({"pooling_options": {"ridge": -1.0}}, "ridge must be a positive number"),
        ({"last_stride": 1}, "resnet20 has no last_stride"),
        ({"stem_stride": 3}, "stem_stride must be 1 or 2"),
    ],
)
def test_a_model_that_cannot_be_built_is_an_error_for_users(change, reason):
    with pytest.raises(DgmpError, match=reason):
        ModelSpec(**{"backbone": "resnet20", **change}).build()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"view": "pages"},
            "no view called 'pages'; did you mean 'page'. Choose from patches",
        ),
        ({"side": 0}, "side must be at least 1"),
        ({"stride": -3}, "stride must be at least 1"),
    ],
)
def test_an_input_that_cannot_be_is_refused(change, reason):
    with pytest.raises(DgmpError, match=reason):
        InputSpec(**change)


def test_unknown_names_are_of_their_own_kind():
    with pytest.raises(UnknownName):
        ModelSpec("resnet21").build()


def test_at_another_size_the_same_patches_have_more_pixels():
    looks_at = InputSpec(patch=256, stride=128, side=128)
    larger = looks_at.at_size(1.25)
    assert (larger.patch, larger.stride, larger.side) == (256, 128, 160)


@pytest.mark.parametrize("zca", [1, 8, -3])
def test_a_filter_has_a_pixel_in_its_middle(zca):
    with pytest.raises(DgmpError, match="zca must be an odd number of pixels from 3 on"):
        InputSpec(zca=zca)
