"""What a network looks at: boxes of three views, squares, and a model built from its spec."""

import numpy as np
import pytest
import torch
from drawing import written

from dgmp.corpora import PageImage, Preparation, Standardization
from dgmp.errors import DgmpError, UnknownName
from dgmp.models import InputSpec, ModelSpec, cut_square
from dgmp.records import Page


def page(width=200, height=140):
    return PageImage(Page("page.png", None), written(width, height, distance=30))


def test_a_page_is_one_box_and_its_centre_a_square():
    assert InputSpec(view="page").boxes(page()).tolist() == [[0, 0, 200, 140]]
    assert InputSpec(view="centre").boxes(page()).tolist() == [[30, 0, 170, 140]]
    assert InputSpec(view="centre").boxes(page(100, 140)).tolist() == [[0, 20, 100, 120]]


def test_patches_are_windows_with_enough_edges():
    looks_at = InputSpec(patch=64, stride=40, min_edges=0, side=64)
    image = page()
    squares = looks_at.squares(image)
    for (left, top, right, bottom), square in zip(looks_at.boxes(image), squares, strict=True):
        np.testing.assert_array_equal(square, image.pixels[top:bottom, left:right])


@pytest.mark.parametrize("view", ["patches", "page", "centre"])
def test_squares_have_the_side_the_network_sees(view):
    looks_at = InputSpec(view=view, patch=64, stride=40, min_edges=0, side=48)
    assert looks_at.squares(page()).shape[1:] == (48, 48)
    assert looks_at.squares(page()).dtype == np.uint8


def test_given_boxes_are_cut_as_found_ones_are():
    looks_at = InputSpec(patch=64, stride=40, min_edges=0, side=32)
    boxes = looks_at.boxes(page())
    np.testing.assert_array_equal(looks_at.squares(page(), boxes), looks_at.squares(page()))


def test_beyond_the_border_there_is_paper():
    pixels = np.zeros((10, 20), np.uint8)
    square = cut_square(pixels, np.array([-5, -5, 25, 25]), 30)
    assert (square[5:15, 5:25] == 0).all()
    assert (square == 255).sum() == 30 * 30 - 10 * 20


def test_an_input_spec_goes_through_json():
    import json
    from dataclasses import asdict

    looks_at = InputSpec(
        view="centre",
        preparation=Preparation(canonical=None, binarization="none"),
        standardization=Standardization(0.5, 0.25),
    )
    assert InputSpec.from_json(json.loads(json.dumps(asdict(looks_at)))) == looks_at


def test_a_model_is_built_for_grey_pages_with_its_pooling_and_classes():
    spec = ModelSpec("resnet20", "gem", stem_stride=2)
    assert spec.build()(torch.zeros(2, 1, 32, 32)).shape == (2, 64)
    assert spec.build(classes=5)(torch.zeros(2, 1, 32, 32)).shape == (2, 5)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"backbone": "resnet21"}, "did you mean 'resnet"),
        ({"pooling": "gpm"}, "did you mean 'gmp'"),
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
        ({"view": "pages"}, "no view called 'pages'; choose from patches, page, centre"),
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
