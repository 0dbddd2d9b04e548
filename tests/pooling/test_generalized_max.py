"""The laws of generalized max pooling."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.pooling import (
    GeneralizedMaxPool,
    generalized_max_pool,
    generalized_max_weights,
)

from .feature_maps import RELATIVE, feature_map

RIDGE = 0.7
FORMS = pytest.mark.parametrize("channels", [4, 30], ids=["primal", "dual"])


def slow(features, ridge, weights=None):
    """Image by image, from the normal equations of the weighted problem."""
    rows = []
    for number, image in enumerate(features.flatten(2)):
        w = torch.ones(image.shape[1], dtype=image.dtype) if weights is None else weights[number]
        w = w.flatten()
        left = (image * w) @ image.T + ridge * torch.eye(len(image), dtype=image.dtype)
        rows.append(torch.linalg.solve(left, image @ w))
    return torch.stack(rows)


@FORMS
def test_it_solves_the_normal_equations(channels):
    features = feature_map(channels)
    assert_close(generalized_max_pool(features, RIDGE), slow(features, RIDGE))


@FORMS
def test_attention_solves_the_weighted_normal_equations(channels):
    features = feature_map(channels)
    weights = torch.rand(3, 4, 5, dtype=torch.float64) * 2
    pooled = generalized_max_pool(features, RIDGE, attention=weights)
    assert_close(pooled, slow(features, RIDGE, weights))


def test_both_forms_agree():
    features = feature_map(20)  # 20 channels, 20 positions: primal
    padded = torch.cat([features, torch.zeros_like(features)], dim=1)  # 40 channels: dual
    assert_close(generalized_max_pool(padded, RIDGE)[:, :20], generalized_max_pool(features, RIDGE))


@FORMS
def test_large_ridge_tends_to_sum_pooling(channels):
    features = feature_map(channels)
    assert_close(
        1e12 * generalized_max_pool(features, 1e12), features.sum((2, 3)), rtol=1e-8, atol=1e-8
    )


def test_small_ridge_makes_every_position_equally_similar():
    features = feature_map(30)
    pooled = generalized_max_pool(features, 1e-12)
    similarity = torch.einsum("bchw,bc->bhw", features, pooled)
    assert_close(similarity, torch.ones_like(similarity), rtol=1e-8, atol=1e-8)


def test_on_one_hot_codes_a_small_ridge_is_max_pooling():
    codes = nn.functional.one_hot(torch.tensor([[0, 0, 0, 0, 2, 1, 0, 2]]), 4).mT.double()
    assert_close(generalized_max_pool(codes, 1e-9), codes.amax(2), rtol=1e-7, atol=1e-7)


@FORMS
def test_permuting_positions_changes_nothing(channels):
    features = feature_map(channels).flatten(2)
    shuffled = features[:, :, torch.randperm(20)]
    assert_close(generalized_max_pool(shuffled, RIDGE), generalized_max_pool(features, RIDGE))


@FORMS
def test_rotating_channels_rotates_the_result(channels):
    features = feature_map(channels)
    rotation = torch.linalg.qr(torch.randn(channels, channels, dtype=torch.float64)).Q
    rotated = torch.einsum("dc,bchw->bdhw", rotation, features)
    assert_close(
        generalized_max_pool(rotated, RIDGE), generalized_max_pool(features, RIDGE) @ rotation.T
    )


@FORMS
def test_repeating_every_position_changes_nothing_when_the_ridge_doubles(channels):
    features = feature_map(channels)
    twice = torch.cat([features, features], dim=3)
    assert_close(generalized_max_pool(twice, 2 * RIDGE), generalized_max_pool(features, RIDGE))


@FORMS
def test_repeating_every_position_changes_nothing_when_the_ridge_is_relative(channels):
    features = feature_map(channels)
    twice = torch.cat([features, features], dim=3)
    assert_close(
        generalized_max_pool(twice, 0.1, relative=True),
        generalized_max_pool(features, 0.1, relative=True),
    )


@FORMS
def test_scaling_the_features_scales_the_result_by_its_inverse(channels):
    features = feature_map(channels)
    assert_close(
        generalized_max_pool(3 * features, 9 * RIDGE), generalized_max_pool(features, RIDGE) / 3
    )
    assert_close(
        generalized_max_pool(3 * features, 0.1, relative=True),
        generalized_max_pool(features, 0.1, relative=True) / 3,
    )


@FORMS
@RELATIVE
def test_the_weights_rebuild_the_result(channels, relative):
    features = feature_map(channels)
    attention = torch.rand(3, 4, 5, dtype=torch.float64)
    alpha = generalized_max_weights(features, RIDGE, relative=relative, attention=attention)
    rebuilt = torch.einsum("bchw,bhw->bc", features, alpha)
    assert_close(
        rebuilt,
        generalized_max_pool(features, RIDGE, relative=relative, attention=attention),
    )


@FORMS
def test_weights_are_the_scaled_misfit(channels):
    features = feature_map(channels)
    pooled = generalized_max_pool(features, RIDGE)
    misfit = (1 - torch.einsum("bchw,bc->bhw", features, pooled)) / RIDGE
    assert_close(generalized_max_weights(features, RIDGE), misfit)


@FORMS
@RELATIVE
def test_a_padded_batch_gives_what_each_image_gives_alone(channels, relative):
    sizes = [(4, 5), (2, 7), (1, 1)]
    images = [feature_map(channels, *size, batch=1) for size in sizes]
    batch = torch.full((3, channels, 4, 7), torch.nan, dtype=torch.float64)
    mask = torch.zeros(3, 4, 7, dtype=torch.bool)
    for row, (image, (height, width)) in enumerate(zip(images, sizes, strict=True)):
        batch[row, :, :height, :width] = image[0]
        mask[row, :height, :width] = True
    alone = torch.cat([generalized_max_pool(i, RIDGE, relative=relative) for i in images])
    assert_close(generalized_max_pool(batch, RIDGE, relative=relative, attention=mask), alone)
    assert_close(
        generalized_max_pool(batch, RIDGE, relative=relative, attention=mask.double()), alone
    )


@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, 1e15])
@FORMS
def test_gradients_ignore_what_stands_under_a_zero_weight(channels, garbage):
    features = feature_map(channels, dtype=torch.float32)
    features[:, :, 0] = garbage
    features.requires_grad_()
    weights = torch.ones(3, 4, 5)
    weights[:, 0] = 0
    weights.requires_grad_()
    generalized_max_pool(features, RIDGE, attention=weights).sum().backward()
    assert features.grad.isfinite().all()
    assert (features.grad[:, :, 0] == 0).all()
    assert weights.grad.isfinite().all()


@FORMS
@RELATIVE
@pytest.mark.parametrize("per_image", [False, True], ids=["one ridge", "a ridge per image"])
def test_gradcheck(channels, relative, per_image):
    features = feature_map(channels, 2, 4, batch=2).requires_grad_()
    ridge = torch.tensor([RIDGE, 0.2] if per_image else RIDGE, dtype=torch.float64)
    weights = torch.rand(2, 2, 4, dtype=torch.float64)
    weights[0, 0, 0] = 0
    inputs = (features, ridge.requires_grad_(), weights.requires_grad_())

    def pool(features, ridge, weights):
        # The absolute value lets finite differences step over zero from both sides.
        return generalized_max_pool(features, ridge, relative=relative, attention=weights.abs())

    positive = (features, ridge, weights.detach().clamp_min(0.1).requires_grad_())
    assert torch.autograd.gradcheck(pool, positive)
    pool(*inputs).sum().backward()


@FORMS
@RELATIVE
def test_the_gradient_of_a_weight_at_zero_is_its_one_sided_derivative(channels, relative):
    features = feature_map(channels, batch=1)
    weights = torch.rand(1, 4, 5, dtype=torch.float64)
    weights[0, 1, 2] = 0
    weights.requires_grad_()
    direction = torch.randn(channels, dtype=torch.float64)

    def loss(weights):
        return generalized_max_pool(features, 0.3, relative=relative, attention=weights) @ direction

    loss(weights).sum().backward()
    step = torch.zeros_like(weights)
    step[0, 1, 2] = 1e-6
    slope = (loss(weights.detach() + step) - loss(weights.detach())) / 1e-6
    assert_close(weights.grad[0, 1, 2], slope[0], rtol=1e-4, atol=1e-6)


@FORMS
@pytest.mark.parametrize("relative", [False, True])
def test_an_image_without_energy_or_positions_pools_to_zeros(channels, relative):
    features = feature_map(channels, dtype=torch.float32)
    features[0] = 0
    mask = torch.ones(3, 4, 5, dtype=torch.bool)
    mask[1] = False
    features.requires_grad_()
    layer = GeneralizedMaxPool(relative=relative)
    pooled = layer(features, mask)
    assert (pooled[:2] == 0).all()
    assert_close(pooled[2].norm(), torch.tensor(1.0))
    pooled.sum().backward()
    assert features.grad.isfinite().all()
    assert layer.log_ridge.grad.isfinite()


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
@FORMS
def test_non_finite_features_give_non_finite_output_for_their_image_alone(channels, bad):
    features = feature_map(channels, dtype=torch.float32)
    clean = generalized_max_pool(features, RIDGE)
    features[1, 2, 0, 0] = bad
    features.requires_grad_()
    pooled = generalized_max_pool(features, RIDGE)
    assert not pooled[1].isfinite().any()
    assert_close(pooled[[0, 2]], clean[[0, 2]])
    pooled.sum().backward()
    assert not features.grad[1].isfinite().all()
    assert features.grad[[0, 2]].isfinite().all()


def test_a_negative_weight_gives_nan_for_its_image():
    weights = torch.ones(3, 4, 5)
    weights[1, 0, 0] = -1
    pooled = generalized_max_pool(feature_map(4, dtype=torch.float32), RIDGE, attention=weights)
    assert pooled.isnan().any(1).tolist() == [False, True, False]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@FORMS
def test_half_precision_is_solved_in_float32(channels, dtype):
    features = feature_map(channels).relu().to(dtype)
    pooled = generalized_max_pool(features, RIDGE)
    assert pooled.dtype == dtype
    assert_close(pooled, generalized_max_pool(features.float(), RIDGE).to(dtype))


@pytest.mark.parametrize("rho", [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10])
@pytest.mark.parametrize("shape", [(4, 2048, 12, 12), (4, 64, 32, 32)], ids=["dual", "primal"])
def test_autocast_stays_within_a_thousandth_in_cosine(shape, rho):
    features = torch.randn(shape).relu().bfloat16()
    layer = GeneralizedMaxPool(rho, relative=True)
    with torch.autocast("cpu", torch.bfloat16):
        pooled = layer(features)
    assert pooled.dtype == torch.bfloat16
    exact = layer(features.double())
    assert torch.cosine_similarity(pooled.double(), exact).min() > 1 - 1e-3


def test_autocast_does_not_touch_the_solve_or_its_gradient():
    features = torch.randn(2, 64, 6, 6).relu().requires_grad_()
    plain = generalized_max_pool(features, 1.0)
    (expected,) = torch.autograd.grad(plain.sum(), features)
    with torch.autocast("cpu", torch.bfloat16):
        pooled = generalized_max_pool(features, 1.0)
        (grad,) = torch.autograd.grad(pooled.sum(), features)
    assert_close(pooled, plain, rtol=0, atol=0)
    assert_close(grad, expected, rtol=0, atol=0)


@pytest.mark.parametrize("channels", [16, 128])
def test_any_memory_format_and_number_of_axes_gives_the_same(channels):
    features = feature_map(channels, 6, 6, dtype=torch.float32).requires_grad_()
    expected = generalized_max_pool(features, RIDGE)
    (slope,) = torch.autograd.grad(expected.sum(), features)
    last = features.detach().to(memory_format=torch.channels_last).requires_grad_()
    pooled = generalized_max_pool(last, RIDGE)
    pooled.sum().backward()
    assert_close(pooled, expected)
    assert_close(last.grad, slope)
    assert last.grad.is_contiguous(memory_format=torch.channels_last)
    assert_close(generalized_max_pool(features.flatten(2), RIDGE), expected)
    assert_close(generalized_max_pool(features.unflatten(3, (2, 3)), RIDGE), expected)
    assert_close(
        generalized_max_pool(features[..., ::2], RIDGE).isfinite().all(), torch.tensor(True)
    )


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf")])
def test_a_ridge_that_is_not_positive_is_refused(value):
    with pytest.raises(ValueError, match="ridge must be a positive number, got"):
        generalized_max_pool(torch.randn(1, 2, 3), value)


def test_wrong_use_says_what_came_and_what_would_be_right():
    features = torch.randn(2, 5, 3, 3)
    with pytest.raises(ValueError, match=r"\(batch, channels, \*positions\).*got .*\(2, 5\)"):
        generalized_max_pool(torch.randn(2, 5), 1.0)
    with pytest.raises(ValueError, match="floating point"):
        generalized_max_pool(torch.ones(2, 5, 3, dtype=torch.int64), 1.0)
    with pytest.raises(ValueError, match=r"no position"):
        generalized_max_pool(torch.randn(2, 5, 0), 1.0)
    with pytest.raises(ValueError, match=r"\(2, 3, 3\) for features.*got \(2, 9\)"):
        generalized_max_pool(features, 1.0, attention=torch.ones(2, 9))
    with pytest.raises(ValueError, match="boolean or floating"):
        generalized_max_pool(features, 1.0, attention=torch.ones(2, 3, 3, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"shape \(\) or \(2,\), got \(3,\)"):
        generalized_max_pool(features, torch.ones(3))
