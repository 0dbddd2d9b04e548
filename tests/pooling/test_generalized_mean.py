"""Generalized mean pooling against its formula, and at its limits."""

from torch.testing import assert_close

from dgmp.pooling.generalized_mean import GeneralizedMeanPool

from .feature_maps import SIGNS, check_formula, close, random_map


def generalized_mean(x, pooling):
    p = pooling.exponent.item()
    return [(sum(max(v, 1e-6) ** p for v in row) / len(row)) ** (1 / p) for row in x]


@SIGNS
def test_it_is_its_formula(low):
    check_formula(GeneralizedMeanPool, generalized_mean, low)


def test_a_large_exponent_tends_to_max_pooling():
    features = random_map()
    pooled = GeneralizedMeanPool(exponent=1e6).double()(features)
    assert_close(pooled, features.amax(dim=2), rtol=1e-5, atol=0)


def test_an_exponent_of_one_is_average_pooling():
    features = random_map()
    close(GeneralizedMeanPool(exponent=1.0).double()(features).detach(), features.mean(dim=2))
