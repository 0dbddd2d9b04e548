"""Gated pooling against its formula, and at its start."""

from dgmp.pooling.average import AveragePool
from dgmp.pooling.gated import GatedPool
from dgmp.pooling.maximum import MaxPool

from .feature_maps import CHANNELS, SIGNS, check_formula, close, random_map, sigmoid


def gated(x, pooling):
    pooled = []
    for row, by_average, by_maximum in zip(
        x, pooling.average_gate.tolist(), pooling.maximum_gate.tolist(), strict=True
    ):
        mean, top = sum(row) / len(row), max(row)
        a = sigmoid(by_average * mean + by_maximum * top)
        pooled.append(a * top + (1 - a) * mean)
    return pooled


@SIGNS
def test_it_is_its_formula(low):
    check_formula(lambda: GatedPool(CHANNELS), gated, low)


def test_gates_start_at_an_even_mix():
    features = random_map()
    low, high = AveragePool()(features), MaxPool()(features)
    close(GatedPool(CHANNELS).double()(features), ((low + high) / 2).detach())
