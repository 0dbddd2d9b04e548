"""Democratic pooling against its formula, and at its limits."""

import math

import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling.democratic import (
    DemocraticPool,
    GammaDemocraticPool,
    democratic_pool,
    democratic_weights,
)

from .feature_maps import SIGNS, check_formula, close, random_map


def gamma_democratic(x, pooling):
    gamma, n = getattr(pooling, "gamma", 0), x.shape[1]
    kernel = [[max(x[:, i] @ x[:, j], 0) for j in range(n)] for i in range(n)]
    alpha = [1.0] * n
    for _ in range(10):
        say = [alpha[i] * sum(alpha[j] * kernel[i][j] for j in range(n)) for i in range(n)]
        alpha = [alpha[i] * math.sqrt(sum(kernel[i]) ** gamma / say[i]) for i in range(n)]
    return sum(alpha[i] * x[:, i] for i in range(n))


@pytest.mark.parametrize("kind", [DemocraticPool, GammaDemocraticPool])
@SIGNS
def test_it_is_its_formula(kind, low):
    check_formula(kind, gamma_democratic, low)


def test_gamma_of_one_is_sum_pooling():
    features = random_map(low=-1.0)
    close(GammaDemocraticPool(gamma=1.0)(features), features.sum(dim=2))


def test_gamma_of_zero_is_democratic_pooling():
    features = random_map()
    close(GammaDemocraticPool(gamma=0.0)(features), DemocraticPool()(features))


@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize(("iterations", "error"), [(10, 1e-3), (40, 1e-9)])
def test_democratic_weights_equalise_what_positions_contribute(gamma, iterations, error):
    features = random_map()
    alpha = democratic_weights(features, None, gamma=gamma, iterations=iterations)
    contributions = alpha.unsqueeze(1) * features
    pooled = contributions.sum(dim=2)
    say = (pooled.unsqueeze(1) @ contributions).squeeze(1)
    target = (features.sum(dim=2).unsqueeze(1) @ features).squeeze(1) ** gamma
    assert_close(say, target, rtol=error, atol=0)


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_scaling_all_features_scales_democratic_pooling_by_the_power_gamma(gamma):
    features = random_map()
    pooled = democratic_pool(features, None, gamma=gamma, iterations=10)
    for factor in [1e-30, 1e30]:
        scaled = democratic_pool(factor * features, None, gamma=gamma, iterations=10)
        close(scaled, factor**gamma * pooled)


def test_a_position_of_zeros_says_nothing_in_democratic_pooling():
    features = random_map()
    with_zeros = torch.cat([features, torch.zeros_like(features[:, :, :2])], dim=2)
    close(DemocraticPool()(with_zeros), DemocraticPool()(features))
