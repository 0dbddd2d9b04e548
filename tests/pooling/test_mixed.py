"""Mixed pooling against its formula."""

from dgmp.pooling.mixed import MixedPool

from .feature_maps import SIGNS, check_formula


def mixed(x, pooling):
    return [0.5 * max(row) + 0.5 * sum(row) / len(row) for row in x]


@SIGNS
def test_it_is_its_formula(low):
    check_formula(MixedPool, mixed, low)
