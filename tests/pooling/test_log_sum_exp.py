"""Log-sum-exp pooling against its formula, and at its limits."""

import math

from torch.testing import assert_close

from dgmp.pooling.log_sum_exp import LogSumExpPool

from .feature_maps import SIGNS, check_formula, random_map


def log_sum_exp(x, pooling):
    r = pooling.sharpness.item()
    return [math.log(sum(math.exp(r * v) for v in row) / len(row)) / r for row in x]


@SIGNS
def test_it_is_its_formula(low):
    check_formula(LogSumExpPool, log_sum_exp, low)


def test_a_small_sharpness_tends_to_average_pooling():
    features = random_map()
    pooled = LogSumExpPool(sharpness=1e-6).double()(features)
    assert_close(pooled, features.mean(dim=2), rtol=1e-5, atol=0)


def test_a_large_sharpness_tends_to_max_pooling():
    features = random_map()
    pooled = LogSumExpPool(sharpness=1e6).double()(features)
    assert_close(pooled, features.amax(dim=2), rtol=1e-5, atol=0)
