"""Covariance pooling against its formula, and its matrix root."""

import math

import numpy as np
import pytest
import torch

from dgmp.pooling.covariance import CovariancePool, covariance, matrix_square_root

from .feature_maps import CHANNELS, SIGNS, check_formula, close, random_map


def root_covariance(x, pooling):
    if pooling.projection is not None:
        x = pooling.projection.weight.detach().numpy() @ x
    sigma = np.cov(x, bias=True)
    trace, eye = np.trace(sigma), np.eye(len(x))
    y, z = sigma / trace, eye
    for _ in range(5):
        y, z = y @ (3 * eye - z @ y) / 2, (3 * eye - z @ y) @ z / 2
    return [math.sqrt(trace) * y[i, j] for i in range(len(x)) for j in range(i, len(x))]


@pytest.mark.parametrize("options", [{}, {"reduced": 3}], ids=["isqrt-cov", "isqrt-cov, reduced"])
@SIGNS
def test_it_is_its_formula(options, low):
    check_formula(lambda: CovariancePool(CHANNELS, **options), root_covariance, low)


def test_the_square_of_the_pooled_triangle_is_the_covariance():
    features = random_map(positions=40)
    triangle = CovariancePool(CHANNELS, iterations=20)(features)
    root = torch.zeros(2, CHANNELS, CHANNELS, dtype=torch.float64)
    rows, columns = torch.triu_indices(CHANNELS, CHANNELS)
    root[:, rows, columns] = triangle
    root[:, columns, rows] = triangle
    close(root @ root, np.stack([np.cov(x, bias=True) for x in features.numpy()]))


def test_the_root_of_a_root_times_itself_is_the_matrix():
    matrices = covariance(random_map(positions=40), None)
    root = matrix_square_root(matrices, iterations=20)
    close(root @ root, matrices)
    close(root, root.mT)


def test_covariance_pooling_grows_with_the_features_and_ignores_their_mean():
    features = random_map()
    pooling = CovariancePool(CHANNELS)
    close(pooling(1e25 * features + 1e25), 1e25 * pooling(features))


@pytest.mark.parametrize(("channels", "width"), [(100, 5050), (256, 32896), (512, 32896)], ids=str)
def test_covariance_pooling_projects_only_what_is_wider_than_asked(channels, width):
    pooling = CovariancePool(channels)
    assert pooling.out_channels == width
    assert (pooling.projection is not None) == (channels > 256)
