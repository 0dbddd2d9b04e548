"""Max pooling against its formula."""

from dgmp.pooling.maximum import MaxPool

from .feature_maps import SIGNS, check_formula


def maximum(x, pooling):
    return [max(row) for row in x]


@SIGNS
def test_it_is_its_formula(low):
    check_formula(MaxPool, maximum, low)
