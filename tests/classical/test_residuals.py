"""Pooling of groups of residuals, against the layer and against sums."""

import numpy as np
import pytest
import torch

from dgmp.classical.residuals import (
    generalized_max_weights,
    pool_generalized_max,
    pool_sums,
)
from dgmp.pooling import generalized_max_pool

RNG = np.random.default_rng(0)
COUNTS = np.array([[3, 20], [0, 0], [40, 0], [1, 1]])  # (words, bands)
RESIDUALS = RNG.standard_normal((COUNTS.sum(), 8)).astype(np.float32)


def groups():
    """The residuals of each word: all, then by bands."""
    ends = np.cumsum(COUNTS).reshape(COUNTS.shape)
    for word, counts in enumerate(COUNTS):
        bands = [RESIDUALS[end - n : end] for end, n in zip(ends[word], counts, strict=True)]
        yield [np.concatenate(bands), *bands]


@pytest.mark.parametrize("ridge", [1.0, 1e-2, 1e-5], ids=["single", "small", "double"])
def test_every_group_is_pooled_as_the_layer_pools_it(ridge):
    pooled = pool_generalized_max(RESIDUALS, COUNTS, ridge)
    for found, parts in zip(pooled, groups(), strict=True):
        for vector, part in zip(found, parts, strict=True):
            # A position of zeros changes nothing, and the layer needs one.
            features = torch.from_numpy(np.vstack([part, np.zeros((1, 8))]).T)[None]
            relative = torch.tensor([ridge / max(len(part), 1)], dtype=torch.float64)
            wanted = generalized_max_pool(features, relative, relative=True)[0].numpy()
            np.testing.assert_allclose(vector, wanted, rtol=1e-3, atol=1e-5)


def test_sums_are_those_of_a_loop():
    wanted = [[part.sum(axis=0) for part in parts] for parts in groups()]
    np.testing.assert_allclose(pool_sums(RESIDUALS, COUNTS), wanted, atol=1e-5)


def test_one_band_is_the_whole():
    counts = COUNTS.sum(axis=1, keepdims=True)
    alone = pool_generalized_max(RESIDUALS, counts, 1.0)
    assert alone.shape == (4, 1, 8)
    both = pool_generalized_max(RESIDUALS, COUNTS, 1.0)
    np.testing.assert_allclose(alone[:, 0], both[:, 0], atol=1e-5)


def test_residuals_of_no_length_are_pooled_to_zeros():
    assert not pool_generalized_max(np.zeros((5, 3), np.float32), np.array([[5]]), 1.0).any()


def test_what_is_pooled_is_the_weighted_sum_of_its_residuals():
    numbers = COUNTS.sum(axis=1)
    wide = RESIDUALS.astype(np.float64)
    pooled = pool_generalized_max(wide, numbers[:, None], 1.0)[:, 0]
    weights = generalized_max_weights(wide, numbers, pooled, 1.0)
    sums = pool_sums(wide * weights[:, None], numbers[:, None])[:, 0]
    np.testing.assert_allclose(sums, pooled, atol=1e-12)


def test_weights_solve_the_dual_problem():
    part = RESIDUALS[:23].astype(np.float64)
    pooled = pool_generalized_max(part, np.array([[23]]), 1.0)[:, 0]
    weights = generalized_max_weights(part, np.array([23]), pooled, 1.0)
    system = part @ part.T + np.square(part).sum(axis=1).mean() * np.eye(23)
    np.testing.assert_allclose(system @ weights, 1, atol=1e-10)
