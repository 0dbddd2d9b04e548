"""Average pooling against its formula."""

from dgmp.pooling.average import AveragePool

from .feature_maps import SIGNS, check_formula


def average(x, pooling):
    return [sum(row) / len(row) for row in x]


@SIGNS
def test_it_is_its_formula(low):
    check_formula(AveragePool, average, low)
