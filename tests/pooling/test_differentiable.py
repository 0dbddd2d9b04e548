"""Every derivative that torch can ask for, of the layer and of the operator behind it."""

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vmap
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, generalized_max_pool
from dgmp.pooling.differentiable import plain_pool

from .feature_maps import RELATIVE, feature_map

FORMS = pytest.mark.parametrize("channels", [2, 4], ids=["primal", "dual"])
PER_IMAGE = pytest.mark.parametrize("per_image", [False, True], ids=["one ridge", "per image"])


def inputs(channels, per_image=False):
    """Features of three positions, ridge and weights of two images, in float64."""
    ridge = torch.tensor([0.7, 0.2] if per_image else 0.7, dtype=torch.float64)
    weights = torch.rand(2, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    leaves = (feature_map(channels, 1, 3, batch=2).flatten(2), ridge, weights + 0.1)
    return tuple(leaf.requires_grad_() for leaf in leaves)


def pool(relative):
    return lambda phi, ridge, weights: generalized_max_pool(
        phi, ridge, relative=relative, attention=weights
    )


@FORMS
@RELATIVE
@PER_IMAGE
def test_tangents_and_gradients_are_those_of_finite_differences(channels, relative, per_image):
    assert torch.autograd.gradcheck(
        pool(relative),
        inputs(channels, per_image),
        check_forward_ad=True,
        check_batched_grad=True,
        check_batched_forward_grad=True,
    )


@FORMS
@RELATIVE
def test_second_derivatives_are_those_of_finite_differences(channels, relative):
    assert torch.autograd.gradgradcheck(pool(relative), inputs(channels), check_fwd_over_rev=True)


@FORMS
@RELATIVE
def test_the_textbook_version_pools_the_same(channels, relative):
    phi, ridge, weights = inputs(channels)
    expected = generalized_max_pool(phi, ridge, relative=relative, attention=weights)
    assert_close(plain_pool(phi, ridge, weights, relative=relative), expected)


@pytest.mark.parametrize("size", [(64, 400), (400, 64)], ids=["primal", "dual"])
@RELATIVE
def test_float32_tangents_agree_with_float64_at_a_small_ridge(size, relative):
    torch.manual_seed(0)
    phi, along = torch.randn(2, *size).relu(), torch.randn(2, *size)
    ridge = torch.tensor(1e-4 if relative else 1e-4 * phi.square().sum().item())
    tangents = [
        jvp(
            lambda phi, ridge: generalized_max_pool(phi, ridge, relative=relative),
            (phi.to(dtype), ridge.to(dtype)),
            (along.to(dtype), ridge.to(dtype)),
        )[1].double()
        for dtype in (torch.float32, torch.float64)
    ]
    assert (tangents[0] - tangents[1]).norm() < 1e-3 * tangents[1].norm()


@FORMS
def test_all_ways_to_a_jacobian_agree(channels):
    layer = GeneralizedMaxPool(0.3, relative=True).double()
    features = feature_map(channels, 1, 3, batch=2)
    expected = torch.autograd.functional.jacobian(layer, features)
    for transform in (jacfwd, jacrev):
        assert_close(transform(layer)(features), expected)
    with forward_ad.dual_level():
        along = torch.randn_like(features)
        tangent = forward_ad.unpack_dual(layer(forward_ad.make_dual(features, along))).tangent
    assert_close(tangent, torch.einsum("bcxyhw,xyhw->bc", expected, along))


@FORMS
def test_all_ways_to_a_hessian_agree(channels):
    features = feature_map(channels, 1, 3, batch=1)
    ridge = torch.tensor(0.3, dtype=torch.float64)

    def loss(features):
        return generalized_max_pool(features, ridge, relative=True).square().sum()

    expected = torch.autograd.functional.hessian(loss, features)
    for way in (hessian, lambda f: jacfwd(jacfwd(f)), lambda f: jacrev(jacfwd(f))):
        assert_close(way(loss)(features), expected)


@FORMS
def test_gradients_per_sample_are_those_of_each_image_alone(channels):
    layer = GeneralizedMaxPool(0.3, relative=True, center=channels).double().eval()
    features = feature_map(channels)
    state = dict(layer.named_parameters())
    buffers = dict(layer.named_buffers())

    def loss(state, image):
        return functional_call(layer, (state, buffers), image.unsqueeze(0))[0, 0]

    got = vmap(grad(loss), in_dims=(None, 0))(state, features)["log_ridge"]
    assert layer.last_ridge is None  # what a transform saw is not kept
    for image, gradient in zip(features, got, strict=True):
        (alone,) = torch.autograd.grad(loss(state, image), layer.log_ridge)
        assert_close(gradient, alone)


def test_what_is_not_mapped_over_is_shared():
    features = feature_map(4)
    ridges = torch.tensor([0.1, 1.0], dtype=torch.float64)
    got = vmap(lambda ridge: generalized_max_pool(features, ridge))(ridges)
    assert_close(got, torch.stack([generalized_max_pool(features, ridge) for ridge in ridges]))


def test_a_compiled_tangent_is_the_eager_one():
    torch.compiler.reset()
    layer = GeneralizedMaxPool(0.3, relative=True).double()
    features, along = feature_map(4), feature_map(4) + 1

    def tangent(features, along):
        return jvp(layer, (features,), (along,))[1]

    got = torch.compile(tangent, backend="aot_eager")(features, along)
    assert_close(got, tangent(features, along))
