"""Generalized sum pooling against the iteration of its authors, and its laws."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from dgmp.pooling import make_pooling
from dgmp.pooling.generalized_sum import GeneralizedSumPool

from .feature_maps import CHANNELS, SIGNS, check_formula, random_map


def generalized_sum(x, pooling):
    """The plan by the fixed point t ← μ / Σᵢ rᵢkᵢ, from which the mass that is not left."""
    prototypes = pooling.prototypes.detach().numpy()
    unit = [p / np.linalg.norm(p) for p in prototypes]
    costs = [[np.linalg.norm(u - p / np.linalg.norm(p)) for u in unit] for p in x.T]
    kernel = np.exp(-pooling.sharpness * np.array(costs)).sum(axis=1)
    mass, scale = 1 / len(kernel), pooling.ratio
    for _ in range(500):
        left = mass / (1 + scale * kernel)
        scale = pooling.ratio / (left * kernel).sum()
    return x @ (mass - left) / pooling.ratio


@SIGNS
@pytest.mark.parametrize("ratio", [0.3, 0.7])
def test_it_is_its_formula(low, ratio):
    check_formula(
        lambda: GeneralizedSumPool(CHANNELS, 3, ratio=ratio, sharpness=2.0), generalized_sum, low
    )


@pytest.mark.parametrize("sharpness", [0.1, 20.0, 200.0])
@pytest.mark.parametrize("ratio", [0.01, 0.5, 0.99])
def test_the_prototypes_take_the_ratio_of_the_mass(ratio, sharpness):
    pooling = GeneralizedSumPool(CHANNELS, ratio=ratio, sharpness=sharpness).double()
    features = random_map(-1.0, positions=40)
    share = torch.full((2, 40), 1 / 40, dtype=torch.float64)
    taken = torch.sigmoid(pooling._claims(features, share)).mean(dim=1)
    assert_close(taken, torch.full_like(taken, ratio))


def test_a_ratio_of_one_tends_to_the_average():
    features = random_map(-1.0)
    pooling = GeneralizedSumPool(CHANNELS, ratio=1 - 1e-9, sharpness=1.0).double()
    average = make_pooling("avg", channels=CHANNELS)(features)
    assert_close(pooling(features), average, rtol=1e-6, atol=1e-6)


def test_second_derivatives_are_those_of_finite_differences():
    pooling = GeneralizedSumPool(CHANNELS, 2, sharpness=3.0).double()
    features = random_map(-1.0, positions=3).requires_grad_()
    assert torch.autograd.gradgradcheck(pooling, (features,))
