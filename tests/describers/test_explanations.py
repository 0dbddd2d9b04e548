"""Explanations add up: the vector is the sum of its positions, the cosine that of its parts."""

import numpy as np
import pytest
import torch

from dgmp.describers.explanations import explain_page, is_explainable
from dgmp.describers.learned import AGGREGATES, LearnedDescriber
from dgmp.errors import DgmpError

from .small_pages import cut, page

POOLINGS = {
    "avg": {},
    "gmp": {},
    "gmp, absolute and not centred": {"ridge": 3.0},
    "attentive-gmp": {"relative": True, "center": True},
}


@pytest.fixture(params=POOLINGS)
def model(request, tiny):
    found = tiny(request.param.split(",")[0], **POOLINGS[request.param])
    for name, parameter in found.network.pooling.named_parameters():
        if "score" in name:  # attention that distinguishes positions
            torch.nn.init.normal_(parameter, std=0.3)
    return found


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_weighted_positions_add_up_to_the_descriptor(model, aggregate):
    describer = LearnedDescriber(model, aggregate=aggregate)
    explained = explain_page(describer, page())
    total = np.einsum("shw,schw->c", explained.weights, explained.features)
    np.testing.assert_allclose(total, explained.vector, atol=1e-12)
    np.testing.assert_allclose(explained.vector, describer.describe_page(page()), atol=2e-5)


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_contributions_add_up_to_the_cosine_on_both_pages(model, aggregate):
    describer = LearnedDescriber(model, aggregate=aggregate)
    images = page(), page(seed=4, letter=20)
    one, other = (explain_page(describer, image) for image in images)
    cosine = float(describer.describe_page(images[0]) @ describer.describe_page(images[1]))
    assert one.contributions(other.vector).sum() == pytest.approx(cosine, abs=1e-4)
    assert other.contributions(one.vector).sum() == pytest.approx(cosine, abs=1e-4)


def test_laid_on_the_page_contributions_still_add_up(tiny):
    describer = LearnedDescriber(tiny())
    image = cut(page(300, 200), 144, 104)  # whole patches every 40 pixels: none beyond the border
    explained = explain_page(describer, image)
    parts = explained.contributions(explained.vector)
    heat = explained.on_page(parts, total=True)
    assert np.nansum(heat) / 16**2 == pytest.approx(parts.sum())  # a position is 16 × 16 pixels
    assert parts.sum() == pytest.approx(1)


def test_average_pooling_weighs_all_positions_alike(tiny):
    explained = explain_page(LearnedDescriber(tiny("avg"), aggregate="whole"), page())
    counted = explained.relative_weights[explained.weights != 0]
    np.testing.assert_allclose(counted, 1)


def test_overlapping_patches_are_averaged(tiny):
    explained = explain_page(LearnedDescriber(tiny()), page())
    numbers = np.arange(len(explained.rectangles), dtype=float)
    values = np.broadcast_to(numbers[:, None, None], explained.weights.shape).copy()
    heat = explained.on_page(values)
    row, column = 60, 60
    inside = [
        number
        for number, (left, top, right, bottom) in enumerate(explained.rectangles.tolist())
        if left <= column < right and top <= row < bottom
    ]
    assert len(inside) > 1
    assert heat[row, column] == pytest.approx(np.mean(inside))


def test_the_strongest_position_lies_where_the_heat_is_largest(tiny):
    explained = explain_page(LearnedDescriber(tiny(), aggregate="whole"), page())
    (strongest,) = explained.strongest(explained.weights, 1)
    left, top, right, bottom = strongest.bounds
    heat = explained.on_page(explained.weights)
    assert heat[int(top) + 1, int(left) + 1] == pytest.approx(strongest.value)
    assert strongest.value == explained.weights.max()
    assert (right - left, bottom - top) == (16, 16)


def test_other_poolings_are_refused_by_name(tiny):
    with pytest.raises(DgmpError, match=r"GeneralizedMeanPool.* gives no weights.*attentive-gmp"):
        explain_page(LearnedDescriber(tiny("gem")), page())


@pytest.mark.parametrize(
    ("pooling", "options", "can"),
    [
        ("gmp", {}, True),
        ("gmp", {"target": "energy"}, False),
        ("attentive-gmp", {"target": "energy"}, False),
        ("avg", {}, True),
        ("gem", {}, False),
    ],
)
def test_a_network_is_asked_beforehand(tiny, pooling, options, can):
    assert is_explainable(LearnedDescriber(tiny(pooling, **options))) == can
