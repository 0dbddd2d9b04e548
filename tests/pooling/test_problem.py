"""Where float32 ends: features of any size, tiny ridges under attention, ridges that are NaN."""

import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling import (
    GeneralizedMaxPool,
    generalized_max_pool,
    generalized_max_weights,
    solvers,
)
from dgmp.pooling.layer import unit_length

from .feature_maps import RELATIVE

SIZES = pytest.mark.parametrize("size", [(24, 100), (100, 24)], ids=["primal", "dual"])
SCALES = [2.0**-126, 1e-30, 1e-22, 1e-20, 1e-10, 1e10, 1e18, 1e25, 1e36]


def relu(size):
    return torch.randn(2, *size, generator=torch.Generator().manual_seed(0)).relu()


@SIZES
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("readable", [True, False], ids=["cpu", "accelerator"])
def test_the_scale_of_the_features_does_not_matter_with_a_relative_ridge(
    size, scale, readable, monkeypatch
):
    monkeypatch.setattr(solvers, "can_read", lambda _: readable)
    layer = GeneralizedMaxPool(0.05, relative=True)
    features = relu(size)
    weights = torch.rand(2, size[1])
    expected = layer(features.double(), weights.double()).float()
    assert_close(layer(features * scale, weights), expected, rtol=1e-4, atol=1e-6)


@SIZES
@pytest.mark.parametrize("power", [-100, -70, -10, 10, 60, 100])
def test_a_power_of_two_changes_no_digit(size, power):
    features = relu(size)
    pooled = generalized_max_pool(features, 0.05, relative=True)
    scaled = generalized_max_pool(features * 2.0**power, 0.05, relative=True)
    assert_close(scaled * 2.0**power, pooled, rtol=1e-6, atol=0)


@SIZES
def test_an_absolute_ridge_far_above_the_energy_still_gives_the_sum(size):
    for scale in (1e-30, 1e-22, 1e-20):
        features = relu(size) * scale
        expected = unit_length(features.double().sum(2)).float()
        assert_close(GeneralizedMaxPool(1e3)(features), expected, rtol=1e-4, atol=1e-6)


@SIZES
def test_an_absolute_ridge_far_below_the_energy_is_at_the_floor(size):
    floor = 16 * torch.finfo(torch.float32).eps
    for scale in (1e18, 1e30):
        features = relu(size) * scale
        expected = GeneralizedMaxPool(floor, relative=True)(features)
        assert_close(GeneralizedMaxPool(1e3)(features), expected, rtol=1e-3, atol=1e-5)


@SIZES
@RELATIVE
@pytest.mark.parametrize("scale", [1e-19, 1e18])
def test_gradients_and_tangents_follow_the_scaling_law(size, relative, scale):
    """ξ(cΦ, c²λ) = ξ(Φ, λ)/c: a loss of the unit vector has a gradient 1/c times as large."""
    features, direction = relu(size), torch.randn(2, size[0])
    ridge = torch.tensor(0.05 if relative else 10.0)

    def loss(features, ridge):
        pooled = generalized_max_pool(features, ridge, relative=relative)
        return (unit_length(pooled) * direction).sum()

    scaled = features * scale, ridge if relative else ridge * scale * scale
    slope = torch.func.grad(loss)(features, ridge)
    got = torch.func.grad(loss)(*scaled)
    assert_close(got * scale, slope, rtol=1e-3, atol=1e-5)
    along = torch.randn_like(features)
    tangents = [
        torch.func.jvp(lambda x, r=r: loss(x, r), (x,), (d,))[1]
        for x, r, d in [(features, ridge, along), (*scaled, along * scale)]
    ]
    assert_close(tangents[1], tangents[0], rtol=1e-3, atol=1e-4)


def test_weights_of_positions_follow_the_scaling_law_too():
    features = relu((24, 100))
    expected = generalized_max_weights(features, 0.05, relative=True)
    got = generalized_max_weights(features * 2.0**50, 0.05, relative=True)
    assert_close(got * 2.0**100, expected, rtol=1e-3, atol=1e-7)


def test_unit_vectors_of_any_length_keep_their_direction():
    vectors = torch.randn(3, 50)
    expected = vectors / vectors.norm(dim=1, keepdim=True)
    for scale in (1e-42, 1e-30, 1e-20, 1e20, 1e36):
        tolerance = 1e-2 if scale < 1e-38 else 1e-5  # the smallest numbers have few digits
        assert_close(unit_length(vectors * scale), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", [(64, 200), (200, 64)], ids=["primal", "dual"])
@pytest.mark.parametrize("rho", [2e-6, 1e-5, 1e-4])
def test_attention_keeps_its_digits_at_a_tiny_ridge(size, rho):
    """Rank-two features under weights: what √w rounds would be magnified by 1/ρ."""
    torch.manual_seed(3)
    phi = torch.randn(2, size[0], 2) @ torch.randn(2, 2, size[1])
    weights = torch.rand(2, size[1])
    exact = generalized_max_pool(phi.double(), rho, relative=True, attention=weights.double())
    got = generalized_max_pool(phi, rho, relative=True, attention=weights)
    assert ((got - exact).norm(dim=1) / exact.norm(dim=1)).max() < 1e-4


@RELATIVE
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_a_ridge_that_is_no_number_gives_nan(relative, bad):
    features = relu((24, 100))
    ridge = torch.tensor([0.1, bad])
    pooled = generalized_max_pool(features, ridge, relative=relative)
    assert pooled[0].isfinite().all()
    assert pooled[1].isnan().all()
    layer = GeneralizedMaxPool(relative=relative)
    with torch.no_grad():
        layer.log_ridge.fill_(bad)
    assert layer(features).isnan().all()
